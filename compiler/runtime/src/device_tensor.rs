use std::fmt;
use std::sync::Arc;

use device::{Device, DeviceError};
use shared_types::ScalarType;
use tensor::{Tensor, TensorError};

use crate::RuntimeError;

/// A row-major tensor in a device's memory, which is given back when this is dropped.
pub struct DeviceTensor {
    device: Arc<dyn Device>,
    address: u64,
    scalar: ScalarType,
    shape: Vec<u64>,
}

impl DeviceTensor {
    /// Memory for a tensor: its elements are whatever was there.
    pub fn empty(
        device: &Arc<dyn Device>,
        scalar: ScalarType,
        shape: &[u64],
    ) -> Result<DeviceTensor, RuntimeError> {
        let size = scalar.bytes() as u64;
        let bytes = shape
            .iter()
            .try_fold(size, |bytes, &extent| bytes.checked_mul(extent));
        let bytes = bytes.ok_or(TensorError::OutOfMemory { bytes: usize::MAX })?;
        Ok(DeviceTensor {
            device: device.clone(),
            address: device.allocate(bytes)?,
            scalar,
            shape: shape.to_vec(),
        })
    }

    /// A copy of a tensor.
    pub fn of(device: &Arc<dyn Device>, tensor: &Tensor) -> Result<DeviceTensor, RuntimeError> {
        let copy = DeviceTensor::empty(device, tensor.scalar_type(), tensor.shape())?;
        device.write(copy.address, tensor.bytes())?;
        Ok(copy)
    }

    /// A status word: all ones, nothing has failed (numerics, §Integer checks).
    pub fn status(device: &Arc<dyn Device>) -> Result<DeviceTensor, RuntimeError> {
        let word = DeviceTensor::empty(device, ScalarType::I64, &[])?;
        device.write(word.address, &u64::MAX.to_ne_bytes())?;
        Ok(word)
    }

    /// Copies the elements back, into a tensor of the same type.
    pub fn read(&self, to: &mut Tensor) -> Result<(), RuntimeError> {
        if to.scalar_type() != self.scalar || to.shape() != self.shape {
            return Err(RuntimeError::Argument {
                symbol: "read".to_string(),
                index: 0,
                expected: self.to_string(),
                found: format!("a Tensor<{}, {:?}>", to.scalar_type(), to.shape()),
            });
        }
        Ok(self.device.read(self.address, to.bytes_mut()?)?)
    }

    /// The word of a status word.
    pub fn read_status(&self) -> Result<u64, RuntimeError> {
        let mut bytes = [0; 8];
        self.device.read(self.address, &mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    pub fn scalar_type(&self) -> ScalarType {
        self.scalar
    }

    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    pub(crate) fn is_status(&self) -> bool {
        self.scalar == ScalarType::I64 && self.shape.is_empty()
    }
}

impl fmt::Display for DeviceTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a Tensor<{}, {:?}>", self.scalar, self.shape)
    }
}

impl Drop for DeviceTensor {
    fn drop(&mut self) {
        // A failure here has nobody to hear it; the next call of the device has it again.
        let _: Result<(), DeviceError> = self.device.free(self.address);
    }
}
