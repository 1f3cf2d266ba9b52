use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::fiber::{Fiber, Outcome, stack};
use crate::memory::{Buffer, Memory, with_bytes};
use crate::{Access, EmulatorError, Launch, Module, Placement, Report, Vendor, Violation, fault};

/// How a device is emulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub vendor: Vendor,
    /// Gives the order of blocks, and of the threads between barriers; 0 is the order of their
    /// numbers.
    pub seed: u64,
    pub placement: Placement,
    /// Whether each access to memory is checked: that it is inside one buffer, that what is read
    /// was written, and that no two threads race. Slow.
    pub checked: bool,
    /// The most turns of its loops that a thread takes: one that never ends would keep the launch
    /// from ending.
    pub turns: u64,
}

impl Options {
    /// The device of a vendor, unchecked, in the order of numbers.
    pub fn new(vendor: Vendor) -> Options {
        Options {
            vendor,
            seed: 0,
            placement: Placement::End,
            checked: false,
            turns: 1 << 28,
        }
    }
}

/// An emulated device. Several threads may use it; it does one thing at a time.
pub struct Emulator {
    options: Options,
    addresses: Range<usize>,
    state: Mutex<State>,
}

struct State {
    memory: Memory,
    launches: u32,
}

/// Bytes of the stack that host code has, which may load device code: LLVM wants much.
const HOST_STACK: usize = 64 << 20;

impl Emulator {
    pub fn new(options: Options) -> Result<Emulator, EmulatorError> {
        fault::install()?;
        let memory = Memory::new(options.placement, options.checked)?;
        Ok(Emulator {
            options,
            addresses: memory.addresses(),
            state: Mutex::new(State {
                memory,
                launches: 0,
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads a module of the vendor's, as LLVM bitcode or text.
    pub fn load(&self, code: &[u8]) -> Result<Module, EmulatorError> {
        let Options {
            vendor, checked, ..
        } = self.options;
        Module::load(code, vendor, checked, &mut self.state().memory)
    }

    /// Gives a module of this device back.
    pub fn unload(&self, module: Module) -> Result<(), EmulatorError> {
        let memory = &mut self.state().memory;
        module.shared.iter().try_for_each(|&at| memory.free(at))
    }

    /// The address of a new buffer of so many bytes.
    pub fn allocate(&self, bytes: u64) -> Result<u64, EmulatorError> {
        let address = self.state().memory.allocate(bytes)?;
        Ok(address as u64)
    }

    /// Gives back the buffer whose address that is.
    pub fn free(&self, address: u64) -> Result<(), EmulatorError> {
        self.state().memory.free(address as usize)
    }

    /// How many buffers are allocated.
    pub fn buffers(&self) -> usize {
        self.state().memory.live()
    }

    /// Copies into a buffer.
    pub fn write(&self, address: u64, from: &[u8]) -> Result<(), EmulatorError> {
        self.copy(address, from.len(), |buffer, at, bytes| {
            bytes.copy_from_slice(from);
            if let Some(shadow) = &mut buffer.shadow {
                shadow.written(at, bytes.len());
            }
            Ok(())
        })
    }

    /// Copies out of a buffer.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), EmulatorError> {
        self.copy(address, to.len(), |buffer, at, bytes| {
            to.copy_from_slice(bytes);
            let shadow = buffer.shadow.as_ref();
            match shadow.and_then(|shadow| shadow.unwritten(at, bytes.len())) {
                None => Ok(()),
                Some(at) => Err(EmulatorError::from(Report {
                    thread: None,
                    violation: Violation::Unwritten {
                        access: Access::Read(None),
                        place: buffer.place(buffer.data.start + at),
                    },
                })),
            }
        })
    }

    /// Opens a buffer for a copy of these bytes, which start so far into it.
    fn copy(
        &self,
        address: u64,
        bytes: usize,
        run: impl FnOnce(&mut Buffer, usize, &mut [u8]) -> Result<(), EmulatorError>,
    ) -> Result<(), EmulatorError> {
        let memory = &mut self.state().memory;
        let start = address as usize;
        let Some(buffer) = memory.buffer(start, bytes as u64) else {
            return Err(EmulatorError::NoBuffer {
                address,
                bytes: bytes as u64,
            });
        };
        if bytes == 0 {
            return Ok(());
        }
        buffer.open(true);
        let at = start - buffer.data.start;
        let done = with_bytes(&(start..start + bytes), |bytes| run(buffer, at, bytes));
        buffer.open(false);
        done
    }

    /// Runs a kernel of a module of this device, until its last thread has ended.
    ///
    /// The arguments point to values of the types of the kernel's parameters.
    ///
    /// # Safety
    /// They do, and the code is a compiler's: whatever it does to the device's memory is reported,
    /// but it can reach the host's.
    pub unsafe fn launch(&self, module: &Module, launch: &Launch<'_>) -> Result<(), EmulatorError> {
        let entry = module.entry(launch.kernel)?;
        launch.check(entry, &self.options.vendor.limits())?;
        let state = &mut *self.state();
        state.launches = state.launches.wrapping_add(1).max(1);
        let memory = &mut state.memory;
        memory.open(true);
        let ran = launch.run(entry, module, memory, state.launches, &self.options);
        let disturbed = memory.disturbed();
        memory.open(false);
        ran?;
        match disturbed {
            None => Ok(()),
            Some(place) => Err(EmulatorError::from(Report {
                thread: None,
                violation: Violation::Disturbed {
                    kernel: launch.kernel.to_string(),
                    place,
                },
            })),
        }
    }

    /// Calls host code that may use the device. Its accesses to the device's memory, which are
    /// copies' and launches' alone, are reported, and end it.
    ///
    /// # Safety
    /// What it leaves when it ends so is not unwound: it owns nothing.
    pub unsafe fn host(&self, run: &mut dyn FnMut()) -> Result<(), EmulatorError> {
        let stack = stack(HOST_STACK)?;
        // SAFETY: the fiber ends here, and as above.
        let mut fiber = unsafe { Fiber::new(stack, Some(self.addresses.clone()), run) };
        let outcome = fiber.resume();
        fiber.into_stack();
        match outcome {
            Outcome::Returned | Outcome::Stopped(_) => Ok(()),
            Outcome::Faulted(fault) => Err(EmulatorError::from(Report {
                thread: None,
                violation: Violation::Memory {
                    access: fault.access(),
                    place: self.state().memory.locate(fault.address),
                },
            })),
        }
    }
}
