use std::ffi::c_int;

use crate::DeviceError;

/// A driver's library, found as the system finds libraries. It stays loaded: a driver has threads
/// of its own.
pub(super) struct Library {
    name: &'static str,
    library: &'static libloading::Library,
}

/// What a driver's functions answer: 0, or the number of an error.
pub(super) type Code = c_int;

/// A function of a driver.
#[derive(Clone, Copy)]
pub(super) struct Function<F> {
    pub(super) name: &'static str,
    pub(super) call: F,
}

impl Library {
    /// Opens the first of these that there is.
    pub(super) fn open(names: &[&'static str]) -> Result<Library, DeviceError> {
        let mut reasons = Vec::new();
        for &name in names {
            // SAFETY: what a driver's library does when it is loaded is the driver's business.
            match unsafe { libloading::Library::new(name) } {
                Ok(library) => {
                    let library = Box::leak(Box::new(library));
                    return Ok(Library { name, library });
                }
                Err(error) => reasons.push(error.to_string()),
            }
        }
        let reason = reasons.join("; ");
        Err(DeviceError::NoDevice { reason })
    }

    /// # Safety
    /// `F` is the type of the function's address.
    pub(super) unsafe fn find<F: Copy>(
        &self,
        name: &'static str,
    ) -> Result<Function<F>, DeviceError> {
        // SAFETY: as above.
        match unsafe { self.library.get::<F>(name.as_bytes()) } {
            Ok(found) => Ok(Function { name, call: *found }),
            Err(_) => {
                let reason = format!("`{}` has no function `{name}`", self.name);
                Err(DeviceError::NoDevice { reason })
            }
        }
    }
}
