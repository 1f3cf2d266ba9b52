//! `libcuda`.

use gpu_emulator::Vendor;

use crate::driver::{INVALID_VALUE, enter};

driver_functions! {
    Vendor::Nvidia;
    error_name: cuGetErrorName,
    init: cuInit,
    count: cuDeviceGetCount,
    device: cuDeviceGet,
    load: cuModuleLoadDataEx,
    unload: cuModuleUnload,
    function: cuModuleGetFunction,
    allocate: cuMemAlloc_v2,
    free: cuMemFree_v2,
    write: cuMemcpyHtoD_v2,
    read: cuMemcpyDtoH_v2,
    create_stream: cuStreamCreate,
    destroy_stream: cuStreamDestroy_v2,
    synchronize: cuStreamSynchronize,
    launch: cuLaunchKernel,
}

/// The one context that there is.
const CONTEXT: usize = 1;

/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    device: c_int,
) -> Code {
    driver::call("cuDeviceGetAttribute", |driver| {
        driver.device(device)?;
        let chip = driver.options.chip.as_deref().unwrap_or("9.0");
        let (major, minor) = chip.split_once('.').ok_or(INVALID_VALUE)?;
        let number = match attribute {
            75 => major.parse(),
            76 => minor.parse(),
            _ => return Err(INVALID_VALUE),
        };
        // SAFETY: as above.
        unsafe { *value = number.map_err(|_| INVALID_VALUE)? };
        Ok(())
    })
}

/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut usize, device: c_int) -> Code {
    driver::call("cuDevicePrimaryCtxRetain", |driver| {
        driver.device(device)?;
        driver.count("contexts", 1);
        // SAFETY: as above.
        unsafe { *context = CONTEXT };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> Code {
    driver::call("cuDevicePrimaryCtxRelease_v2", |driver| {
        driver.device(device)?;
        driver.count("contexts", -1);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetCurrent(context: usize) -> Code {
    driver::call("cuCtxSetCurrent", |_| {
        enter(context == CONTEXT);
        Ok(())
    })
}
