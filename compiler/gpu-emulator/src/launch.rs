use std::cell::{Cell, RefCell};
use std::ffi::c_void;

use corosensei::stack::DefaultStack;

use crate::chip::Limits;
use crate::fault::{Fault, on_stack};
use crate::fiber::{Fiber, Outcome, Stop, stack};
use crate::memory::Memory;
use crate::module::{Entry, Module};
use crate::order::Order;
use crate::report::Thread;
use crate::shadow::{Finding, Kind, Mark};
use crate::{Access, EmulatorError, Options, Place, Report, Violation, callbacks};

/// A launch of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    pub kernel: &'a str,
    /// Blocks along x, y and z.
    pub grid: [u64; 3],
    /// Threads of a block along x, y and z.
    pub block: [u64; 3],
    /// The address of each argument.
    pub arguments: &'a [*const c_void],
}

/// Bytes of a thread's stack: what a GPU gives a thread of its own memory, and the host's frames.
const THREAD_STACK: usize = 1 << 20;

/// A launch that runs.
pub(crate) struct Running<'m> {
    kernel: &'m str,
    grid: [u32; 3],
    block: [u32; 3],
    positions: *mut [u32; 12],
    /// The block and the thread in it that run, as their numbers.
    at: Cell<(u64, u64)>,
    phase: Cell<u32>,
    /// Of its loops that the thread that runs has taken, and may take.
    turns: Cell<u64>,
    most_turns: u64,
    memory: RefCell<&'m mut Memory>,
    launch: u32,
    violation: RefCell<Option<Violation>>,
}

impl Launch<'_> {
    /// What the chip, or the kernel's compiler, does not allow.
    pub(crate) fn check(&self, entry: &Entry, limits: &Limits) -> Result<(), EmulatorError> {
        let limit = |reason: String| {
            let kernel = self.kernel.to_string();
            Err(EmulatorError::Limit { kernel, reason })
        };
        let (grid, block) = (self.grid, self.block);
        let past = |extents: [u64; 3], most: [u64; 3]| {
            (0..3).any(|axis| extents[axis] == 0 || extents[axis] > most[axis])
        };
        if past(grid, limits.grid) {
            return limit(format!("a grid of {grid:?} blocks"));
        }
        let threads: u64 = match past(block, limits.block) {
            true => u64::MAX,
            false => block.iter().product(),
        };
        if threads > limits.threads {
            return limit(format!("a block of {block:?} threads"));
        }
        let compiled = entry.kernel.threads;
        if !(compiled.least..=compiled.most).contains(&threads) {
            return limit(format!(
                "{threads} threads a block, where it was compiled for {} to {}",
                compiled.least, compiled.most
            ));
        }
        let shared = entry.kernel.shared;
        if shared > limits.shared {
            return limit(format!(
                "{shared} bytes of shared memory, where the chip has {}",
                limits.shared
            ));
        }
        let (expected, found) = (entry.kernel.parameters, self.arguments.len());
        if expected != found {
            return Err(EmulatorError::Parameters {
                kernel: self.kernel.to_string(),
                expected,
                found,
            });
        }
        Ok(())
    }

    /// Runs every block. The launch was checked, the memory is open.
    pub(crate) fn run(
        &self,
        entry: &Entry,
        module: &Module,
        memory: &mut Memory,
        number: u32,
        options: &Options,
    ) -> Result<(), EmulatorError> {
        let seed = options.seed;
        let narrow = |extents: [u64; 3]| extents.map(|extent| extent as u32);
        let running = Running {
            kernel: self.kernel,
            grid: narrow(self.grid),
            block: narrow(self.block),
            positions: module.positions,
            at: Cell::new((0, 0)),
            phase: Cell::new(0),
            turns: Cell::new(0),
            most_turns: options.turns,
            memory: RefCell::new(memory),
            launch: number,
            violation: RefCell::new(None),
        };
        running.prepare(module);
        let blocks = Order::new(self.grid.iter().product(), seed);
        let threads = Order::new(self.block.iter().product(), seed.wrapping_mul(3));
        callbacks::during(&running, || match entry.kernel.has_barriers {
            false if module.shared.is_empty() => running.run_grid(self, entry, blocks, threads),
            _ => running.run_blocks(self, entry, module, blocks, threads),
        })
    }
}

