use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null;

use super::library::{Code, Function, Library};
use crate::DeviceError;

/// A module, a function or a stream of a driver: a pointer.
pub(super) type Handle = usize;

/// The functions that both drivers have, of the same C types.
pub(super) struct Calls {
    pub(super) error_name: Function<unsafe extern "C" fn(Code, *mut *const c_char) -> Code>,
    pub(super) init: Function<unsafe extern "C" fn(c_uint) -> Code>,
    pub(super) count: Function<unsafe extern "C" fn(*mut c_int) -> Code>,
    pub(super) device: Function<unsafe extern "C" fn(*mut c_int, c_int) -> Code>,
    pub(super) load: Function<Load>,
    pub(super) unload: Function<unsafe extern "C" fn(Handle) -> Code>,
    pub(super) function: Function<unsafe extern "C" fn(*mut Handle, Handle, *const c_char) -> Code>,
    pub(super) allocate: Function<unsafe extern "C" fn(*mut u64, usize) -> Code>,
    pub(super) free: Function<unsafe extern "C" fn(u64) -> Code>,
    pub(super) write: Function<unsafe extern "C" fn(u64, *const c_void, usize) -> Code>,
    pub(super) read: Function<unsafe extern "C" fn(*mut c_void, u64, usize) -> Code>,
    pub(super) copy: Function<unsafe extern "C" fn(u64, u64, usize) -> Code>,
    pub(super) create_stream: Function<unsafe extern "C" fn(*mut Handle, c_uint) -> Code>,
    pub(super) destroy_stream: Function<unsafe extern "C" fn(Handle) -> Code>,
    pub(super) synchronize: Function<unsafe extern "C" fn(Handle) -> Code>,
    pub(super) launch: Function<LaunchKernel>,
}

/// The module, its image, and options with their values, of which it may write some.
type Load =
    unsafe extern "C" fn(*mut Handle, *const c_void, c_uint, *const c_int, *mut usize) -> Code;

/// The function, blocks and threads along x, y and z, bytes of shared memory, the stream, the
/// arguments, and a null pointer.
type LaunchKernel = unsafe extern "C" fn(
    Handle,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    Handle,
    *const *const c_void,
    *const c_void,
) -> Code;

/// What a driver calls them.
pub(super) struct Names {
    pub(super) error_name: &'static str,
    pub(super) init: &'static str,
    pub(super) count: &'static str,
    pub(super) device: &'static str,
    pub(super) load: &'static str,
    pub(super) unload: &'static str,
    pub(super) function: &'static str,
    pub(super) allocate: &'static str,
    pub(super) free: &'static str,
    pub(super) write: &'static str,
    pub(super) read: &'static str,
    pub(super) copy: &'static str,
    pub(super) create_stream: &'static str,
    pub(super) destroy_stream: &'static str,
    pub(super) synchronize: &'static str,
    pub(super) launch: &'static str,
}

impl Calls {
    pub(super) fn find(library: &Library, names: &Names) -> Result<Calls, DeviceError> {
        // SAFETY: both drivers' documentation gives the functions these types.
        unsafe {
            Ok(Calls {
                error_name: library.find(names.error_name)?,
                init: library.find(names.init)?,
                count: library.find(names.count)?,
                device: library.find(names.device)?,
                load: library.find(names.load)?,
                unload: library.find(names.unload)?,
                function: library.find(names.function)?,
                allocate: library.find(names.allocate)?,
                free: library.find(names.free)?,
                write: library.find(names.write)?,
                read: library.find(names.read)?,
                copy: library.find(names.copy)?,
                create_stream: library.find(names.create_stream)?,
                destroy_stream: library.find(names.destroy_stream)?,
                synchronize: library.find(names.synchronize)?,
                launch: library.find(names.launch)?,
            })
        }
    }

    /// What a call's code says.
    pub(super) fn check<F>(&self, of: &Function<F>, code: Code) -> Result<(), DeviceError> {
        match code {
            0 => Ok(()),
            code => Err(DeviceError::Driver {
                call: of.name,
                name: self.name(code),
            }),
        }
    }

    /// The driver's name of an error.
    pub(super) fn name(&self, code: Code) -> String {
        let mut name = null();
        // SAFETY: a driver's names are constants of it.
        unsafe {
            match (self.error_name.call)(code, &mut name) {
                0 if !name.is_null() => CStr::from_ptr(name).to_string_lossy().into_owned(),
                _ => format!("error {code}"),
            }
        }
    }
}
