use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::fmt::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

use device::{Device, DeviceError, Launch};
use gpu_emulator::{EmulatedDevice, Options as Emulation, Vendor};
use xxhash_rust::xxh3::xxh3_64;

use crate::image;
use crate::options::Options;

/// What a driver's functions answer.
pub(crate) type Code = i32;

/// Both vendors' numbers of these errors.
pub(crate) const INVALID_VALUE: Code = 1;
const OUT_OF_MEMORY: Code = 2;
const NOT_INITIALIZED: Code = 3;
const NO_DEVICE: Code = 100;
const INVALID_DEVICE: Code = 101;
const INVALID_CONTEXT: Code = 201;
const NO_BINARY: Code = 209;
const INVALID_PTX: Code = 218;
const NOT_FOUND: Code = 500;
const ILLEGAL_ADDRESS: Code = 700;

/// The names of errors by CUDA and by HIP.
const NAMES: &[(Code, &CStr, &CStr)] = &[
    (0, c"CUDA_SUCCESS", c"hipSuccess"),
    (1, c"CUDA_ERROR_INVALID_VALUE", c"hipErrorInvalidValue"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY", c"hipErrorOutOfMemory"),
    (3, c"CUDA_ERROR_NOT_INITIALIZED", c"hipErrorNotInitialized"),
    (100, c"CUDA_ERROR_NO_DEVICE", c"hipErrorNoDevice"),
    (101, c"CUDA_ERROR_INVALID_DEVICE", c"hipErrorInvalidDevice"),
    (
        201,
        c"CUDA_ERROR_INVALID_CONTEXT",
        c"hipErrorInvalidContext",
    ),
    (
        209,
        c"CUDA_ERROR_NO_BINARY_FOR_GPU",
        c"hipErrorNoBinaryForGpu",
    ),
    (218, c"CUDA_ERROR_INVALID_PTX", c"hipErrorInvalidKernelFile"),
    (500, c"CUDA_ERROR_NOT_FOUND", c"hipErrorNotFound"),
    (
        700,
        c"CUDA_ERROR_ILLEGAL_ADDRESS",
        c"hipErrorIllegalAddress",
    ),
    (719, c"CUDA_ERROR_LAUNCH_FAILED", c"hipErrorLaunchFailure"),
];

/// The driver that a process has.
pub(crate) struct Driver {
    vendor: Vendor,
    pub(crate) options: Options,
    device: EmulatedDevice,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    calls: BTreeMap<&'static str, u64>,
    left: BTreeMap<&'static str, i64>,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();

thread_local! {
    /// Whether the thread has made the device its own.
    static ENTERED: Cell<bool> = const { Cell::new(false) };
}

/// # Safety
/// The name can be written.
pub(crate) unsafe fn error_name(vendor: Vendor, code: Code, name: *mut *const c_char) -> Code {
    let found = NAMES.iter().find(|(known, _, _)| *known == code);
    let text = found.map_or(std::ptr::null(), |(_, cuda, hip)| match vendor {
        Vendor::Nvidia => cuda.as_ptr(),
        Vendor::Amd => hip.as_ptr(),
    });
    // SAFETY: as above.
    unsafe { *name = text };
    if found.is_some() { 0 } else { INVALID_VALUE }
}

/// A call of the driver before which no other is needed.
pub(crate) fn start(
    vendor: Vendor,
    function: &'static str,
    act: impl FnOnce(&Driver) -> Result<(), Code>,
) -> Code {
    let driver = DRIVER.get_or_init(|| Driver::new(vendor));
    let mut counts = driver.counts.lock().unwrap_or_else(PoisonError::into_inner);
    let count = counts.calls.entry(function).or_default();
    *count += 1;
    let number = *count;
    drop(counts);
    match &driver.options.fail {
        Some(fail) if fail.function == function && fail.number == number => fail.code,
        _ => act(driver).err().unwrap_or(0),
    }
}

/// Another, after the driver's start.
pub(crate) fn call(function: &'static str, act: impl FnOnce(&Driver) -> Result<(), Code>) -> Code {
    match DRIVER.get() {
        Some(driver) => start(driver.vendor, function, act),
        None => NOT_INITIALIZED,
    }
}

/// Another that needs the device to be the thread's own.
pub(crate) fn on_device(
    function: &'static str,
    act: impl FnOnce(&Driver) -> Result<(), Code>,
) -> Code {
    call(function, |driver| match ENTERED.get() {
        true => act(driver),
        false => Err(INVALID_CONTEXT),
    })
}

/// Makes the device the thread's own, or not.
pub(crate) fn enter(entered: bool) {
    ENTERED.set(entered);
}

extern "C" fn report() {
    if let Some(driver) = DRIVER.get()
        && let Some(path) = &driver.options.report
    {
        let counts = driver.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        for (function, count) in &counts.calls {
            let _ = writeln!(text, "calls {function} {count}");
        }
        for (kind, count) in &counts.left {
            let _ = writeln!(text, "left {kind} {count}");
        }
        std::fs::write(path, text).expect("the report can be written");
    }
}

impl Driver {
    fn new(vendor: Vendor) -> Driver {
        let emulation = Emulation {
            seed: 1,
            checked: true,
            ..Emulation::new(vendor)
        };
        // SAFETY: the function touches nothing that the process' end takes away.
        unsafe { libc::atexit(report) };
        Driver {
            vendor,
            options: Options::read(),
            device: EmulatedDevice::new(emulation).expect("this system can emulate a device"),
            counts: Mutex::default(),
        }
    }

    pub(crate) fn init(&self, flags: u32) -> Result<(), Code> {
        match (flags, self.options.devices) {
            (0, 1..) => Ok(()),
            (0, _) => Err(NO_DEVICE),
            _ => Err(INVALID_VALUE),
        }
    }

    /// Counts what is given out, or back.
    pub(crate) fn count(&self, kind: &'static str, by: i64) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.left.entry(kind).or_default() += by;
    }

    pub(crate) fn device(&self, ordinal: i32) -> Result<(), Code> {
        match (0..self.options.devices).contains(&ordinal) {
            true => Ok(()),
            false => Err(INVALID_DEVICE),
        }
    }

    /// Loads what an image is compiled to for the emulator; says in `log` why not.
    ///
    /// # Safety
    /// It is PTX or an ELF file.
    pub(crate) unsafe fn load(&self, image: *const c_void, log: &mut [u8]) -> Result<u64, Code> {
        // SAFETY: as above.
        let bytes = unsafe { image::bytes(image) };
        let mut refuse = |text: String| {
            let count = text.len().min(log.len().saturating_sub(1));
            log[..count].copy_from_slice(&text.as_bytes()[..count]);
            match self.vendor {
                Vendor::Nvidia => INVALID_PTX,
                Vendor::Amd => NO_BINARY,
            }
        };
        let name = format!("{:016x}.bc", xxh3_64(bytes));
        let folder = self.options.kernels.clone().unwrap_or_default();
        let bitcode = std::fs::read(folder.join(&name))
            .map_err(|error| refuse(format!("no kernels {name}: {error}")))?;
        let module = self
            .device
            .load(&bitcode)
            .map_err(|error| refuse(error.to_string()))?;
        self.count("modules", 1);
        Ok(module)
    }

    pub(crate) fn unload(&self, module: u64) -> Result<(), Code> {
        self.device.unload(module).map_err(code)?;
        self.count("modules", -1);
        Ok(())
    }

    /// # Safety
    /// The name ends in a zero.
    pub(crate) unsafe fn function(&self, module: u64, name: *const c_char) -> Result<u64, Code> {
        // SAFETY: as above.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        self.device.function(module, &name).map_err(|_| NOT_FOUND)
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Result<u64, Code> {
        if bytes == 0 {
            return Err(INVALID_VALUE);
        }
        let address = self.device.allocate(bytes as u64).map_err(code)?;
        self.count("buffers", 1);
        Ok(address)
    }

    pub(crate) fn free(&self, address: u64) -> Result<(), Code> {
        self.device.free(address).map_err(code)?;
        self.count("buffers", -1);
        Ok(())
    }

    /// # Safety
    /// There are that many bytes.
    pub(crate) unsafe fn write(&self, to: u64, from: *const u8, count: usize) -> Result<(), Code> {
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts(from, count) };
        self.device.write(to, bytes).map_err(code)
    }

    /// # Safety
    /// As of [`Driver::write`].
    pub(crate) unsafe fn read(&self, to: *mut u8, from: u64, count: usize) -> Result<(), Code> {
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts_mut(to, count) };
        self.device.read(from, bytes).map_err(code)
    }

    pub(crate) fn copy(&self, to: u64, from: u64, count: usize) -> Result<(), Code> {
        self.device.copy(to, from, count as u64).map_err(code)
    }

    pub(crate) fn create_stream(&self) -> Result<u64, Code> {
        let stream = self.device.create_stream().map_err(code)?;
        self.count("streams", 1);
        Ok(stream)
    }

    pub(crate) fn destroy_stream(&self, stream: u64) -> Result<(), Code> {
        self.device.destroy_stream(stream).map_err(code)?;
        self.count("streams", -1);
        Ok(())
    }

    /// Runs a launch at once.
    ///
    /// # Safety
    /// There is an argument of the right type for each of the function's parameters.
    pub(crate) unsafe fn launch(
        &self,
        function: u64,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        stream: u64,
        arguments: *const *const c_void,
    ) -> Result<(), Code> {
        let count = self.device.parameters(function).ok_or(INVALID_VALUE)?;
        let arguments = match count {
            0 => &[],
            // SAFETY: as above.
            _ => unsafe { std::slice::from_raw_parts(arguments, count) },
        };
        let launch = Launch {
            function,
            grid: grid.map(u64::from),
            block: block.map(u64::from),
            shared,
            stream,
            arguments,
        };
        // SAFETY: as above.
        unsafe { self.device.launch(&launch) }.map_err(code)
    }
}

/// The error that a driver would have. What the emulator found goes to standard error.
fn code(error: DeviceError) -> Code {
    match error {
        DeviceError::OutOfMemory { .. } => OUT_OF_MEMORY,
        error => {
            eprintln!("stand-in: {error}");
            ILLEGAL_ADDRESS
        }
    }
}
