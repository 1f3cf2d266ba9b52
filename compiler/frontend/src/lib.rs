//! From `.nr` source to the typed HIR: lexer, parser, checker, outlining of tensor operations.
//!
//! It must never panic, whatever the source, and never know a backend: what it can say of a
//! program is in the HIR or in its diagnostics.

mod deep;
mod diagnostic;
mod syntax;

pub use diagnostic::{Diagnostic, Note};
