//! The surface tree and the operators, as written, before any type is known.
//!
//! It must never hold a checked type or a resolved name: that is the HIR's.

mod operator;

pub use operator::{BinaryOp, UnaryOp};
