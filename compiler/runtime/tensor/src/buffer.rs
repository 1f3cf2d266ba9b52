use std::ffi::c_void;
use std::ptr::NonNull;

use shared_types::ScalarType;

use crate::TensorError;
use crate::dlpack::{self, DLDataType, DLDevice, DLManagedTensorVersioned, DLTensor};
use crate::memory::Memory;

/// The alignment that DLPack promises of data, in bytes.
pub(crate) const ALIGNMENT: usize = 64;

/// The number of elements, where their count and their bytes fit the address space. An extent of
/// 0 does not excuse the others: strides are products of them.
pub(crate) fn count(scalar: ScalarType, shape: &[u64]) -> Result<usize, TensorError> {
    let too_large = || TensorError::TooLarge {
        scalar,
        shape: shape.to_vec(),
    };
    let mut product: i64 = 1;
    for &extent in shape.iter().filter(|&&extent| extent != 0) {
        product = i64::try_from(extent)
            .ok()
            .and_then(|extent| product.checked_mul(extent))
            .ok_or_else(too_large)?;
    }
    if shape.contains(&0) {
        return Ok(0);
    }
    let elements = usize::try_from(product).map_err(|_| too_large())?;
    match elements.checked_mul(scalar.bytes()) {
        Some(bytes) if bytes <= isize::MAX as usize - ALIGNMENT => Ok(elements),
        _ => Err(too_large()),
    }
}

/// The owner of a DLPack tensor: its deleter runs when this is dropped.
///
/// Its data is on the CPU, aligned to [`ALIGNMENT`], compact and row-major, and every byte of it
/// is initialized.
pub(crate) struct Managed(NonNull<DLManagedTensorVersioned>);

// SAFETY: DLPack lets any thread that holds a managed tensor read it and call its deleter; who
// writes holds the only `Managed`, by `&mut`.
unsafe impl Send for Managed {}
// SAFETY: as above: through `&Managed` the tensor is only read.
unsafe impl Sync for Managed {}

/// What a tensor of our own making consists of; its `managed.manager_ctx` points to itself.
struct Owned {
    managed: DLManagedTensorVersioned,
    shape: Vec<i64>,
    strides: Vec<i64>,
    /// Where the data lies; freed with the box.
    _memory: Memory,
}

impl Managed {
    /// Zeros. Data without elements has an address too.
    pub(crate) fn zeros(scalar: ScalarType, shape: &[u64]) -> Result<Self, TensorError> {
        let bytes = count(scalar, shape)? * scalar.bytes();
        // Rounded up, so that a read of whole vectors stays inside.
        let size = bytes.max(1).next_multiple_of(ALIGNMENT);
        let Some(memory) = Memory::zeroed(size, ALIGNMENT) else {
            return Err(TensorError::OutOfMemory { bytes });
        };
        let shape: Vec<i64> = shape.iter().map(|&extent| extent as i64).collect();
        let owned = Box::into_raw(Box::new(Owned {
            managed: DLManagedTensorVersioned {
                version: dlpack::VERSION,
                manager_ctx: std::ptr::null_mut(),
                deleter: Some(delete),
                flags: 0,
                dl_tensor: DLTensor {
                    data: memory.data().as_ptr().cast::<c_void>(),
                    device: DLDevice {
                        device_type: dlpack::DEVICE_CPU,
                        device_id: 0,
                    },
                    ndim: shape.len() as i32,
                    dtype: DLDataType::of(scalar),
                    shape: std::ptr::null_mut(),
                    strides: std::ptr::null_mut(),
                    byte_offset: 0,
                },
            },
            strides: row_major_strides(&shape),
            shape,
            _memory: memory,
        }));
        // SAFETY: `owned` was just made, and nothing else points to it. The vectors' own buffers
        // do not move while `delete` has not run.
        unsafe {
            (*owned).managed.manager_ctx = owned.cast::<c_void>();
            (*owned).managed.dl_tensor.shape = (*owned).shape.as_mut_ptr();
            (*owned).managed.dl_tensor.strides = (*owned).strides.as_mut_ptr();
            Ok(Managed(NonNull::new_unchecked(&raw mut (*owned).managed)))
        }
    }

    /// # Safety
    /// `raw` is a live managed tensor, owned by the caller, of which the type's promises hold.
    pub(crate) unsafe fn adopt(raw: NonNull<DLManagedTensorVersioned>) -> Self {
        Managed(raw)
    }

    pub(crate) fn into_raw(self) -> *mut DLManagedTensorVersioned {
        let raw = self.0.as_ptr();
        std::mem::forget(self);
        raw
    }

    pub(crate) fn dl_tensor(&self) -> &DLTensor {
        // SAFETY: the structure lives until the deleter runs, in `drop`.
        unsafe { &self.0.as_ref().dl_tensor }
    }

    pub(crate) fn is_read_only(&self) -> bool {
        // SAFETY: as above.
        unsafe { self.0.as_ref().flags & dlpack::FLAG_READ_ONLY != 0 }
    }

    /// The first element's address; never null.
    pub(crate) fn data(&self) -> *mut u8 {
        let tensor = self.dl_tensor();
        tensor
            .data
            .cast::<u8>()
            .wrapping_add(tensor.byte_offset as usize)
    }

    pub(crate) fn shape(&self) -> &[u64] {
        let tensor = self.dl_tensor();
        if tensor.ndim == 0 {
            return &[];
        }
        // SAFETY: a tensor has `ndim` extents; none is negative, so they are the same as `u64`.
        unsafe { std::slice::from_raw_parts(tensor.shape.cast::<u64>(), tensor.ndim as usize) }
    }
}

impl Drop for Managed {
    fn drop(&mut self) {
        // SAFETY: this is the owner, and drop runs once.
        unsafe {
            if let Some(deleter) = self.0.as_ref().deleter {
                deleter(self.0.as_ptr());
            }
        }
    }
}

/// # Safety
/// `managed` came from [`Managed::zeros`], and is not used again.
unsafe extern "C" fn delete(managed: *mut DLManagedTensorVersioned) {
    // SAFETY: `zeros` stored the box's address there.
    drop(unsafe { Box::from_raw((*managed).manager_ctx.cast::<Owned>()) });
}

/// In elements. [`count`] holds for the shape.
fn row_major_strides(shape: &[i64]) -> Vec<i64> {
    let mut stride = 1;
    let mut strides = vec![0; shape.len()];
    for (axis, &extent) in shape.iter().enumerate().rev() {
        strides[axis] = stride;
        stride *= extent.max(1);
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_never_wrap() {
        let count = |shape: &[u64]| count(ScalarType::F64, shape);
        assert_eq!(count(&[]), Ok(1));
        assert_eq!(count(&[2, 0, 3]), Ok(0));
        assert_eq!(count(&[1 << 30, 2]), Ok(1 << 31));
        assert!(count(&[1 << 60]).is_err(), "its bytes overflow");
        assert!(count(&[u64::MAX]).is_err());
        assert!(count(&[1 << 32, 1 << 32]).is_err());
        assert!(count(&[0, 1 << 32, 1 << 32]).is_err());
    }

    #[test]
    fn strides_are_row_major() {
        assert_eq!(row_major_strides(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!(row_major_strides(&[2, 0, 4]), [4, 4, 1]);
        assert_eq!(row_major_strides(&[]), [0i64; 0]);
    }
}
