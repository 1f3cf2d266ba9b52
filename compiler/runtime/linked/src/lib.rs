//! What a program of C links beside GPU bodies, as the static library `libneuro_gpu.a` (docs/abi.md, §GPU
//! bodies): the functions that the bodies call, and with those here what the header's functions do
//! around a body. A driver is opened where the first run begins.
//!
//! It must never print, abort or unwind: what fails is a text that the run's end gives.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};
use std::ptr::null;
use std::sync::{Arc, OnceLock};

use device::{Device, DeviceError, DriverDevice, Run};

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
    /// What the last call said.
    static TEXT: RefCell<CString> = RefCell::default();
}

/// The first device of a driver.
fn opened(driver: i32) -> Result<Arc<dyn Device>, DeviceError> {
    type Opened = OnceLock<Result<Arc<dyn Device>, DeviceError>>;
    static CUDA: Opened = OnceLock::new();
    static HIP: Opened = OnceLock::new();
    let shared = |device: DriverDevice| -> Arc<dyn Device> { Arc::new(device) };
    let device = match driver {
        NVIDIA => CUDA.get_or_init(|| DriverDevice::cuda().map(shared)),
        _ => HIP.get_or_init(|| DriverDevice::hip().map(shared)),
    };
    device.clone()
}

/// The vendors by the numbers that DLPack gives their devices; the other one is AMD's, 10.
const NVIDIA: i32 = 2;

/// Null, or a text that is there until this thread's next call.
fn said(result: Result<(), DeviceError>) -> *const c_char {
    let Err(error) = result else {
        return null();
    };
    let text = CString::new(error.to_string().replace('\0', " ")).unwrap_or_default();
    TEXT.with_borrow_mut(|last| {
        *last = text;
        last.as_ptr()
    })
}

/// Begins a run of this thread on a vendor's first device. GPU bodies are called in one. Null, or
/// why there is no device: then nothing has begun.
#[unsafe(no_mangle)]
pub extern "C" fn NeuroGpuBegin(vendor: i32) -> *const c_char {
    said(opened(vendor).map(|device| {
        // A run that was not ended ends first.
        RUN.take();
        RUN.set(Some(Run::begin(device)));
    }))
}

/// Ends the run. Null, or what failed first in it: what it wrote means nothing then.
#[unsafe(no_mangle)]
pub extern "C" fn NeuroGpuEnd() -> *const c_char {
    said(RUN.take().map_or(Ok(()), |run| run.end().map(drop)))
}

/// Copies to the device, in a run.
///
/// # Safety
/// There are that many bytes at both.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NeuroGpuWrite(to: u64, from: *const c_void, bytes: usize) {
    if bytes > 0 {
        // SAFETY: as above.
        device::write(to, unsafe {
            std::slice::from_raw_parts(from.cast(), bytes)
        });
    }
}

/// Copies from the device, in a run, after everything that it was asked to do.
///
/// # Safety
/// There are that many bytes at both.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn NeuroGpuRead(from: u64, to: *mut c_void, bytes: usize) {
    if bytes > 0 {
        // SAFETY: as above.
        device::read(from, unsafe {
            std::slice::from_raw_parts_mut(to.cast(), bytes)
        });
    }
}
