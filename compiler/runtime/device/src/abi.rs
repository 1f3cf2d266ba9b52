//! The functions that MLIR's host code declares, under their names: programs are linked with them.

use std::ffi::{CStr, c_char, c_void};

use crate::Launch;
use crate::image::Image;
use crate::session::{give_back, with};

/// The functions of the ABI by name: host code that is loaded at run time finds them by these.
pub fn symbols() -> [(&'static str, usize); 10] {
    [
        ("mgpuModuleLoad", module_load as *const () as usize),
        ("mgpuModuleLoadJIT", module_load_jit as *const () as usize),
        ("mgpuModuleUnload", module_unload as *const () as usize),
        (
            "mgpuModuleGetFunction",
            module_get_function as *const () as usize,
        ),
        ("mgpuLaunchKernel", launch_kernel as *const () as usize),
        ("mgpuStreamCreate", stream_create as *const () as usize),
        (
            "mgpuStreamSynchronize",
            stream_synchronize as *const () as usize,
        ),
        ("mgpuStreamDestroy", stream_destroy as *const () as usize),
        ("_mlir_memref_to_llvm_alloc", alloc as *const () as usize),
        ("_mlir_memref_to_llvm_free", free as *const () as usize),
    ]
}

/// Host code calls it when it is loaded: nothing is done yet, and no device is needed.
///
/// # Safety
/// There are that many bytes, until the module is unloaded.
#[unsafe(export_name = "mgpuModuleLoad")]
unsafe extern "C" fn module_load(data: *const u8, size: usize) -> *mut Image {
    // SAFETY: as above.
    let image = unsafe { Image::new(std::slice::from_raw_parts(data, size)) };
    Box::into_raw(Box::new(image))
}

/// The same for assembly, whose zero at the end counts.
///
/// # Safety
/// As of [`module_load`].
#[unsafe(export_name = "mgpuModuleLoadJIT")]
unsafe extern "C" fn module_load_jit(
    data: *const u8,
    _optimization: i32,
    size: usize,
) -> *mut Image {
    // SAFETY: as above.
    unsafe { module_load(data, size) }
}

/// # Safety
/// The image is of [`module_load`], and not unloaded yet.
#[unsafe(export_name = "mgpuModuleUnload")]
unsafe extern "C" fn module_unload(image: *mut Image) {
    // SAFETY: as above.
    drop(unsafe { Box::from_raw(image) });
}

/// # Safety
/// The image is loaded, and the name ends in a zero.
#[unsafe(export_name = "mgpuModuleGetFunction")]
unsafe extern "C" fn module_get_function(image: *const Image, name: *const c_char) -> u64 {
    with(|session| {
        // SAFETY: as above.
        let (image, name) = unsafe { (&*image, CStr::from_ptr(name)) };
        image.function(&session.device, &name.to_string_lossy())
    })
}

/// # Safety
/// The function is of [`module_get_function`], and there are that many arguments, of its types.
#[unsafe(export_name = "mgpuLaunchKernel")]
unsafe extern "C" fn launch_kernel(
    function: u64,
    grid_x: u64,
    grid_y: u64,
    grid_z: u64,
    block_x: u64,
    block_y: u64,
    block_z: u64,
    shared: u32,
    stream: u64,
    arguments: *const *const c_void,
    _extra: *const *const c_void,
    count: usize,
) {
    with(|session| {
        let arguments = match count {
            0 => &[],
            // SAFETY: as above.
            _ => unsafe { std::slice::from_raw_parts(arguments, count) },
        };
        let launch = Launch {
            function,
            grid: [grid_x, grid_y, grid_z],
            block: [block_x, block_y, block_z],
            shared,
            stream,
            arguments,
        };
        // SAFETY: as above.
        unsafe { session.device.launch(&launch)? };
        session.launched();
        Ok(0)
    });
}

#[unsafe(export_name = "mgpuStreamCreate")]
extern "C" fn stream_create() -> u64 {
    with(|session| session.create_stream())
}

#[unsafe(export_name = "mgpuStreamSynchronize")]
extern "C" fn stream_synchronize(stream: u64) {
    with(|session| session.device.synchronize(stream).map(|()| 0));
}

#[unsafe(export_name = "mgpuStreamDestroy")]
extern "C" fn stream_destroy(stream: u64) {
    give_back(|session| match stream {
        0 => Ok(()),
        _ => session.destroy_stream(stream),
    });
}

#[unsafe(export_name = "_mlir_memref_to_llvm_alloc")]
extern "C" fn alloc(bytes: u64) -> u64 {
    with(|session| session.allocate(bytes))
}

#[unsafe(export_name = "_mlir_memref_to_llvm_free")]
extern "C" fn free(address: u64) {
    give_back(|session| match address {
        0 => Ok(()),
        _ => session.free(address),
    });
}
