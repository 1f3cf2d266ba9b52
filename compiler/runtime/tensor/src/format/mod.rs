//! Text, as NumPy 2 prints it with its default options.

mod array;
mod decimal;
mod element;
mod float;

use shared_types::ScalarType;

use crate::{Scalar, Tensor};

pub use array::{one_line, tensor};

/// A scalar, as NumPy's `str` gives it: `3`, `0.1`, `1e+20`, `True`. A character is itself.
pub fn scalar(value: Scalar) -> String {
    match value {
        Scalar::I8(value) => value.to_string(),
        Scalar::I16(value) => value.to_string(),
        Scalar::I32(value) => value.to_string(),
        Scalar::I64(value) => value.to_string(),
        Scalar::U8(value) => value.to_string(),
        Scalar::U16(value) => value.to_string(),
        Scalar::U32(value) => value.to_string(),
        Scalar::U64(value) => value.to_string(),
        Scalar::F16(value) => float::scalar(value),
        Scalar::Bf16(value) => float::scalar(value),
        Scalar::F32(value) => float::scalar(value),
        Scalar::F64(value) => float::scalar(value),
        Scalar::Bool(true) => "True".to_string(),
        Scalar::Bool(false) => "False".to_string(),
        Scalar::Char(value) => value.to_string(),
    }
}

/// The texts of the elements at these positions, of one width where NumPy pads them to one.
fn elements(tensor: &Tensor, positions: &[usize]) -> Vec<String> {
    match tensor.scalar_type() {
        ScalarType::I8
        | ScalarType::I16
        | ScalarType::I32
        | ScalarType::I64
        | ScalarType::U8
        | ScalarType::U16
        | ScalarType::U32
        | ScalarType::U64 => element::integers(tensor, positions),
        ScalarType::Bool => element::bools(tensor, positions),
        ScalarType::Char => element::chars(tensor, positions),
        ScalarType::F16 => float::column::<half::f16>(tensor, positions),
        ScalarType::Bf16 => float::column::<half::bf16>(tensor, positions),
        ScalarType::F32 => float::column::<f32>(tensor, positions),
        ScalarType::F64 => float::column::<f64>(tensor, positions),
    }
}
