use shared_types::ScalarType;
use tensor::{Scalar, round};

use super::OperationError;
use super::error::WRONG_TYPE;

/// `operand as to` (numerics, §Element-wise). To a float the value is rounded once, to nearest
/// even.
pub(crate) fn cast(operand: Scalar, to: ScalarType) -> Result<Scalar, OperationError> {
    match operand {
        _ if operand.ty() == to => Ok(operand),
        Scalar::I8(_)
        | Scalar::I16(_)
        | Scalar::I32(_)
        | Scalar::I64(_)
        | Scalar::U8(_)
        | Scalar::U16(_)
        | Scalar::U32(_)
        | Scalar::U64(_) => literal_integer(operand.as_integer().ok_or(WRONG_TYPE)?, to),
        Scalar::Bool(value) => literal_integer(value.into(), to),
        Scalar::Char(value) => literal_integer(u32::from(value).into(), to),
        Scalar::F16(value) => from_float(value.to_f64(), to),
        Scalar::Bf16(value) => from_float(value.to_f64(), to),
        Scalar::F32(value) => from_float(value.into(), to),
        Scalar::F64(value) => from_float(value, to),
    }
}

/// The low bits of an integer, or the nearest float.
pub(crate) fn literal_integer(value: i128, to: ScalarType) -> Result<Scalar, OperationError> {
    match to {
        ScalarType::I8 => Ok(Scalar::I8(value as i8)),
        ScalarType::I16 => Ok(Scalar::I16(value as i16)),
        ScalarType::I32 => Ok(Scalar::I32(value as i32)),
        ScalarType::I64 => Ok(Scalar::I64(value as i64)),
        ScalarType::U8 => Ok(Scalar::U8(value as u8)),
        ScalarType::U16 => Ok(Scalar::U16(value as u16)),
        ScalarType::U32 => Ok(Scalar::U32(value as u32)),
        ScalarType::U64 => Ok(Scalar::U64(value as u64)),
        ScalarType::F16 => Ok(Scalar::F16(round::integer_to_f16(value))),
        ScalarType::Bf16 => Ok(Scalar::Bf16(round::integer_to_bf16(value))),
        ScalarType::F32 => Ok(Scalar::F32(value as f32)),
        ScalarType::F64 => Ok(Scalar::F64(value as f64)),
        ScalarType::Char => match u8::try_from(value) {
            Ok(byte) => Ok(Scalar::Char(byte.into())),
            Err(_) => Err(WRONG_TYPE),
        },
        ScalarType::Bool => Err(WRONG_TYPE),
    }
}

/// A literal: a float that the type holds.
pub(crate) fn literal_float(value: f64, ty: ScalarType) -> Result<Scalar, OperationError> {
    if ty.is_float() {
        from_float(value, ty)
    } else {
        Err(WRONG_TYPE)
    }
}

/// To an integer it saturates, and a NaN is 0, as Rust's `as`.
fn from_float(value: f64, to: ScalarType) -> Result<Scalar, OperationError> {
    match to {
        ScalarType::I8 => Ok(Scalar::I8(value as i8)),
        ScalarType::I16 => Ok(Scalar::I16(value as i16)),
        ScalarType::I32 => Ok(Scalar::I32(value as i32)),
        ScalarType::I64 => Ok(Scalar::I64(value as i64)),
        ScalarType::U8 => Ok(Scalar::U8(value as u8)),
        ScalarType::U16 => Ok(Scalar::U16(value as u16)),
        ScalarType::U32 => Ok(Scalar::U32(value as u32)),
        ScalarType::U64 => Ok(Scalar::U64(value as u64)),
        ScalarType::F16 => Ok(Scalar::F16(round::f64_to_f16(value))),
        ScalarType::Bf16 => Ok(Scalar::Bf16(round::f64_to_bf16(value))),
        ScalarType::F32 => Ok(Scalar::F32(value as f32)),
        ScalarType::F64 => Ok(Scalar::F64(value)),
        ScalarType::Bool | ScalarType::Char => Err(WRONG_TYPE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    fn to(operand: impl Into<Scalar>, to: ScalarType) -> Scalar {
        cast(operand.into(), to).unwrap()
    }

    #[test]
    fn integers_keep_their_low_bits() {
        assert_eq!(to(-1i32, ScalarType::U8), Scalar::U8(255));
        assert_eq!(to(300i32, ScalarType::I8), Scalar::I8(44));
        assert_eq!(to(u64::MAX, ScalarType::I64), Scalar::I64(-1));
        assert_eq!(to(-1i8, ScalarType::U64), Scalar::U64(u64::MAX));
    }

    #[test]
    fn floats_saturate() {
        assert_eq!(to(f32::NAN, ScalarType::I32), Scalar::I32(0));
        assert_eq!(to(1e10f32, ScalarType::I32), Scalar::I32(i32::MAX));
        assert_eq!(to(-1e10f64, ScalarType::I8), Scalar::I8(-128));
        assert_eq!(to(-0.5f64, ScalarType::U8), Scalar::U8(0));
        assert_eq!(to(f64::INFINITY, ScalarType::U64), Scalar::U64(u64::MAX));
        assert_eq!(to(-1.9f32, ScalarType::I16), Scalar::I16(-1));
        assert_eq!(to(f16::MAX, ScalarType::I16), Scalar::I16(i16::MAX));
    }

    #[test]
    fn to_a_float_is_one_rounding() {
        assert_eq!(
            to(16_777_217i32, ScalarType::F32),
            Scalar::F32(16_777_216.0)
        );
        assert_eq!(to(u64::MAX, ScalarType::F64), Scalar::F64(2f64.powi(64)));
        assert_eq!(to(70_000i32, ScalarType::F16), Scalar::F16(f16::INFINITY));
        let above = (1i64 << 24) + (1 << 16) + 1;
        assert_eq!(to(above, ScalarType::Bf16).bits(), 0x4b81);
        assert_eq!(
            to(1.0 + 2f64.powi(-8) + 2f64.powi(-50), ScalarType::Bf16).bits(),
            0x3f81
        );
        assert_eq!(to(1e-320f64, ScalarType::F32), Scalar::F32(0.0));
        assert_eq!(to(bf16::MAX, ScalarType::F16), Scalar::F16(f16::INFINITY));
    }

    #[test]
    fn truth_values_and_characters() {
        assert_eq!(to(true, ScalarType::I32), Scalar::I32(1));
        assert_eq!(to('ß', ScalarType::U8), Scalar::U8(0xdf));
        assert_eq!(to('😀', ScalarType::U16), Scalar::U16(0xf600));
        assert_eq!(to(0xe9u8, ScalarType::Char), Scalar::Char('é'));
        assert_eq!(cast(Scalar::I32(1), ScalarType::Bool), Err(WRONG_TYPE));
    }
}
