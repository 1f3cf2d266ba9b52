//! The operations on scalars and tensors, a family a file. They know values only: no HIR, no
//! spans, no control flow.

mod cast;
mod contraction;
mod elementwise;
mod error;
mod math;
mod movement;
mod number;
mod reduce;
mod scalar;
mod shape;
mod sort;

pub(crate) use cast::{cast, literal_float, literal_integer};
pub(crate) use contraction::{einsum, matmul};
pub(crate) use elementwise::{arithmetic, math, negate, pow};
pub(crate) use error::{Check, Fault, OperationError};
pub(crate) use movement::{SliceEntry, filled, identity, permute, slice};
pub(crate) use reduce::reduce;
pub(crate) use scalar::{
    arithmetic as scalar_arithmetic, compare, math as scalar_math, negate as scalar_negate,
    pow as scalar_pow,
};
pub(crate) use shape::position_of;
pub(crate) use sort::{argsort, sort, top_k};
