//! `.npy` files: the array type and shape are known beforehand, and anything else is refused.
//!
//! A `bf16` is stored as its 16 bits, a `uint16`; a `char` as its code point, a `uint32`.

mod error;
mod header;
mod write;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use shared_types::ScalarType;

pub use error::NpyError;
pub use write::{encode, write};

use crate::{Tensor, scalar as scalars};
use header::Header;

/// Reads a file that holds exactly one array of this type and shape, in row-major order.
pub fn read(path: &Path, scalar: ScalarType, shape: &[u64]) -> Result<Tensor, NpyError> {
    let file = File::open(path).map_err(|error| NpyError::Read(error.to_string()))?;
    decode(BufReader::new(file), scalar, shape)
}

/// Reads the bytes of a file to their end.
pub fn decode(
    mut source: impl Read,
    scalar: ScalarType,
    shape: &[u64],
) -> Result<Tensor, NpyError> {
    let header = Header::read(&mut source)?;
    header.check(scalar, shape)?;
    let mut tensor = Tensor::zeros(scalar, shape)?;
    let data = tensor.bytes_mut()?;
    let expected = data.len();
    let found = fill(&mut source, data)?;
    if found < expected {
        return Err(NpyError::Truncated { expected, found });
    }
    if fill(&mut source, &mut [0])? != 0 {
        return Err(NpyError::Trailing { expected });
    }
    scalars::check(scalar, tensor.bytes())?;
    Ok(tensor)
}

/// Reads until the buffer is full or the source ends; the number of bytes read.
fn fill(source: &mut impl Read, buffer: &mut [u8]) -> Result<usize, NpyError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(NpyError::Read(error.to_string())),
        }
    }
    Ok(filled)
}

/// NumPy's name of the type that a file stores, little-endian.
fn descriptor(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::I8 => "|i1",
        ScalarType::I16 => "<i2",
        ScalarType::I32 => "<i4",
        ScalarType::I64 => "<i8",
        ScalarType::U8 => "|u1",
        ScalarType::U16 | ScalarType::Bf16 => "<u2",
        ScalarType::U32 | ScalarType::Char => "<u4",
        ScalarType::U64 => "<u8",
        ScalarType::F16 => "<f2",
        ScalarType::F32 => "<f4",
        ScalarType::F64 => "<f8",
        ScalarType::Bool => "|b1",
    }
}
