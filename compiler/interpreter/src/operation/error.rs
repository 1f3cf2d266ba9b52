use ast_types::BinaryOp;
use tensor::TensorError;

use super::shape::element_of;

/// Why two integers have no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Overflow,
    ZeroDivisor,
}

/// A failed integer check. `-x` is `0 - x`, a product of tensors is made of `*` and `+`, and a sum
/// of `+`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    pub(crate) fault: Fault,
    pub(crate) operator: BinaryOp,
}

impl Check {
    /// In the operation's result of this shape, at this row-major position.
    pub(super) fn at(self, position: usize, shape: &[u64]) -> OperationError {
        OperationError::Check {
            check: self,
            element: Some(element_of(position, shape)),
        }
    }
}

/// Why an operation has no result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OperationError {
    Check {
        check: Check,
        /// Of the result; a scalar operation has none.
        element: Option<Vec<u64>>,
    },
    Tensor(TensorError),
    Shapes {
        left: Vec<u64>,
        right: Vec<u64>,
    },
    /// What the verifier refuses.
    Malformed(&'static str),
}

impl From<TensorError> for OperationError {
    fn from(error: TensorError) -> Self {
        OperationError::Tensor(error)
    }
}

/// The operands are not of the types that the operation has.
pub(super) const WRONG_TYPE: OperationError =
    OperationError::Malformed("the operation does not apply to operands of these types");
