use std::fmt;

use ast_types::BinaryOp;
use shared_types::Span;
use tensor::TensorError;

use crate::host::HostError;

/// Why a program has no result.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The program failed.
    #[error(transparent)]
    Panic(Box<Panic>),
    /// The host failed: its engine, or where its output goes.
    #[error("{0}")]
    Host(HostError),
    /// The program is not one that the verifier accepts, or an argument is not of its parameter's
    /// type: a fault of who made them.
    #[error("internal error: {message}")]
    Internal { span: Span, message: String },
}

impl From<Panic> for Failure {
    fn from(panic: Panic) -> Failure {
        Failure::Panic(Box::new(panic))
    }
}

/// A located failure of the program itself. It shows as the line that every engine prints, without
/// the place (the surface, §Commands): `panic: integer overflow in `+` at element [0, 3]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Panic {
    pub span: Span,
    pub kind: PanicKind,
    /// The element of the operation's result, empty for rank 0; `None` for a scalar operation.
    pub element: Option<Vec<u64>>,
    /// In a kernel, the thread's position in the grid, an entry an axis of the block shape.
    pub thread: Option<Vec<u64>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PanicKind {
    Overflow {
        operator: BinaryOp,
    },
    ZeroDivisor {
        operator: BinaryOp,
    },
    Index {
        index: i128,
        axis: usize,
        extent: u64,
    },
    /// More than [`crate::CALL_LIMIT`] calls in one another, or fewer that evaluate deep
    /// expressions.
    StackOverflow,
    /// The memory that a tensor takes cannot be had.
    Memory(TensorError),
    /// Extents that are not known before the program runs do not agree.
    Shapes {
        left: Vec<u64>,
        right: Vec<u64>,
    },
}

impl Panic {
    pub fn new(span: Span, kind: PanicKind) -> Panic {
        Panic {
            span,
            kind,
            element: None,
            thread: None,
        }
    }
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "panic: {}", self.kind)?;
        // Rank 0 has one element, which needs no name.
        if let Some(element) = &self.element
            && !element.is_empty()
        {
            write!(f, " at element {element:?}")?;
        }
        if let Some(thread) = &self.thread {
            write!(f, " in thread {thread:?}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Panic {}

impl fmt::Display for PanicKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PanicKind::Overflow { operator } => write!(f, "integer overflow in `{operator}`"),
            PanicKind::ZeroDivisor { operator } => write!(f, "division by zero in `{operator}`"),
            PanicKind::Index {
                index,
                axis,
                extent,
            } => write!(
                f,
                "index {index} is out of range for axis {axis} of extent {extent}"
            ),
            PanicKind::StackOverflow => f.write_str("stack overflow: calls nest too deep"),
            PanicKind::Memory(error) => write!(f, "out of memory: {error}"),
            PanicKind::Shapes { left, right } => {
                write!(f, "the shapes {left:?} and {right:?} do not agree")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_read_as_on_the_surface_page() {
        let mut panic = Panic::new(
            Span::default(),
            PanicKind::Overflow {
                operator: BinaryOp::Add,
            },
        );
        assert_eq!(panic.to_string(), "panic: integer overflow in `+`");
        panic.element = Some(vec![]);
        assert_eq!(panic.to_string(), "panic: integer overflow in `+`");
        panic.element = Some(vec![0, 3]);
        assert_eq!(
            panic.to_string(),
            "panic: integer overflow in `+` at element [0, 3]"
        );
        panic.element = None;
        panic.thread = Some(vec![40]);
        panic.kind = PanicKind::Index {
            index: 40,
            axis: 0,
            extent: 40,
        };
        assert_eq!(
            panic.to_string(),
            "panic: index 40 is out of range for axis 0 of extent 40 in thread [40]"
        );
    }
}
