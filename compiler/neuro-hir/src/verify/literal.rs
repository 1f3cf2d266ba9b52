use shared_types::{Literal, ScalarType};

use super::types::scalar;
use crate::HirType;

/// A literal's type holds its value exactly.
pub(super) fn check(value: &Literal, ty: &HirType) -> Result<(), String> {
    let holds = match value {
        Literal::Integer(value) => scalar(ty)
            .and_then(ScalarType::integer_range)
            .is_some_and(|(low, high)| (low..=high).contains(value)),
        Literal::Float(value) => scalar(ty).is_some_and(|scalar| holds_float(scalar, *value)),
        Literal::Bool(_) => scalar(ty) == Some(ScalarType::Bool),
        Literal::Char(_) => scalar(ty) == Some(ScalarType::Char),
        Literal::String(_) => *ty == HirType::String,
    };
    if holds {
        Ok(())
    } else {
        Err(format!("`{ty}` does not hold the literal {value}"))
    }
}

fn holds_float(scalar: ScalarType, value: f64) -> bool {
    match scalar {
        ScalarType::F64 => true,
        ScalarType::F32 => holds_exactly(value, 24, 127),
        ScalarType::Bf16 => holds_exactly(value, 8, 127),
        ScalarType::F16 => holds_exactly(value, 11, 15),
        ScalarType::I8
        | ScalarType::I16
        | ScalarType::I32
        | ScalarType::I64
        | ScalarType::U8
        | ScalarType::U16
        | ScalarType::U32
        | ScalarType::U64
        | ScalarType::Bool
        | ScalarType::Char => false,
    }
}

/// Whether a binary float with `precision` significant bits and the largest exponent `max` holds
/// `value`: it is a whole number of the format's units in that binade, and not past the last one.
fn holds_exactly(value: f64, precision: i32, max: i32) -> bool {
    if value == 0.0 || !value.is_finite() {
        return true;
    }
    let min = 1 - max;
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let unit = exponent.max(min) - (precision - 1);
    // A power of two scales without rounding: |unit| stays far inside the range of an f64.
    exponent <= max && (value * 2f64.powi(-unit)).fract() == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_held_where_rounding_keeps_them() {
        for (scalar, value, holds) in [
            (ScalarType::F64, 0.1, true),
            (ScalarType::F32, 0.1, false),
            (ScalarType::F32, 0.1f32.into(), true),
            (ScalarType::F32, f32::MAX.into(), true),
            (ScalarType::F32, f32::from_bits(1).into(), true),
            (ScalarType::F32, f64::from(f32::from_bits(1)) / 2.0, false),
            (ScalarType::F32, 2f64.powi(128), false),
            (ScalarType::F32, f64::from_bits(1), false),
            (ScalarType::F16, 65504.0, true),
            (ScalarType::F16, 65505.0, false),
            (ScalarType::F16, 65536.0, false),
            (ScalarType::F16, 2f64.powi(-24), true),
            (ScalarType::F16, 2f64.powi(-24) * 1.5, false),
            (ScalarType::F16, 2f64.powi(-25), false),
            (ScalarType::Bf16, 256.0, true),
            (ScalarType::Bf16, 257.0, false),
            (ScalarType::Bf16, 2f64.powi(-133), true),
            (ScalarType::Bf16, 2f64.powi(-134), false),
            (ScalarType::F16, -0.0, true),
            (ScalarType::Bf16, f64::NEG_INFINITY, true),
            (ScalarType::F16, f64::NAN, true),
            (ScalarType::I32, 1.0, false),
        ] {
            assert_eq!(holds_float(scalar, value), holds, "{value:e} as {scalar}");
        }
    }
}
