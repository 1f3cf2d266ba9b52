use half::{bf16, f16};
use shared_types::ScalarType;

use crate::{Element, TensorError};

/// A value of a scalar type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    F16(f16),
    Bf16(bf16),
    F32(f32),
    F64(f64),
    Bool(bool),
    Char(char),
}

macro_rules! each_scalar {
    ($($ty:ident $variant:ident),*) => {
        $(
            impl From<$ty> for Scalar {
                fn from(value: $ty) -> Scalar {
                    Scalar::$variant(value)
                }
            }
        )*

        impl Scalar {
            pub fn ty(self) -> ScalarType {
                match self {
                    $(Scalar::$variant(_) => ScalarType::$variant,)*
                }
            }

            /// The value in the first bytes. `None` where they are too few, or no value.
            pub(crate) fn read(scalar: ScalarType, bytes: &[u8]) -> Option<Scalar> {
                match scalar {
                    $(ScalarType::$variant => <$ty>::read(bytes).map(Scalar::$variant),)*
                }
            }
        }
    };
}

each_scalar!(
    i8 I8, i16 I16, i32 I32, i64 I64, u8 U8, u16 U16, u32 U32, u64 U64,
    f16 F16, bf16 Bf16, f32 F32, f64 F64, bool Bool, char Char
);

impl Scalar {
    /// Zero, or `false`, or the character 0.
    pub fn zero(scalar: ScalarType) -> Scalar {
        match scalar {
            ScalarType::I8 => Scalar::I8(0),
            ScalarType::I16 => Scalar::I16(0),
            ScalarType::I32 => Scalar::I32(0),
            ScalarType::I64 => Scalar::I64(0),
            ScalarType::U8 => Scalar::U8(0),
            ScalarType::U16 => Scalar::U16(0),
            ScalarType::U32 => Scalar::U32(0),
            ScalarType::U64 => Scalar::U64(0),
            ScalarType::F16 => Scalar::F16(f16::ZERO),
            ScalarType::Bf16 => Scalar::Bf16(bf16::ZERO),
            ScalarType::F32 => Scalar::F32(0.0),
            ScalarType::F64 => Scalar::F64(0.0),
            ScalarType::Bool => Scalar::Bool(false),
            ScalarType::Char => Scalar::Char('\0'),
        }
    }

    /// The bits, in the low bytes; a `bool` is 0 or 1, a `char` its code point.
    pub fn bits(self) -> u64 {
        match self {
            Scalar::I8(value) => u64::from(value as u8),
            Scalar::I16(value) => u64::from(value as u16),
            Scalar::I32(value) => u64::from(value as u32),
            Scalar::I64(value) => value as u64,
            Scalar::U8(value) => u64::from(value),
            Scalar::U16(value) => u64::from(value),
            Scalar::U32(value) => u64::from(value),
            Scalar::U64(value) => value,
            Scalar::F16(value) => u64::from(value.to_bits()),
            Scalar::Bf16(value) => u64::from(value.to_bits()),
            Scalar::F32(value) => u64::from(value.to_bits()),
            Scalar::F64(value) => value.to_bits(),
            Scalar::Bool(value) => u64::from(value),
            Scalar::Char(value) => u64::from(u32::from(value)),
        }
    }

    /// The reverse of [`Scalar::bits`]; higher bytes do not count.
    pub fn from_bits(scalar: ScalarType, bits: u64) -> Result<Scalar, TensorError> {
        Scalar::read(scalar, &bits.to_le_bytes()).ok_or(TensorError::InvalidElement {
            scalar,
            position: 0,
        })
    }

    /// The value of an integer; `None` for the other types.
    pub fn as_integer(self) -> Option<i128> {
        match self {
            Scalar::I8(value) => Some(value.into()),
            Scalar::I16(value) => Some(value.into()),
            Scalar::I32(value) => Some(value.into()),
            Scalar::I64(value) => Some(value.into()),
            Scalar::U8(value) => Some(value.into()),
            Scalar::U16(value) => Some(value.into()),
            Scalar::U32(value) => Some(value.into()),
            Scalar::U64(value) => Some(value.into()),
            Scalar::F16(_)
            | Scalar::Bf16(_)
            | Scalar::F32(_)
            | Scalar::F64(_)
            | Scalar::Bool(_)
            | Scalar::Char(_) => None,
        }
    }
}

/// Each element of `bytes` is a value of its type.
pub(crate) fn check(scalar: ScalarType, bytes: &[u8]) -> Result<(), TensorError> {
    if !matches!(scalar, ScalarType::Bool | ScalarType::Char) {
        return Ok(());
    }
    let mut elements = bytes.chunks_exact(scalar.bytes());
    match elements.position(|element| Scalar::read(scalar, element).is_none()) {
        None => Ok(()),
        Some(position) => Err(TensorError::InvalidElement { scalar, position }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_read_back() {
        for scalar in [
            Scalar::I8(-1),
            Scalar::I64(i64::MIN),
            Scalar::U16(0xabcd),
            Scalar::F16(f16::from_f32(-1.5)),
            Scalar::F64(-0.0),
            Scalar::Bool(true),
            Scalar::Char('ß'),
        ] {
            let read = Scalar::from_bits(scalar.ty(), scalar.bits()).unwrap();
            assert_eq!(read.bits(), scalar.bits());
            assert_eq!(read.ty(), scalar.ty());
        }
        assert!(Scalar::from_bits(ScalarType::Char, 0xd800).is_err());
        assert!(Scalar::from_bits(ScalarType::Bool, 2).is_err());
    }
}
