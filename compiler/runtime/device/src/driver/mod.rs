//! GPUs of the vendors' drivers, whose libraries are opened at run time.

mod calls;
mod cuda;
mod hip;
mod library;

use std::collections::HashMap;
use std::ffi::{CString, c_int, c_uint, c_void};
use std::ptr::null;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Device, DeviceError, Launch, keep_unreturned};
use calls::{Calls, Names};
use library::{Code, Library};

/// The first GPU of a driver.
pub struct DriverDevice {
    calls: Calls,
    chip: String,
    own: Box<dyn Own>,
    /// The images of the modules that are loaded: a driver may read one until it is given back.
    images: Mutex<HashMap<u64, Vec<u8>>>,
}

/// What a driver has of its own around the calls.
trait Own: Send + Sync {
    /// Makes the device the thread's, before it calls anything else.
    fn enter(&self, calls: &Calls) -> Result<(), DeviceError>;

    /// Gives the device back, after which nothing is called.
    fn leave(&self, calls: &Calls) -> Result<(), DeviceError>;
}

/// Which chip a device is, and how it is entered.
type Opened = (String, Box<dyn Own>);

type Open = fn(&Library, &Calls, c_int) -> Result<Opened, DeviceError>;

/// Both drivers' number of the error.
const OUT_OF_MEMORY: Code = 2;

/// `CUjit_option`s; HIP has no compiler in its driver, and looks at none.
const ERROR_LOG: c_int = 5;
const ERROR_LOG_BYTES: c_int = 6;

impl DriverDevice {
    /// The first NVIDIA GPU.
    ///
    /// # Errors
    /// [`DeviceError::NoDevice`] where there is none, or no driver of it.
    pub fn cuda() -> Result<DriverDevice, DeviceError> {
        DriverDevice::open(cuda::LIBRARIES, &cuda::NAMES, cuda::open)
    }

    /// The first AMD GPU.
    ///
    /// # Errors
    /// As of [`DriverDevice::cuda`].
    pub fn hip() -> Result<DriverDevice, DeviceError> {
        DriverDevice::open(hip::LIBRARIES, &hip::NAMES, hip::open)
    }

    /// Which chip it is: `sm_NN` of its compute capability, or `gfxNNN`.
    pub fn chip(&self) -> &str {
        &self.chip
    }

    fn open(
        libraries: &[&'static str],
        names: &Names,
        open: Open,
    ) -> Result<DriverDevice, DeviceError> {
        let library = Library::open(libraries)?;
        let calls = Calls::find(&library, names)?;
        let opened = first(&calls).and_then(|device| open(&library, &calls, device));
        match opened {
            Ok((chip, own)) => Ok(DriverDevice {
                calls,
                chip,
                own,
                images: Mutex::default(),
            }),
            Err(error @ DeviceError::NoDevice { .. }) => Err(error),
            Err(error) => Err(DeviceError::NoDevice {
                reason: error.to_string(),
            }),
        }
    }

    fn images(&self) -> MutexGuard<'_, HashMap<u64, Vec<u8>>> {
        self.images.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The functions, for a thread that has made the device its own.
    fn enter(&self) -> Result<&Calls, DeviceError> {
        self.own.enter(&self.calls)?;
        Ok(&self.calls)
    }
}

impl Drop for DriverDevice {
    fn drop(&mut self) {
        keep_unreturned(self.own.leave(&self.calls));
    }
}

fn first(calls: &Calls) -> Result<c_int, DeviceError> {
    let mut count = 0;
    let mut device = 0;
    // SAFETY: the driver writes the numbers.
    unsafe {
        calls.check(&calls.init, (calls.init.call)(0))?;
        calls.check(&calls.count, (calls.count.call)(&mut count))?;
        if count < 1 {
            let reason = "the driver has none".to_string();
            return Err(DeviceError::NoDevice { reason });
        }
        calls.check(&calls.device, (calls.device.call)(&mut device, 0))?;
    }
    Ok(device)
}

impl Device for DriverDevice {
    fn load(&self, image: &[u8]) -> Result<u64, DeviceError> {
        let calls = self.enter()?;
        // Text ends in a zero.
        let image = [image, &[0]].concat();
        let mut log = vec![0u8; 8 << 10];
        let options = [ERROR_LOG, ERROR_LOG_BYTES];
        let mut values = [log.as_mut_ptr() as usize, log.len()];
        let mut module = 0;
        // SAFETY: the driver writes the module, and at most so much of the log.
        let code = unsafe {
            (calls.load.call)(
                &mut module,
                image.as_ptr().cast(),
                options.len() as c_uint,
                options.as_ptr(),
                values.as_mut_ptr(),
            )
        };
        if code == 0 {
            self.images().insert(module as u64, image);
            return Ok(module as u64);
        }
        log.truncate(log.iter().position(|&byte| byte == 0).unwrap_or(log.len()));
        let log = String::from_utf8_lossy(&log);
        Err(match (log.trim(), calls.load.name, calls.name(code)) {
            ("", call, name) => DeviceError::Driver { call, name },
            (log, call, name) => DeviceError::Image {
                call,
                name,
                log: log.to_string(),
            },
        })
    }

