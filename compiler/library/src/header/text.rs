use std::fmt::Write as _;

use codegen::FunctionSignature;
use shared_types::{ScalarClass, ScalarType};

/// A scalar's type in C. A half is the integer of its bits.
pub(super) fn c_type(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::I8 => "int8_t",
        ScalarType::I16 => "int16_t",
        ScalarType::I32 => "int32_t",
        ScalarType::I64 => "int64_t",
        ScalarType::U8 => "uint8_t",
        ScalarType::U16 | ScalarType::F16 | ScalarType::Bf16 => "uint16_t",
        ScalarType::U32 | ScalarType::Char => "uint32_t",
        ScalarType::U64 => "uint64_t",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
        ScalarType::Bool => "bool",
    }
}

/// A pointer to the code of a function value, and to its environment.
pub(super) fn function_parameters(
    signature: &FunctionSignature,
    name: &str,
    environment: &str,
) -> String {
    let parameters = signature.parameters.iter();
    let types: String = parameters
        .map(|&scalar| format!(", {}", c_type(scalar)))
        .collect();
    let result = c_type(signature.result);
    format!("{result} (*{name})(void *environment{types}), void *{environment}")
}

/// DLPack's code of an element type.
pub(super) fn dlpack_code(scalar: ScalarType) -> &'static str {
    match scalar.class() {
        ScalarClass::Signed => "kDLInt",
        ScalarClass::Unsigned | ScalarClass::Char => "kDLUInt",
        ScalarClass::Float if scalar == ScalarType::Bf16 => "kDLBfloat",
        ScalarClass::Float => "kDLFloat",
        ScalarClass::Bool => "kDLBool",
    }
}

pub(super) fn tensor_type(scalar: ScalarType, shape: &[u64]) -> String {
    format!("Tensor<{scalar}, {shape:?}>")
}

/// Row-major, in elements.
pub(super) fn strides(shape: &[u64]) -> Vec<u64> {
    let mut strides = Vec::new();
    let mut stride = 1;
    for &extent in shape.iter().rev() {
        strides.push(stride);
        stride *= extent.max(1);
    }
    strides.reverse();
    strides
}

/// A string literal of these bytes.
pub(super) fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            // Two question marks may begin a trigraph.
            b'"' | b'\\' | b'?' => literal.extend(['\\', char::from(byte)]),
            b' '..=b'~' => literal.push(char::from(byte)),
            _ => {
                let _ = write!(literal, "\\{byte:03o}");
            }
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_hold_any_text() {
        assert_eq!(literal("a/b.nr"), "\"a/b.nr\"");
        assert_eq!(literal("\"\\??/\n1ä"), r#""\"\\\?\?/\0121\303\244""#);
    }

    #[test]
    fn strides_are_row_major() {
        assert_eq!(strides(&[2, 3, 4]), [12, 4, 1]);
        assert_eq!(strides(&[2, 0, 4]), [4, 4, 1]);
        assert!(strides(&[]).is_empty());
    }
}
