use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::null_mut;

use crate::shadow::Shadow;
use crate::{EmulatorError, Place};

/// Where a buffer's bytes lie in its pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Their end is at an inaccessible page, but for what aligns their start to 16 bytes.
    #[default]
    End,
    /// Their start is.
    Start,
}

/// The addresses that a device has, and the bytes that it holds at once.
const ADDRESSES: usize = 1 << 38;
const CAPACITY: usize = 8 << 30;

/// Vectors of kernels are aligned to this.
const ALIGNMENT: usize = 16;

/// What fresh memory holds: a NaN in every float type.
const FRESH: u8 = 0xff;
/// What the accessible bytes beside a buffer hold.
const SLACK: u8 = 0xa5;

/// The memory of a device: a range of addresses, all inaccessible but the buffers, and those only
/// while it is open. No address is used again before all have been.
pub(crate) struct Memory {
    addresses: Range<usize>,
    page: usize,
    /// Where the search for free addresses starts.
    next: usize,
    /// By the start of their ranges.
    buffers: BTreeMap<usize, Buffer>,
    placement: Placement,
    checked: bool,
    open: bool,
    allocated: u64,
    held: usize,
}

pub(crate) struct Buffer {
    /// `None` for shared memory.
    number: Option<u64>,
    /// With the inaccessible pages around it.
    range: Range<usize>,
    pages: Range<usize>,
    pub(crate) data: Range<usize>,
    pub(crate) shadow: Option<Shadow>,
}

impl Memory {
    pub(crate) fn new(placement: Placement, checked: bool) -> Result<Memory, EmulatorError> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the system's choice.
        let base = unsafe { libc::mmap(null_mut(), ADDRESSES, libc::PROT_NONE, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(last_error());
        }
        // SAFETY: it only asks.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let base = base.expose_provenance();
        Ok(Memory {
            addresses: base..base + ADDRESSES,
            page: usize::try_from(page).unwrap_or(4096),
            next: base,
            buffers: BTreeMap::new(),
            placement,
            checked,
            open: false,
            allocated: 0,
            held: 0,
        })
    }

    pub(crate) fn addresses(&self) -> Range<usize> {
        self.addresses.clone()
    }

    /// How many buffers there are, shared memory left out.
    pub(crate) fn live(&self) -> usize {
        let numbered = self.buffers.values();
        numbered.filter(|buffer| buffer.number.is_some()).count()
    }

    /// The address of a new buffer.
    pub(crate) fn allocate(&mut self, bytes: u64) -> Result<usize, EmulatorError> {
        self.allocated += 1;
        self.place(bytes, Some(self.allocated))
    }

    pub(crate) fn allocate_shared(&mut self, bytes: u64) -> Result<usize, EmulatorError> {
        self.place(bytes, None)
    }

    fn place(&mut self, bytes: u64, number: Option<u64>) -> Result<usize, EmulatorError> {
        let none = EmulatorError::OutOfMemory { bytes };
        let Some(size) = usize::try_from(bytes).ok().filter(|&size| size <= CAPACITY) else {
            return Err(none);
        };
        let length = size.next_multiple_of(self.page);
        let start = match self.free_range(length + 2 * self.page) {
            Some(start) if self.held + length <= CAPACITY => start,
            _ => return Err(none),
        };
        let pages = start + self.page..start + self.page + length;
        if !protect(&pages, libc::PROT_READ | libc::PROT_WRITE) {
            return Err(none);
        }
        let first = match self.placement {
            Placement::End => pages.end - size.next_multiple_of(ALIGNMENT),
            Placement::Start => pages.start,
        };
        let buffer = Buffer {
            number,
            range: start..pages.end + self.page,
            data: first..first + size,
            pages,
            shadow: self.checked.then(|| Shadow::new(size)),
        };
        fill(&buffer.pages, SLACK);
        fill(&buffer.data, FRESH);
        if !self.open {
            protect(&buffer.pages, libc::PROT_NONE);
        }
        self.held += length;
        self.next = buffer.range.end;
        self.buffers.insert(start, buffer);
        Ok(first)
    }

    /// A range of addresses that no buffer has, from `next` on and then from the start.
    fn free_range(&self, length: usize) -> Option<usize> {
        let from = |mut start: usize| {
            let inside = self.buffers.range(..start).next_back();
            if let Some((_, buffer)) = inside {
                start = start.max(buffer.range.end);
            }
            for buffer in self.buffers.range(start..).map(|(_, buffer)| buffer) {
                if start + length <= buffer.range.start {
                    break;
                }
                start = buffer.range.end;
            }
            (start + length <= self.addresses.end).then_some(start)
        };
        from(self.next).or_else(|| from(self.addresses.start))
    }

