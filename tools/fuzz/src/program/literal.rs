use half::{bf16, f16};
use shared_types::ScalarType;

/// A value as source, by its bits. What no literal writes is a quotient: an infinity, a NaN.
pub fn literal(scalar: ScalarType, bits: u64) -> String {
    let float = |value: f64, digits: String| match (value.is_nan(), value.is_infinite()) {
        (true, _) => "(0.0 / 0.0)".to_string(),
        (_, true) if value > 0.0 => "(1.0 / 0.0)".to_string(),
        (_, true) => "(-1.0 / 0.0)".to_string(),
        _ => digits,
    };
    match scalar {
        ScalarType::I8 => (bits as i8).to_string(),
        ScalarType::I16 => (bits as i16).to_string(),
        ScalarType::I32 => (bits as i32).to_string(),
        ScalarType::I64 => (bits as i64).to_string(),
        ScalarType::U8 => (bits as u8).to_string(),
        ScalarType::U16 => (bits as u16).to_string(),
        ScalarType::U32 => (bits as u32).to_string(),
        ScalarType::U64 => bits.to_string(),
        ScalarType::F16 => {
            let value = f16::from_bits(bits as u16).to_f64();
            float(value, format!("{value:?}"))
        }
        ScalarType::Bf16 => {
            let value = bf16::from_bits(bits as u16).to_f64();
            float(value, format!("{value:?}"))
        }
        ScalarType::F32 => {
            let value = f32::from_bits(bits as u32);
            float(value.into(), format!("{value:?}"))
        }
        ScalarType::F64 => {
            let value = f64::from_bits(bits);
            float(value, format!("{value:?}"))
        }
        ScalarType::Bool => (bits & 1 == 1).to_string(),
        ScalarType::Char => format!("{:?}", char::from_u32(bits as u32).unwrap_or('?')),
    }
}

/// A literal of this type wherever it stands.
pub fn typed_literal(ty: ScalarType, bits: u64) -> String {
    let text = literal(ty, bits);
    match (ty, text.strip_prefix('-')) {
        (ScalarType::Bool, _) => text,
        (_, Some(digits)) => format!("(-{digits}{ty})"),
        (_, None) => format!("{text}{ty}"),
    }
}

/// Elements in row-major order as nested lists; rank 0 is the element alone.
pub fn nested(shape: &[u64], elements: &[String]) -> String {
    let Some((&extent, rest)) = shape.split_first() else {
        return elements[0].clone();
    };
    let size = rest.iter().product::<u64>() as usize;
    let member = |index: usize| nested(rest, &elements[index * size..(index + 1) * size]);
    let members: Vec<String> = (0..extent as usize).map(member).collect();
    format!("[{}]", members.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_back() {
        assert_eq!(literal(ScalarType::I8, 0x80), "-128");
        assert_eq!(literal(ScalarType::U64, u64::MAX), "18446744073709551615");
        assert_eq!(literal(ScalarType::F32, 0x8000_0000), "-0.0");
        assert_eq!(literal(ScalarType::F32, 1), "1e-45");
        assert_eq!(literal(ScalarType::Bf16, 0x3f80), "1.0");
        assert_eq!(literal(ScalarType::F16, 0xfc00), "(-1.0 / 0.0)");
        assert_eq!(literal(ScalarType::F64, f64::NAN.to_bits()), "(0.0 / 0.0)");
    }

    #[test]
    fn lists_nest_as_the_shape_says() {
        let elements = ["1", "2", "3", "4"].map(str::to_string);
        assert_eq!(nested(&[2, 2], &elements), "[[1, 2], [3, 4]]");
        assert_eq!(nested(&[2, 0], &[]), "[[], []]");
        assert_eq!(nested(&[], &elements[..1]), "1");
    }
}
