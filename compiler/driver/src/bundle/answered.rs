use std::sync::atomic::{AtomicU64, Ordering};

use runtime::{Device, DeviceError, Launch};
use tensor::Tensor;

/// A device that runs nothing, and answers every read with the result that is known.
pub struct Answered {
    result: Tensor,
    last: AtomicU64,
}

impl Answered {
    pub fn new(result: Tensor) -> Answered {
        let last = AtomicU64::new(0);
        Answered { result, last }
    }

    /// Numbers as far apart as buffers of so many bytes.
    fn next(&self, bytes: u64) -> Result<u64, DeviceError> {
        Ok(256 + self.last.fetch_add(bytes + 256, Ordering::Relaxed))
    }
}

impl Device for Answered {
    fn load(&self, _image: &[u8]) -> Result<u64, DeviceError> {
        self.next(0)
    }

    fn unload(&self, _module: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    fn function(&self, _module: u64, _name: &str) -> Result<u64, DeviceError> {
        self.next(0)
    }

    fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
        self.next(bytes)
    }

    fn free(&self, _address: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    fn write(&self, _to: u64, _from: &[u8]) -> Result<(), DeviceError> {
        Ok(())
    }

    fn read(&self, _from: u64, to: &mut [u8]) -> Result<(), DeviceError> {
        let bytes = self.result.bytes();
        if bytes.len() != to.len() {
            let reason = format!(
                "{} bytes were asked for, {} are known",
                to.len(),
                bytes.len()
            );
            return Err(DeviceError::Wrong {
                call: "read",
                reason,
            });
        }
        to.copy_from_slice(bytes);
        Ok(())
    }

    fn copy(&self, _to: u64, _from: u64, _bytes: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    fn create_stream(&self) -> Result<u64, DeviceError> {
        self.next(0)
    }

    fn destroy_stream(&self, _stream: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    fn synchronize(&self, _stream: u64) -> Result<(), DeviceError> {
        Ok(())
    }

    unsafe fn launch(&self, _launch: &Launch<'_>) -> Result<(), DeviceError> {
        Ok(())
    }
}
