use std::fmt::Debug;

use half::{bf16, f16};
use shared_types::ScalarType;

use crate::Scalar;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type with the size, the alignment and the bits of a scalar type.
pub trait Element:
    sealed::Sealed + Copy + Debug + PartialEq + Into<Scalar> + Send + Sync + 'static
{
    const SCALAR: ScalarType;

    /// Whether any bits are a value: not so for `bool` and `char`.
    const ANY_BITS: bool;

    /// The value in the first bytes, of which there are enough. `None` where the bits are no value.
    fn read(bytes: &[u8]) -> Option<Self>;
}

/// The bytes, at the size of the element.
fn prefix<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.first_chunk().copied()
}

macro_rules! plain_elements {
    ($($ty:ident $variant:ident),*) => {$(
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const SCALAR: ScalarType = ScalarType::$variant;
            const ANY_BITS: bool = true;

            fn read(bytes: &[u8]) -> Option<Self> {
                prefix(bytes).map($ty::from_le_bytes)
            }
        }
    )*};
}

plain_elements!(
    i8 I8, i16 I16, i32 I32, i64 I64, u8 U8, u16 U16, u32 U32, u64 U64,
    f16 F16, bf16 Bf16, f32 F32, f64 F64
);

impl sealed::Sealed for bool {}
impl Element for bool {
    const SCALAR: ScalarType = ScalarType::Bool;
    const ANY_BITS: bool = false;

    fn read(bytes: &[u8]) -> Option<Self> {
        match bytes.first()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl sealed::Sealed for char {}
impl Element for char {
    const SCALAR: ScalarType = ScalarType::Char;
    const ANY_BITS: bool = false;

    fn read(bytes: &[u8]) -> Option<Self> {
        prefix(bytes)
            .map(u32::from_le_bytes)
            .and_then(char::from_u32)
    }
}
