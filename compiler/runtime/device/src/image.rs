use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Device, DeviceError, keep_unreturned};

/// A module of kernels that the host code has. It is loaded where a kernel of it is first asked
/// for: a program that launches none runs where there is no GPU.
pub(crate) struct Image {
    bytes: &'static [u8],
    loaded: Mutex<Vec<Loaded>>,
}

/// An image in a device.
struct Loaded {
    device: Arc<dyn Device>,
    module: u64,
    functions: HashMap<String, u64>,
}

impl Image {
    /// # Safety
    /// The bytes are there for as long as the image: both are the host code's.
    pub(crate) unsafe fn new(bytes: &[u8]) -> Image {
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) };
        Image {
            bytes,
            loaded: Mutex::default(),
        }
    }

    /// A kernel of the image in a device.
    pub(crate) fn function(
        &self,
        device: &Arc<dyn Device>,
        name: &str,
    ) -> Result<u64, DeviceError> {
        let mut all = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let place = all.iter().position(|one| Arc::ptr_eq(&one.device, device));
        let place = match place {
            Some(place) => place,
            None => {
                all.push(Loaded {
                    module: device.load(self.bytes)?,
                    device: device.clone(),
                    functions: HashMap::new(),
                });
                all.len() - 1
            }
        };
        let loaded = &mut all[place];
        if let Some(&function) = loaded.functions.get(name) {
            return Ok(function);
        }
        let function = device.function(loaded.module, name)?;
        loaded.functions.insert(name.to_string(), function);
        Ok(function)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let loaded = self
            .loaded
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        for one in loaded {
            keep_unreturned(one.device.unload(one.module));
        }
    }
}
