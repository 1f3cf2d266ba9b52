//! From text to the surface tree.

mod escape;
mod lexer;
mod number;
mod parser;
mod token;

pub(crate) use parser::parse;
