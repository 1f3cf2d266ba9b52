use shared_types::ScalarType;

use super::descriptor;
use crate::TensorError;

/// Why a file is not the array that was expected, or could not be written. The file's name is the
/// caller's to add.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NpyError {
    #[error("cannot be read: {0}")]
    Read(String),
    #[error("cannot be written: {0}")]
    Write(String),
    #[error("not a .npy file")]
    NotNpy,
    #[error("version 1, 2 or 3 of the .npy format was expected, found {major}.{minor}")]
    Version { major: u8, minor: u8 },
    #[error("malformed .npy header: {0}")]
    Header(&'static str),
    #[error("expected {}, found dtype {found}{}", dtype(*.expected), remark(.found))]
    Element { expected: ScalarType, found: String },
    #[error("expected shape {}, found {}", tuple(.expected), tuple(.found))]
    Shape { expected: Vec<u64>, found: Vec<u64> },
    #[error("expected row-major (C) order, found Fortran order")]
    FortranOrder,
    #[error("the shape {0} overflows: more than 2^63 elements")]
    ShapeOverflow(String),
    #[error("truncated: expected {expected} bytes of data, found {found}")]
    Truncated { expected: usize, found: usize },
    #[error("expected the file to end after {expected} bytes of data, found more")]
    Trailing { expected: usize },
    #[error(transparent)]
    Tensor(#[from] TensorError),
}

fn dtype(scalar: ScalarType) -> String {
    let stored = match scalar {
        ScalarType::Bf16 => " (bf16 as its bits)",
        ScalarType::Char => " (char as its code point)",
        ScalarType::I8
        | ScalarType::I16
        | ScalarType::I32
        | ScalarType::I64
        | ScalarType::U8
        | ScalarType::U16
        | ScalarType::U32
        | ScalarType::U64
        | ScalarType::F16
        | ScalarType::F32
        | ScalarType::F64
        | ScalarType::Bool => "",
    };
    format!("dtype '{}'{stored}", descriptor(scalar))
}

/// What may not be plain from NumPy's code.
fn remark(found: &str) -> &'static str {
    let code = found.trim_start_matches(['\'', '"']);
    if code.starts_with('>') {
        " (big-endian)"
    } else if code.starts_with("|O") {
        " (Python objects)"
    } else if code.starts_with('[') {
        " (structured)"
    } else {
        ""
    }
}

/// A shape as Python writes it.
pub(super) fn tuple(shape: &[u64]) -> String {
    match shape {
        [extent] => format!("({extent},)"),
        _ => {
            let extents: Vec<String> = shape.iter().map(u64::to_string).collect();
            format!("({})", extents.join(", "))
        }
    }
}
