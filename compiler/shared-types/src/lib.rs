//! What every crate of the compiler speaks of: source positions, scalar types, literals.
//!
//! Plain data without dependencies. It must never know a syntax, an IR or a target.

mod literal;
mod scalar;
mod source;

pub use literal::Literal;
pub use scalar::{ScalarClass, ScalarType};
pub use source::{FileId, Position, SourceFile, SourceMap, Span};
