use std::fmt;
use std::sync::Arc;

use shared_types::ScalarType;

use crate::buffer::{self, Managed};
use crate::dlpack::DLTensor;
use crate::mirror::Mirror;
use crate::{Element, Scalar, TensorError, format, scalar};

/// A tensor of scalars: row-major, compact, 64-byte aligned, on the CPU.
///
/// A clone shares the data until one of the two is written to.
#[derive(Clone)]
pub struct Tensor {
    scalar: ScalarType,
    elements: usize,
    storage: Arc<Storage>,
}

/// The data, and what is kept of it elsewhere.
pub(crate) struct Storage {
    managed: Managed,
    pub(crate) mirror: Mirror,
}

impl Storage {
    fn of(managed: Managed) -> Arc<Storage> {
        let mirror = Mirror::default();
        Arc::new(Storage { managed, mirror })
    }
}

impl Tensor {
    /// A tensor of zero bits.
    pub fn zeros(scalar: ScalarType, shape: &[u64]) -> Result<Tensor, TensorError> {
        Ok(Tensor {
            scalar,
            elements: buffer::count(scalar, shape)?,
            storage: Storage::of(Managed::zeros(scalar, shape)?),
        })
    }

    /// `bytes` are the elements, row-major and little-endian; each must be a value of the type.
    pub fn from_bytes(
        scalar: ScalarType,
        shape: &[u64],
        bytes: &[u8],
    ) -> Result<Tensor, TensorError> {
        let elements = buffer::count(scalar, shape)?;
        let expected = elements * scalar.bytes();
        if bytes.len() != expected {
            return Err(TensorError::WrongLength {
                expected,
                found: bytes.len(),
            });
        }
        scalar::check(scalar, bytes)?;
        let mut tensor = Tensor::zeros(scalar, shape)?;
        tensor.bytes_mut()?.copy_from_slice(bytes);
        Ok(tensor)
    }

    /// `elements` in row-major order.
    pub fn from_slice<T: Element>(shape: &[u64], elements: &[T]) -> Result<Tensor, TensorError> {
        let mut tensor = Tensor::zeros(T::SCALAR, shape)?;
        if elements.len() != tensor.elements {
            return Err(TensorError::WrongLength {
                expected: tensor.elements * T::SCALAR.bytes(),
                found: std::mem::size_of_val(elements),
            });
        }
        tensor.as_mut_slice::<T>()?.copy_from_slice(elements);
        Ok(tensor)
    }

    /// Rank 0.
    pub fn from_scalar(scalar: Scalar) -> Result<Tensor, TensorError> {
        let mut tensor = Tensor::zeros(scalar.ty(), &[])?;
        tensor.set(0, scalar)?;
        Ok(tensor)
    }

    /// The tensor that `managed` is. The type's promises hold of it, and `elements` fits it.
    pub(crate) fn from_managed(scalar: ScalarType, elements: usize, managed: Managed) -> Tensor {
        Tensor {
            scalar,
            elements,
            storage: Storage::of(managed),
        }
    }

    /// The owner of the data, copied where it is shared.
    pub(crate) fn into_managed(self) -> Result<Managed, TensorError> {
        let bytes = self.byte_length();
        match Arc::try_unwrap(self.storage) {
            Ok(storage) => Ok(storage.managed),
            Err(shared) => copy(&shared.managed, self.scalar, bytes),
        }
    }

    /// The same elements, row-major, in another shape of as many.
    pub fn reshape(&self, shape: &[u64]) -> Result<Tensor, TensorError> {
        Tensor::from_bytes(self.scalar, shape, self.bytes())
    }

    pub fn scalar_type(&self) -> ScalarType {
        self.scalar
    }

