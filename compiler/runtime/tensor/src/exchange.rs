use std::ptr::NonNull;

use shared_types::ScalarType;

use crate::buffer::{self, ALIGNMENT, Managed};
use crate::dlpack::{DEVICE_CPU, DLDataType, DLManagedTensorVersioned, DLTensor, VERSION};
use crate::{Tensor, TensorError, scalar as scalars};

/// Why another library's tensor is not one of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DlpackError {
    #[error("the DLPack tensor is a null pointer")]
    Null,
    #[error("DLPack version {VERSION}.x was expected, {found} was found", VERSION = VERSION.major)]
    Version { found: u32 },
    #[error("a tensor on the CPU was expected, this one is on a device of type {device_type}")]
    Device { device_type: i32 },
    #[error("elements of type {expected} were expected, these are {found:?}")]
    Element {
        expected: ScalarType,
        found: DLDataType,
    },
    #[error("the rank or an extent is negative, or the shape is missing")]
    Shape,
    #[error("a compact row-major tensor was expected, this one has the strides {strides:?}")]
    Strides { strides: Vec<i64> },
    #[error("data aligned to {ALIGNMENT} bytes was expected")]
    Alignment,
    #[error(transparent)]
    Tensor(#[from] TensorError),
}

impl Tensor {
    /// Hands the data over, copied first where it is shared. The taker calls the deleter.
    pub fn into_dlpack(self) -> Result<*mut DLManagedTensorVersioned, TensorError> {
        self.into_managed().map(Managed::into_raw)
    }

    /// Takes another library's tensor over, without a copy where it has elements. A refused one
    /// stays the caller's.
    ///
    /// # Safety
    /// `managed` is null, or a live managed tensor that the caller owns, whose data is initialized
    /// and written by nobody else from now on.
    pub unsafe fn from_dlpack(
        managed: *mut DLManagedTensorVersioned,
        scalar: ScalarType,
    ) -> Result<Tensor, DlpackError> {
        let raw = NonNull::new(managed).ok_or(DlpackError::Null)?;
        // SAFETY: the caller's promise.
        let found = unsafe { raw.as_ref() };
        if found.version.major != VERSION.major {
            return Err(DlpackError::Version {
                found: found.version.major,
            });
        }
        // SAFETY: the caller's promise: the structure is what its version says.
        let shape = unsafe { check(&found.dl_tensor, scalar) }?;
        let elements = buffer::count(scalar, &shape)?;
        if elements == 0 {
            let empty = Tensor::zeros(scalar, &shape)?;
            // SAFETY: the caller's promise; it has no data, which may then be null. Dropping it
            // runs the deleter.
            drop(unsafe { Managed::adopt(raw) });
            return Ok(empty);
        }
        let start = found.dl_tensor.data.cast::<u8>();
        let data = start.wrapping_add(found.dl_tensor.byte_offset as usize);
        if start.is_null() || !data.addr().is_multiple_of(ALIGNMENT) {
            return Err(DlpackError::Alignment);
        }
        // SAFETY: the caller's promise; the data has this many bytes.
        scalars::check(scalar, unsafe {
            std::slice::from_raw_parts(data, elements * scalar.bytes())
        })?;
        // SAFETY: all that `Managed` promises was checked, or is the caller's promise.
        let managed = unsafe { Managed::adopt(raw) };
        Ok(Tensor::from_managed(scalar, elements, managed))
    }
}

/// The extents of a tensor that we can hold.
///
/// # Safety
/// The tensor's shape and strides point to `ndim` values each, or are null.
unsafe fn check(tensor: &DLTensor, scalar: ScalarType) -> Result<Vec<u64>, DlpackError> {
    if tensor.device.device_type != DEVICE_CPU {
        return Err(DlpackError::Device {
            device_type: tensor.device.device_type,
        });
    }
    if tensor.dtype != DLDataType::of(scalar) {
        return Err(DlpackError::Element {
            expected: scalar,
            found: tensor.dtype,
        });
    }
    let rank = usize::try_from(tensor.ndim).map_err(|_| DlpackError::Shape)?;
    // SAFETY: the caller's promise.
    let extents = unsafe { values(tensor.shape, rank) }.ok_or(DlpackError::Shape)?;
    let shape = extents
        .iter()
        .map(|&extent| u64::try_from(extent).map_err(|_| DlpackError::Shape))
        .collect::<Result<Vec<u64>, _>>()?;
    // SAFETY: the caller's promise.
    if let Some(strides) = unsafe { values(tensor.strides, rank) } {
        let mut compact: i64 = 1;
        for (&stride, &extent) in strides.iter().zip(extents).rev() {
            // An axis that is never stepped along may have any stride.
            if extent > 1 && stride != compact && !shape.contains(&0) {
                return Err(DlpackError::Strides {
                    strides: strides.to_vec(),
                });
            }
            compact = compact.saturating_mul(extent);
        }
    }
    Ok(shape)
}

/// # Safety
/// `start` is null or points to `length` values that outlive the result.
unsafe fn values<'a>(start: *const i64, length: usize) -> Option<&'a [i64]> {
    if length == 0 {
        return Some(&[]);
    }
    // SAFETY: the caller's promise.
    (!start.is_null()).then(|| unsafe { std::slice::from_raw_parts(start, length) })
}
