use std::fmt;
use std::sync::Arc;

use device::Device;
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

    /// The copy of a tensor that is there since it was last written, or else a new one.
    pub fn mirror_of(
        device: &Arc<dyn Device>,
        tensor: &Tensor,
    ) -> Result<Arc<DeviceTensor>, RuntimeError> {
        match tensor.mirror::<DeviceTensor>() {
            Some(mirror) if Arc::ptr_eq(&mirror.device, device) => Ok(mirror),
            _ => {
                let mirror = Arc::new(DeviceTensor::of(device, tensor)?);
                tensor.set_mirror(mirror.clone());
                Ok(mirror)
            }
        }
    }

    /// A tensor of the same elements in memory of its own.
    pub fn duplicate(&self) -> Result<DeviceTensor, RuntimeError> {
        let copy = DeviceTensor::empty(&self.device, self.scalar, &self.shape)?;
        let elements: u64 = self.shape.iter().product();
        let bytes = elements * self.scalar.bytes() as u64;
        self.device.copy(copy.address, self.address, bytes)?;
        Ok(copy)
    }

    /// A status word: all ones, nothing has failed (numerics, §Integer checks).
    pub fn status(device: &Arc<dyn Device>) -> Result<DeviceTensor, RuntimeError> {
        let word = DeviceTensor::empty(device, ScalarType::I64, &[])?;
        device.write(word.address, &u64::MAX.to_ne_bytes())?;
        Ok(word)
    }

    /// Copies the elements back. The tensor has this one as its mirror.
    pub fn fetch(self: &Arc<Self>) -> Result<Tensor, RuntimeError> {
        let mut tensor = Tensor::zeros(self.scalar, &self.shape)?;
        self.device.read(self.address, tensor.bytes_mut()?)?;
        tensor.set_mirror(self.clone());
        Ok(tensor)
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

    /// The index of the element that an address is in, if it is in one of these.
    pub fn index_of(&self, address: u64) -> Option<Vec<u64>> {
        let mut position = address.checked_sub(self.address)? / self.scalar.bytes() as u64;
        let mut index = vec![0; self.shape.len()];
        for (at, &extent) in index.iter_mut().zip(&self.shape).rev() {
            *at = position.checked_rem(extent)?;
            position /= extent;
        }
        (position == 0).then_some(index)
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
        device::keep_unreturned(self.device.free(self.address));
    }
}