    /// The extents, outermost first.
    pub fn shape(&self) -> &[u64] {
        self.managed().shape()
    }

    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.elements
    }

    pub fn is_empty(&self) -> bool {
        self.elements == 0
    }

    /// The elements, row-major and little-endian. The address is aligned even without elements.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the data is non-null, initialized and this long, and lives as long as the storage.
        unsafe { std::slice::from_raw_parts(self.managed().data(), self.byte_length()) }
    }

    /// The same, to write to. A tensor that shares its data takes a copy first.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8], TensorError> {
        self.make_unique()?;
        // SAFETY: as for `bytes`; nothing else holds the data, which `&mut self` keeps so.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.managed().data(), self.byte_length()) })
    }

    /// The elements, where the type is theirs and each is a value of it.
    pub fn as_slice<T: Element>(&self) -> Result<&[T], TensorError> {
        self.check_type::<T>()?;
        // SAFETY: the data is aligned to 64 bytes and holds `elements` values of `T`, checked.
        Ok(unsafe { std::slice::from_raw_parts(self.managed().data().cast::<T>(), self.elements) })
    }

    /// The same, to write to. A tensor that shares its data takes a copy first.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T], TensorError> {
        self.check_type::<T>()?;
        self.make_unique()?;
        // SAFETY: as for `as_slice`; nothing else holds the data, which `&mut self` keeps so.
        Ok(unsafe {
            std::slice::from_raw_parts_mut(self.managed().data().cast::<T>(), self.elements)
        })
    }

    /// The element at a row-major position.
    pub fn get(&self, position: usize) -> Result<Scalar, TensorError> {
        let at = self.byte_position(position)?;
        Scalar::read(self.scalar, &self.bytes()[at..]).ok_or(TensorError::InvalidElement {
            scalar: self.scalar,
            position,
        })
    }

    /// Replaces the element at a row-major position.
    pub fn set(&mut self, position: usize, value: Scalar) -> Result<(), TensorError> {
        if value.ty() != self.scalar {
            return Err(TensorError::WrongElement {
                expected: self.scalar,
                found: value.ty(),
            });
        }
        let at = self.byte_position(position)?;
        let size = self.scalar.bytes();
        self.bytes_mut()?[at..at + size].copy_from_slice(&value.bits().to_le_bytes()[..size]);
        Ok(())
    }

    /// A borrow for code that reads: valid while `self` is neither written to nor dropped.
    pub fn view(&self) -> DLTensor {
        *self.managed().dl_tensor()
    }

    /// A borrow for code that writes. A tensor that shares its data takes a copy first.
    pub fn view_mut(&mut self) -> Result<DLTensor, TensorError> {
        self.make_unique()?;
        Ok(self.view())
    }

    fn byte_length(&self) -> usize {
        self.elements * self.scalar.bytes()
    }

    fn byte_position(&self, position: usize) -> Result<usize, TensorError> {
        if position < self.elements {
            Ok(position * self.scalar.bytes())
        } else {
            Err(TensorError::OutOfRange {
                position,
                elements: self.elements,
            })
        }
    }

    fn make_unique(&mut self) -> Result<(), TensorError> {
        match Arc::get_mut(&mut self.storage) {
            Some(own) if !own.managed.is_read_only() => own.mirror.clear(),
            _ => {
                let copy = copy(self.managed(), self.scalar, self.byte_length())?;
                self.storage = Storage::of(copy);
            }
        }
        Ok(())
    }

    fn managed(&self) -> &Managed {
        &self.storage.managed
    }

    pub(crate) fn storage(&self) -> &Storage {
        &self.storage
    }

    fn check_type<T: Element>(&self) -> Result<(), TensorError> {
        if T::SCALAR != self.scalar {
            return Err(TensorError::WrongElement {
                expected: T::SCALAR,
                found: self.scalar,
            });
        }
        if T::ANY_BITS {
            return Ok(());
        }
        scalar::check(self.scalar, self.bytes())
    }
}

/// `managed` holds `bytes` bytes.
fn copy(managed: &Managed, scalar: ScalarType, bytes: usize) -> Result<Managed, TensorError> {
    let copy = Managed::zeros(scalar, managed.shape())?;
    // SAFETY: two allocations, both at least this long.
    unsafe { std::ptr::copy_nonoverlapping(managed.data(), copy.data(), bytes) };
    Ok(copy)
}

/// As NumPy prints it, which summarizes a large one.
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format::tensor(self))
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor<{}, {:?}>\n{self}", self.scalar, self.shape())
    }
}
