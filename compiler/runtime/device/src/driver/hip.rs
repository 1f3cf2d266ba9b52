//! HIP's driver: `libamdhip64`, of ROCm 6 or newer.

use std::ffi::{CStr, c_char, c_int};

use super::calls::{Calls, Names};
use super::library::{Code, Function, Library};
use super::{Opened, Own};
use crate::DeviceError;

pub(super) const LIBRARIES: &[&str] = match cfg!(windows) {
    true => &["amdhip64_7.dll", "amdhip64_6.dll"],
    false => &["libamdhip64.so.7", "libamdhip64.so.6"],
};

pub(super) const NAMES: Names = Names {
    error_name: "hipDrvGetErrorName",
    init: "hipInit",
    count: "hipGetDeviceCount",
    device: "hipDeviceGet",
    load: "hipModuleLoadDataEx",
    unload: "hipModuleUnload",
    function: "hipModuleGetFunction",
    allocate: "hipMalloc",
    free: "hipFree",
    write: "hipMemcpyHtoD",
    read: "hipMemcpyDtoH",
    copy: "hipMemcpyDtoD",
    create_stream: "hipStreamCreateWithFlags",
    destroy_stream: "hipStreamDestroy",
    synchronize: "hipStreamSynchronize",
    launch: "hipModuleLaunchKernel",
};

/// `hipDeviceProp_t` of ROCm 6 on, which only says here which chip it is. What a later one has more
/// lies at its end.
#[repr(C, align(8))]
struct Properties {
    before: [u8; 1160],
    chip: [c_char; 256],
    after: [u8; 4096 - 1160 - 256],
}

/// The device, which every thread that calls the driver makes its own.
struct Current {
    device: c_int,
    set: Function<unsafe extern "C" fn(c_int) -> Code>,
}

/// The chip is `gfxNNN`, without what of it is switched on or off.
pub(super) fn open(library: &Library, calls: &Calls, device: c_int) -> Result<Opened, DeviceError> {
    type GetProperties = unsafe extern "C" fn(*mut Properties, c_int) -> Code;
    // SAFETY: the driver's documentation gives the functions these types.
    let (get, set) = unsafe {
        (
            library.find::<GetProperties>("hipGetDevicePropertiesR0600")?,
            library.find("hipSetDevice")?,
        )
    };
    let mut properties = Box::new(Properties {
        before: [0; _],
        chip: [0; _],
        after: [0; _],
    });
    // SAFETY: the driver writes the properties.
    let code = unsafe { (get.call)(&mut *properties, device) };
    calls.check(&get, code)?;
    if let Some(last) = properties.chip.last_mut() {
        *last = 0;
    }
    // SAFETY: it ends in a zero.
    let name = unsafe { CStr::from_ptr(properties.chip.as_ptr()) };
    let name = name.to_string_lossy();
    let chip = name.split(':').next().unwrap_or_default().to_string();
    Ok((chip, Box::new(Current { device, set })))
}

impl Own for Current {
    fn enter(&self, calls: &Calls) -> Result<(), DeviceError> {
        // SAFETY: the device is one of the driver's.
        calls.check(&self.set, unsafe { (self.set.call)(self.device) })
    }

    fn leave(&self, _: &Calls) -> Result<(), DeviceError> {
        Ok(())
    }
}