    /// Gives a buffer back, whose address that is.
    pub(crate) fn free(&mut self, address: usize) -> Result<(), EmulatorError> {
        let found = self.buffers.range(..=address).next_back();
        let start = found.filter(|(_, buffer)| buffer.data.start == address);
        let Some((&start, _)) = start else {
            let address = address as u64;
            return Err(EmulatorError::NoBuffer { address, bytes: 0 });
        };
        if let Some(buffer) = self.buffers.remove(&start) {
            self.held -= buffer.pages.len();
            release(&buffer.pages);
        }
        Ok(())
    }

    /// The buffer that has these bytes.
    pub(crate) fn buffer(&mut self, address: usize, bytes: u64) -> Option<&mut Buffer> {
        let (_, buffer) = self.buffers.range_mut(..=address).next_back()?;
        let end = address.checked_add(usize::try_from(bytes).ok()?)?;
        (buffer.data.start <= address && end <= buffer.data.end).then_some(buffer)
    }

    /// Where an address is; in the pages of a buffer and around them, beside that.
    pub(crate) fn locate(&self, address: usize) -> Place {
        let found = self.buffers.range(..=address).next_back();
        match found {
            Some((_, buffer)) if buffer.range.contains(&address) => buffer.place(address),
            _ => Place::Nowhere {
                address: address as u64,
            },
        }
    }

    /// Makes the buffers accessible, or inaccessible again.
    pub(crate) fn open(&mut self, open: bool) {
        self.open = open;
        for buffer in self.buffers.values() {
            buffer.open(open);
        }
    }

    /// A place beside a buffer that was written, which the pages around it do not show. The memory
    /// is open.
    pub(crate) fn disturbed(&mut self) -> Option<Place> {
        for buffer in self.buffers.values() {
            let before = buffer.pages.start..buffer.data.start;
            let after = buffer.data.end..buffer.pages.end;
            for slack in [before, after].iter().filter(|slack| !slack.is_empty()) {
                let found = with_bytes(slack, |bytes| {
                    let at = bytes.iter().position(|&byte| byte != SLACK)?;
                    bytes.fill(SLACK);
                    Some(at)
                });
                if let Some(at) = found {
                    return Some(buffer.place(slack.start + at));
                }
            }
        }
        None
    }

    /// Forgets what shared memory held. The memory is open.
    pub(crate) fn refresh(&mut self, address: usize) {
        if let Some(buffer) = self.buffer(address, 0) {
            fill(&buffer.data, FRESH);
            if let Some(shadow) = &mut buffer.shadow {
                shadow.clear();
            }
        }
    }
}

impl Buffer {
    /// Makes the buffer accessible, or inaccessible again.
    pub(crate) fn open(&self, open: bool) {
        let protection = match open {
            true => libc::PROT_READ | libc::PROT_WRITE,
            false => libc::PROT_NONE,
        };
        protect(&self.pages, protection);
    }

    pub(crate) fn place(&self, address: usize) -> Place {
        Place::Buffer {
            number: self.number,
            bytes: self.data.len() as u64,
            offset: address as i64 - self.data.start as i64,
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's, and nothing points into it any longer.
        unsafe {
            libc::munmap(
                std::ptr::with_exposed_provenance_mut(self.addresses.start),
                self.addresses.len(),
            )
        };
    }
}

/// Lends the bytes of a buffer that is open.
pub(crate) fn with_bytes<R>(range: &Range<usize>, run: impl FnOnce(&mut [u8]) -> R) -> R {
    let start = std::ptr::with_exposed_provenance_mut(range.start);
    // SAFETY: the range is a buffer's, mapped and accessible, and nothing else refers to it: the
    // device's lock is held, and no kernel runs.
    run(unsafe { std::slice::from_raw_parts_mut(start, range.len()) })
}

fn fill(range: &Range<usize>, byte: u8) {
    if !range.is_empty() {
        with_bytes(range, |bytes| bytes.fill(byte));
    }
}

fn protect(pages: &Range<usize>, protection: i32) -> bool {
    if pages.is_empty() {
        return true;
    }
    let start = std::ptr::with_exposed_provenance_mut(pages.start);
    // SAFETY: the pages are of the device's mapping.
    unsafe { libc::mprotect(start, pages.len(), protection) == 0 }
}

/// Gives pages back to the system; their addresses stay the device's, inaccessible.
fn release(pages: &Range<usize>) {
    if pages.is_empty() {
        return;
    }
    let start = std::ptr::with_exposed_provenance_mut(pages.start);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // SAFETY: the pages are of the device's mapping.
    unsafe { libc::mmap(start, pages.len(), libc::PROT_NONE, flags, -1, 0) };
}

fn last_error() -> EmulatorError {
    EmulatorError::System(std::io::Error::last_os_error().to_string())
}
