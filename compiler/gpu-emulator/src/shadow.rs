/// What is known of each byte of a buffer, in the checked mode.
///
/// Of the reads of a byte the last two threads' are remembered, of its writes the last.
pub(crate) struct Shadow {
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    written: bool,
    /// The accesses are those of this launch.
    launch: u32,
    writer: Option<Mark>,
    readers: [Option<Mark>; 2],
}

/// An access of a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The position in the grid, block by block.
    pub(crate) thread: u32,
    pub(crate) block: u32,
    /// How many barriers its block has passed.
    pub(crate) phase: u32,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
    Atomic,
}

/// What is wrong with an access.
pub(crate) enum Finding {
    Unwritten,
    Race(Mark),
}

impl Shadow {
    pub(crate) fn new(bytes: usize) -> Shadow {
        Shadow {
            cells: vec![Cell::default(); bytes],
        }
    }

    /// The host has written the bytes.
    pub(crate) fn written(&mut self, from: usize, bytes: usize) {
        for cell in &mut self.cells[from..from + bytes] {
            cell.written = true;
        }
    }

    /// The first of these bytes that nothing has written.
    pub(crate) fn unwritten(&self, from: usize, bytes: usize) -> Option<usize> {
        (from..from + bytes).find(|&at| !self.cells[at].written)
    }

    /// Nothing has been written, by anyone.
    pub(crate) fn clear(&mut self) {
        self.cells.fill(Cell::default());
    }

    /// Records an access to bytes that the buffer has.
    pub(crate) fn access(
        &mut self,
        from: usize,
        bytes: usize,
        launch: u32,
        mark: Mark,
    ) -> Option<Finding> {
        let mut finding = None;
        for cell in &mut self.cells[from..from + bytes] {
            finding = finding.or(cell.access(launch, mark));
        }
        finding
    }
}

impl Cell {
    fn access(&mut self, launch: u32, mark: Mark) -> Option<Finding> {
        if self.launch != launch {
            *self = Cell {
                written: self.written,
                launch,
                ..Cell::default()
            };
        }
        if mark.kind != Kind::Write && !self.written {
            return Some(Finding::Unwritten);
        }
        let mut others = opponents(self.writer, self.readers, mark.kind);
        if let Some(other) = others.find(|other| mark.races_with(other)) {
            return Some(Finding::Race(other));
        }
        match mark.kind {
            Kind::Read => {
                let [last, before] = &mut self.readers;
                if last.is_none_or(|last| last.thread != mark.thread) {
                    *before = *last;
                }
                *last = Some(mark);
            }
            Kind::Write | Kind::Atomic => {
                self.writer = Some(mark);
                self.written = true;
            }
        }
        None
    }
}

/// The accesses that one of this kind may be in a race with.
fn opponents(
    writer: Option<Mark>,
    readers: [Option<Mark>; 2],
    kind: Kind,
) -> impl Iterator<Item = Mark> {
    let readers = match kind {
        Kind::Read => [None; 2],
        Kind::Write | Kind::Atomic => readers,
    };
    writer.into_iter().chain(readers.into_iter().flatten())
}

impl Mark {
    /// A barrier orders the threads of a block; nothing orders blocks. Atomic updates order
    /// themselves.
    fn races_with(&self, other: &Mark) -> bool {
        let ordered = self.block == other.block && self.phase != other.phase;
        let atomic = self.kind == Kind::Atomic && other.kind == Kind::Atomic;
        self.thread != other.thread && !ordered && !atomic
    }
}