    fn unload(&self, module: u64) -> Result<(), DeviceError> {
        let calls = self.enter()?;
        // SAFETY: the module is the driver's.
        calls.check(&calls.unload, unsafe {
            (calls.unload.call)(module as usize)
        })?;
        self.images().remove(&module);
        Ok(())
    }

    fn function(&self, module: u64, name: &str) -> Result<u64, DeviceError> {
        let calls = self.enter()?;
        let call = calls.function.name;
        let c_name = CString::new(name).map_err(|_| DeviceError::Wrong {
            call,
            reason: format!("{name:?} is no name"),
        })?;
        let mut function = 0;
        // SAFETY: the module is the driver's, which writes the function.
        calls.check(&calls.function, unsafe {
            (calls.function.call)(&mut function, module as usize, c_name.as_ptr())
        })?;
        Ok(function as u64)
    }

    fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
        let calls = self.enter()?;
        let mut address = 0;
        // The drivers have no buffer of no bytes.
        let size = usize::try_from(bytes.max(1)).unwrap_or(usize::MAX);
        // SAFETY: the driver writes the address.
        match unsafe { (calls.allocate.call)(&mut address, size) } {
            OUT_OF_MEMORY => Err(DeviceError::OutOfMemory {
                call: calls.allocate.name,
                name: calls.name(OUT_OF_MEMORY),
                bytes,
            }),
            code => calls.check(&calls.allocate, code).map(|()| address),
        }
    }

    fn free(&self, address: u64) -> Result<(), DeviceError> {
        let calls = self.enter()?;
        // SAFETY: the driver checks the address.
        calls.check(&calls.free, unsafe { (calls.free.call)(address) })
    }

    fn write(&self, to: u64, from: &[u8]) -> Result<(), DeviceError> {
        if from.is_empty() {
            return Ok(());
        }
        let calls = self.enter()?;
        // SAFETY: the driver checks the address, and reads the bytes.
        calls.check(&calls.write, unsafe {
            (calls.write.call)(to, from.as_ptr().cast(), from.len())
        })
    }

    fn read(&self, from: u64, to: &mut [u8]) -> Result<(), DeviceError> {
        if to.is_empty() {
            return Ok(());
        }
        let calls = self.enter()?;
        // SAFETY: the driver checks the address, and writes the bytes.
        calls.check(&calls.read, unsafe {
            (calls.read.call)(to.as_mut_ptr().cast(), from, to.len())
        })
    }

    fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), DeviceError> {
        if bytes == 0 {
            return Ok(());
        }
        let calls = self.enter()?;
        // SAFETY: the driver checks the addresses.
        calls.check(&calls.copy, unsafe {
            (calls.copy.call)(to, from, bytes as usize)
        })
    }

    fn create_stream(&self) -> Result<u64, DeviceError> {
        let calls = self.enter()?;
        let mut stream = 0;
        // SAFETY: the driver writes the stream. Copies wait for one without flags, and it for them.
        calls.check(&calls.create_stream, unsafe {
            (calls.create_stream.call)(&mut stream, 0)
        })?;
        Ok(stream as u64)
    }

    fn destroy_stream(&self, stream: u64) -> Result<(), DeviceError> {
        let calls = self.enter()?;
        // SAFETY: the stream is the driver's.
        calls.check(&calls.destroy_stream, unsafe {
            (calls.destroy_stream.call)(stream as usize)
        })
    }

    fn synchronize(&self, stream: u64) -> Result<(), DeviceError> {
        let calls = self.enter()?;
        // SAFETY: the stream is the driver's.
        calls.check(&calls.synchronize, unsafe {
            (calls.synchronize.call)(stream as usize)
        })
    }

    unsafe fn launch(&self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        let calls = self.enter()?;
        let (Ok([grid_x, grid_y, grid_z]), Ok([block_x, block_y, block_z])) =
            (numbers(launch.grid), numbers(launch.block))
        else {
            let Launch { grid, block, .. } = launch;
            return Err(DeviceError::Wrong {
                call: calls.launch.name,
                reason: format!("{grid:?} blocks of {block:?} threads are past 32 bits"),
            });
        };
        let nothing: *const c_void = null();
        // SAFETY: as the caller promises.
        calls.check(&calls.launch, unsafe {
            (calls.launch.call)(
                launch.function as usize,
                grid_x,
                grid_y,
                grid_z,
                block_x,
                block_y,
                block_z,
                launch.shared,
                launch.stream as usize,
                launch.arguments.as_ptr(),
                nothing,
            )
        })
    }
}

fn numbers(of: [u64; 3]) -> Result<[c_uint; 3], std::num::TryFromIntError> {
    let [x, y, z] = of.map(c_uint::try_from);
    Ok([x?, y?, z?])
}
