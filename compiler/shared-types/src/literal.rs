use std::fmt;

/// The value of a literal. Its type stands beside it, and the value is one that the type holds
/// exactly: who makes a literal rounds it, once.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// Any integer type; `i128` covers `i64` and `u64` both.
    Integer(i128),
    /// Any float type, widened without loss.
    Float(f64),
    Bool(bool),
    Char(char),
    String(String),
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Integer(value) => write!(f, "{value}"),
            Literal::Float(value) => write!(f, "{value:?}"),
            Literal::Bool(value) => write!(f, "{value}"),
            Literal::Char(value) => write!(f, "{value:?}"),
            Literal::String(value) => write!(f, "{value:?}"),
        }
    }
}
