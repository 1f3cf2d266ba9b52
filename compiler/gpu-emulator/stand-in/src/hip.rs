//! `libamdhip64`.

use gpu_emulator::Vendor;

use crate::driver::enter;

driver_functions! {
    Vendor::Amd;
    error_name: hipDrvGetErrorName,
    init: hipInit,
    count: hipGetDeviceCount,
    device: hipDeviceGet,
    load: hipModuleLoadDataEx,
    unload: hipModuleUnload,
    function: hipModuleGetFunction,
    allocate: hipMalloc,
    free: hipFree,
    write: hipMemcpyHtoD,
    read: hipMemcpyDtoH,
    copy: hipMemcpyDtoD,
    create_stream: hipStreamCreateWithFlags,
    destroy_stream: hipStreamDestroy,
    synchronize: hipStreamSynchronize,
    launch: hipModuleLaunchKernel,
}

/// Where the chip's name is in `hipDeviceProp_t` of ROCm 6.
const CHIP: usize = 1160;

/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGetDevicePropertiesR0600(properties: *mut u8, device: c_int) -> Code {
    driver::call("hipGetDevicePropertiesR0600", |driver| {
        driver.device(device)?;
        let chip = driver.options.chip.as_deref();
        let chip = chip.unwrap_or("gfx942:sramecc+:xnack-").as_bytes();
        // SAFETY: as above; the name and the zero after it are short.
        unsafe {
            let name = properties.add(CHIP);
            name.copy_from_nonoverlapping(chip.as_ptr(), chip.len());
            *name.add(chip.len()) = 0;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hipSetDevice(device: c_int) -> Code {
    driver::call("hipSetDevice", |driver| {
        driver.device(device)?;
        enter(true);
        Ok(())
    })
}
