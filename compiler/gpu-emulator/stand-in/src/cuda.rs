//! `libcuda`.

use std::time::Instant;

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
    copy: cuMemcpyDtoD_v2,
    create_stream: cuStreamCreate,
    destroy_stream: cuStreamDestroy_v2,
    synchronize: cuStreamSynchronize,
    launch: cuLaunchKernel,
}

// What only the script of a GPU bundle calls.

/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, bytes: c_int, device: c_int) -> Code {
    driver::call("cuDeviceGetName", |driver| {
        driver.device(device)?;
        let text = c"stand-in".to_bytes_with_nul();
        if (bytes as usize) < text.len() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: as above.
        unsafe {
            name.cast::<u8>()
                .copy_from_nonoverlapping(text.as_ptr(), text.len())
        };
        Ok(())
    })
}

/// An event is when it was recorded.
type Event = Option<Instant>;

/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(event: *mut *mut Event, _flags: c_uint) -> Code {
    on_device("cuEventCreate", |driver| {
        driver.count("events", 1);
        // SAFETY: as above.
        unsafe { *event = Box::into_raw(Box::new(None)) };
        Ok(())
    })
}

/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord(event: *mut Event, _stream: usize) -> Code {
    on_device("cuEventRecord", |_| {
        // SAFETY: as above.
        unsafe { *event = Some(Instant::now()) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventSynchronize(_event: usize) -> Code {
    on_device("cuEventSynchronize", |_| Ok(()))
}

/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime(
    milliseconds: *mut f32,
    start: *const Event,
    end: *const Event,
) -> Code {
    on_device("cuEventElapsedTime", |_| {
        // SAFETY: as above.
        let (start, end) = unsafe { (*start, *end) };
        let (Some(start), Some(end)) = (start, end) else {
            return Err(INVALID_VALUE);
        };
        // SAFETY: as above.
        unsafe { *milliseconds = (end - start).as_secs_f32() * 1e3 };
        Ok(())
    })
}

/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy_v2(event: *mut Event) -> Code {
    on_device("cuEventDestroy_v2", |driver| {
        driver.count("events", -1);
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(event) });
        Ok(())
    })
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