impl Running<'_> {
    fn prepare(&self, module: &Module) {
        let (grid, block) = (self.grid, self.block);
        // SAFETY: the words and the bytes are the module's, whose code does not run.
        unsafe {
            let words = &mut *self.positions;
            words[6..9].copy_from_slice(&grid);
            words[9..].copy_from_slice(&block);
            for axis in 0..3 {
                let counts = module.implicit.cast::<u32>().add(axis);
                counts.write(grid[axis]);
                let sizes = module.implicit.add(12).cast::<u16>().add(axis);
                sizes.write(block[axis] as u16);
            }
        }
    }

    /// Makes a thread the one that runs, which has taken so many turns before.
    fn enter(&self, block: u64, thread: u64, turns: u64) {
        self.at.set((block, thread));
        self.turns.set(turns);
        // SAFETY: the words are the module's, and no other thread of the launch reads them now.
        unsafe {
            let words = &mut *self.positions;
            words[..3].copy_from_slice(&unravel(block, self.grid));
            words[3..6].copy_from_slice(&unravel(thread, self.block));
        }
    }

    /// All threads on one stack, one after another.
    fn run_grid(
        &self,
        launch: &Launch<'_>,
        entry: &Entry,
        blocks: Order,
        threads: Order,
    ) -> Result<(), EmulatorError> {
        let run = || {
            for block in blocks.iter() {
                for thread in threads.iter() {
                    self.enter(block, thread, 0);
                    // SAFETY: there is an argument for each parameter.
                    unsafe { (entry.code)(launch.arguments.as_ptr()) };
                }
            }
        };
        // SAFETY: the fiber ends here; what it is left in owns nothing.
        let mut fiber = unsafe { Fiber::new(stack(THREAD_STACK)?, None, run) };
        let outcome = fiber.resume();
        fiber.into_stack();
        match outcome {
            Outcome::Returned => Ok(()),
            Outcome::Faulted(fault) => Err(self.fault(fault)),
            Outcome::Stopped(_) => Err(self.reported()),
        }
    }

    /// Block by block, each thread on a stack of its own.
    fn run_blocks(
        &self,
        launch: &Launch<'_>,
        entry: &Entry,
        module: &Module,
        blocks: Order,
        threads: Order,
    ) -> Result<(), EmulatorError> {
        let mut stacks = Vec::new();
        for block in blocks.iter() {
            for &address in &module.shared {
                self.memory.borrow_mut().refresh(address);
            }
            self.run_block(launch, entry, block, threads, &mut stacks)?;
        }
        Ok(())
    }

    fn run_block(
        &self,
        launch: &Launch<'_>,
        entry: &Entry,
        block: u64,
        threads: Order,
        stacks: &mut Vec<DefaultStack>,
    ) -> Result<(), EmulatorError> {
        let arguments = launch.arguments.as_ptr();
        let code = entry.code;
        let mut fibers = Vec::new();
        for thread in threads.iter() {
            let stack = stacks.pop().map_or_else(|| stack(THREAD_STACK), Ok)?;
            // SAFETY: the arguments outlive the launch, and there is one for each parameter.
            let run = move || unsafe { code(arguments) };
            // SAFETY: as above; compiled code owns nothing.
            fibers.push((thread, 0, unsafe { Fiber::new(stack, None, run) }));
        }
        self.phase.set(0);
        let mut result = Ok(());
        while result.is_ok() && !fibers.is_empty() {
            let mut waiting = Vec::new();
            // Where the first thread of the round waits; `None` where it ended.
            let mut first = None;
            let mut all = fibers.into_iter();
            for (thread, turns, mut fiber) in all.by_ref() {
                self.enter(block, thread, turns);
                let site = match fiber.resume() {
                    Outcome::Returned => None,
                    Outcome::Stopped(Stop::Barrier { site }) => Some(site),
                    Outcome::Stopped(Stop::Violation) => {
                        result = Err(self.reported());
                        stacks.push(fiber.into_stack());
                        break;
                    }
                    Outcome::Faulted(fault) => {
                        result = Err(self.fault(fault));
                        stacks.push(fiber.into_stack());
                        break;
                    }
                };
                if *first.get_or_insert(site) != site {
                    result = Err(self.violation(Violation::Divergence));
                }
                match site {
                    None => stacks.push(fiber.into_stack()),
                    Some(_) => waiting.push((thread, self.turns.get(), fiber)),
                }
                if result.is_err() {
                    break;
                }
            }
            stacks.extend(all.map(|(.., fiber)| fiber.into_stack()));
            fibers = waiting;
            self.phase.set(self.phase.get().saturating_add(1));
        }
        stacks.extend(fibers.into_iter().map(|(.., fiber)| fiber.into_stack()));
        result
    }

    fn thread(&self, block: u64, thread: u64) -> Thread {
        Thread {
            kernel: self.kernel.to_string(),
            block: unravel(block, self.grid),
            thread: unravel(thread, self.block),
        }
    }

    fn violation(&self, violation: Violation) -> EmulatorError {
        let (block, thread) = self.at.get();
        EmulatorError::from(Report {
            thread: Some(self.thread(block, thread)),
            violation,
        })
    }

    /// The thread that runs does something wrong.
    pub(crate) fn report(&self, violation: Violation) {
        *self.violation.borrow_mut() = Some(violation);
    }

    fn reported(&self) -> EmulatorError {
        let violation = self.violation.take();
        self.violation(violation.unwrap_or(Violation::Trap))
    }

    fn fault(&self, fault: Fault) -> EmulatorError {
        let violation = match fault.signal {
            libc::SIGFPE => Violation::Signal("a division"),
            libc::SIGILL => Violation::Signal("an illegal instruction"),
            _ => {
                let place = self.memory.borrow().locate(fault.address);
                match place {
                    Place::Nowhere { .. } if fault.on_stack => Violation::Stack,
                    _ => Violation::Memory {
                        access: fault.access(),
                        place,
                    },
                }
            }
        };
        self.violation(violation)
    }

    /// Counts a turn of a loop of the thread that runs; what is wrong if it is one too many.
    pub(crate) fn turn(&self) -> Option<Violation> {
        let turns = self.turns.get() + 1;
        self.turns.set(turns);
        (turns > self.most_turns).then_some(Violation::Endless {
            turns: self.most_turns,
        })
    }

    /// What is wrong with an access of the thread that runs, if anything.
    pub(crate) fn check(&self, address: usize, bytes: u64, kind: Kind) -> Option<Violation> {
        if bytes == 0 || on_stack(address) {
            return None;
        }
        let mut memory = self.memory.borrow_mut();
        let access = access(kind, bytes);
        let (block, thread) = self.at.get();
        let threads: u64 = self.block.iter().map(|&extent| u64::from(extent)).product();
        let Some(buffer) = memory.buffer(address, bytes) else {
            let place = memory.locate(address);
            return Some(Violation::Memory { access, place });
        };
        let place = buffer.place(address);
        let from = address - buffer.data.start;
        let mark = Mark {
            thread: (block * threads + thread) as u32,
            block: block as u32,
            phase: self.phase.get(),
            kind,
        };
        let shadow = buffer.shadow.as_mut()?;
        let found = shadow.access(from, bytes as usize, self.launch, mark)?;
        Some(match found {
            Finding::Unwritten => Violation::Unwritten { access, place },
            Finding::Race(other) => Violation::Race {
                access,
                place,
                other: {
                    let thread = u64::from(other.thread);
                    Box::new(self.thread(thread / threads, thread % threads))
                },
                other_access: self::access(other.kind, bytes),
                address: address as u64,
            },
        })
    }
}

fn access(kind: Kind, bytes: u64) -> Access {
    match kind {
        Kind::Read => Access::Read(Some(bytes)),
        Kind::Write => Access::Write(Some(bytes)),
        Kind::Atomic => Access::Atomic(Some(bytes)),
    }
}

impl Fault {
    pub(crate) fn access(self) -> Access {
        match self.write {
            true => Access::Write(None),
            false => Access::Read(None),
        }
    }
}

/// The position along x, y and z of a number that counts along x first.
fn unravel(number: u64, extents: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = extents.map(u64::from);
    [
        (number % x) as u32,
        (number / x % y) as u32,
        (number / x / y) as u32,
    ]
}
