//! CUDA's driver: `libcuda`.

use std::ffi::c_int;

use super::calls::{Calls, Handle, Names};
use super::library::{Code, Function, Library};
use super::{Opened, Own};
use crate::DeviceError;

pub(super) const LIBRARIES: &[&str] = match cfg!(windows) {
    true => &["nvcuda.dll"],
    false => &["libcuda.so.1"],
};

pub(super) const NAMES: Names = Names {
    error_name: "cuGetErrorName",
    init: "cuInit",
    count: "cuDeviceGetCount",
    device: "cuDeviceGet",
    load: "cuModuleLoadDataEx",
    unload: "cuModuleUnload",
    function: "cuModuleGetFunction",
    allocate: "cuMemAlloc_v2",
    free: "cuMemFree_v2",
    write: "cuMemcpyHtoD_v2",
    read: "cuMemcpyDtoH_v2",
    copy: "cuMemcpyDtoD_v2",
    create_stream: "cuStreamCreate",
    destroy_stream: "cuStreamDestroy_v2",
    synchronize: "cuStreamSynchronize",
    launch: "cuLaunchKernel",
};

/// `CUdevice_attribute`s: the two numbers of the compute capability.
const MAJOR: c_int = 75;
const MINOR: c_int = 76;

/// The device's primary context, which every thread that calls the driver makes its own.
struct Context {
    device: c_int,
    context: Handle,
    set: Function<unsafe extern "C" fn(Handle) -> Code>,
    release: Function<unsafe extern "C" fn(c_int) -> Code>,
}

/// The chip is `sm_NN`, of the compute capability.
pub(super) fn open(library: &Library, calls: &Calls, device: c_int) -> Result<Opened, DeviceError> {
    type Attribute = unsafe extern "C" fn(*mut c_int, c_int, c_int) -> Code;
    type Retain = unsafe extern "C" fn(*mut Handle, c_int) -> Code;
    // SAFETY: the driver's documentation gives the functions these types.
    let (attribute, retain, set, release) = unsafe {
        (
            library.find::<Attribute>("cuDeviceGetAttribute")?,
            library.find::<Retain>("cuDevicePrimaryCtxRetain")?,
            library.find("cuCtxSetCurrent")?,
            library.find("cuDevicePrimaryCtxRelease_v2")?,
        )
    };
    let number = |which| {
        let mut number = 0;
        // SAFETY: the driver writes the number.
        let code = unsafe { (attribute.call)(&mut number, which, device) };
        calls.check(&attribute, code).map(|()| number)
    };
    let chip = format!("sm_{}{}", number(MAJOR)?, number(MINOR)?);
    let mut context = 0;
    // SAFETY: the driver writes the context.
    let code = unsafe { (retain.call)(&mut context, device) };
    calls.check(&retain, code)?;
    let context = Context {
        device,
        context,
        set,
        release,
    };
    Ok((chip, Box::new(context)))
}

impl Own for Context {
    fn enter(&self, calls: &Calls) -> Result<(), DeviceError> {
        // SAFETY: the context is retained.
        calls.check(&self.set, unsafe { (self.set.call)(self.context) })
    }

    fn leave(&self, calls: &Calls) -> Result<(), DeviceError> {
        // SAFETY: it was retained once.
        calls.check(&self.release, unsafe { (self.release.call)(self.device) })
    }
}
