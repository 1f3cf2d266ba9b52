use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use device::{Device, DeviceError, Race};

use crate::{Access, Emulator, EmulatorError, Launch, Module, Options, Thread, Violation};

/// An emulated device behind the runtime's trait. It runs a launch when it is asked to: a stream
/// has nothing to wait for.
pub struct EmulatedDevice {
    emulator: Emulator,
    loaded: Mutex<Loaded>,
}

/// What was given out, by its number.
#[derive(Default)]
struct Loaded {
    last: u64,
    modules: HashMap<u64, Arc<Module>>,
    functions: HashMap<u64, (u64, String)>,
    streams: u64,
}

impl EmulatedDevice {
    pub fn new(options: Options) -> Result<EmulatedDevice, EmulatorError> {
        Ok(EmulatedDevice {
            emulator: Emulator::new(options)?,
            loaded: Mutex::default(),
        })
    }

    /// How many buffers, modules and streams are in use.
    pub fn in_use(&self) -> usize {
        let loaded = self.loaded();
        self.emulator.buffers() + loaded.modules.len() + loaded.streams as usize
    }

    /// How many parameters a kernel takes, by the number of its function.
    pub fn parameters(&self, function: u64) -> Option<usize> {
        let loaded = self.loaded();
        let (module, kernel) = loaded.functions.get(&function)?;
        loaded.modules.get(module)?.parameters(kernel)
    }

    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Loaded {
    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

fn failed(call: &'static str) -> impl Fn(EmulatorError) -> DeviceError {
    move |error| match error {
        EmulatorError::OutOfMemory { bytes } => DeviceError::OutOfMemory {
            call,
            name: "the emulated device is full".to_string(),
            bytes,
        },
        EmulatorError::System(name) => DeviceError::Driver { call, name },
        error => DeviceError::Wrong {
            call,
            reason: error.to_string(),
        },
    }
}

/// The failure of a launch in blocks of so many threads.
fn launch_failed(error: EmulatorError, block: [u64; 3]) -> DeviceError {
    let reason = error.to_string();
    let EmulatorError::Report(report) = &error else {
        return failed("launch")(error);
    };
    let position = |thread: &Thread| {
        [0, 1, 2].map(|axis| {
            u64::from(thread.block[axis]) * block[axis] + u64::from(thread.thread[axis])
        })
    };
    let writes = |access| !matches!(access, Access::Read(_));
    match (&report.thread, &report.violation) {
        (_, Violation::Endless { .. }) => DeviceError::Endless { reason },
        (
            Some(thread),
            &Violation::Race {
                access,
                ref other,
                other_access,
                address,
                ..
            },
        ) => DeviceError::Race {
            reason,
            race: Box::new(Race {
                address,
                threads: [position(thread), position(other)],
                write: [writes(access), writes(other_access)],
            }),
        },
        _ => failed("launch")(error),
    }
}

fn unknown(call: &'static str) -> DeviceError {
    DeviceError::Wrong {
        call,
        reason: "it was not given out".to_string(),
    }
}

impl Device for EmulatedDevice {
    fn load(&self, image: &[u8]) -> Result<u64, DeviceError> {
        let module = self.emulator.load(image).map_err(failed("load"))?;
        let mut loaded = self.loaded();
        let number = loaded.number();
        loaded.modules.insert(number, Arc::new(module));
        Ok(number)
    }

    fn unload(&self, module: u64) -> Result<(), DeviceError> {
        let mut loaded = self.loaded();
        loaded.functions.retain(|_, (of, _)| *of != module);
        let module = loaded.modules.remove(&module).and_then(Arc::into_inner);
        let module = module.ok_or_else(|| unknown("unload"))?;
        self.emulator.unload(module).map_err(failed("unload"))
    }

    fn function(&self, module: u64, name: &str) -> Result<u64, DeviceError> {
        let mut loaded = self.loaded();
        let found = loaded.modules.get(&module);
        let found = found.ok_or_else(|| unknown("function"))?;
        if !found.has(name) {
            let error = EmulatorError::UnknownKernel(name.to_string());
            return Err(failed("function")(error));
        }
        let number = loaded.number();
        loaded.functions.insert(number, (module, name.to_string()));
        Ok(number)
    }

    fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
        self.emulator.allocate(bytes).map_err(failed("allocate"))
    }

    fn free(&self, address: u64) -> Result<(), DeviceError> {
        self.emulator.free(address).map_err(failed("free"))
    }

    fn write(&self, to: u64, from: &[u8]) -> Result<(), DeviceError> {
        self.emulator.write(to, from).map_err(failed("write"))
    }

    fn read(&self, from: u64, to: &mut [u8]) -> Result<(), DeviceError> {
        self.emulator.read(from, to).map_err(failed("read"))
    }

    fn create_stream(&self) -> Result<u64, DeviceError> {
        let mut loaded = self.loaded();
        loaded.streams += 1;
        Ok(loaded.number())
    }

    fn destroy_stream(&self, _stream: u64) -> Result<(), DeviceError> {
        let mut loaded = self.loaded();
        loaded.streams = loaded.streams.saturating_sub(1);
        Ok(())
    }

    fn synchronize(&self, _stream: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    unsafe fn launch(&self, launch: &device::Launch<'_>) -> Result<(), DeviceError> {
        let (module, kernel) = {
            let loaded = self.loaded();
            let found = loaded.functions.get(&launch.function);
            let (module, kernel) = found.ok_or_else(|| unknown("launch"))?;
            let module = loaded.modules.get(module);
            let module = module.ok_or_else(|| unknown("launch"))?;
            (module.clone(), kernel.clone())
        };
        if launch.shared > 0 {
            let reason = "it asks for shared memory beyond its own".to_string();
            return Err(failed("launch")(EmulatorError::Limit { kernel, reason }));
        }
        let block = launch.block;
        let launch = Launch {
            kernel: &kernel,
            grid: launch.grid,
            block: launch.block,
            arguments: launch.arguments,
        };
        // SAFETY: as the caller promises.
        unsafe { self.emulator.launch(&module, &launch) }
            .map_err(|error| launch_failed(error, block))
    }

    unsafe fn host(&self, run: &mut dyn FnMut()) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { self.emulator.host(run) }.map_err(failed("run"))
    }
}
