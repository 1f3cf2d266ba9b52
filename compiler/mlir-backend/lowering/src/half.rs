//! Half precision computes in `f32`: operands widen, the answer rounds once (numerics,
//! §Elements).

use melior::ir::Value;
use shared_types::ScalarType;

use crate::at::{At, Built};
use crate::types::scalar_type;

/// The type that elements of `scalar` compute in.
pub(crate) fn computed_in(scalar: ScalarType) -> ScalarType {
    if scalar.is_half() {
        ScalarType::F32
    } else {
        scalar
    }
}

/// The element in the type that it computes in.
pub(crate) fn widen<'c: 'b, 'b>(
    at: At<'c, 'b>,
    scalar: ScalarType,
    value: Value<'c, 'b>,
) -> Built<Value<'c, 'b>> {
    if !scalar.is_half() {
        return Ok(value);
    }
    at.emit(
        "arith.extf",
        &[value],
        scalar_type(at.context, ScalarType::F32),
    )
}

/// An answer, rounded back to `scalar`.
pub(crate) fn narrow<'c: 'b, 'b>(
    at: At<'c, 'b>,
    scalar: ScalarType,
    value: Value<'c, 'b>,
) -> Built<Value<'c, 'b>> {
    if !scalar.is_half() {
        return Ok(value);
    }
    at.emit("arith.truncf", &[value], scalar_type(at.context, scalar))
}
