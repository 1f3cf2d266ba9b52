//! Expressions, statements and calls: control flow and the order of things. What an operation
//! computes is in [`crate::operation`].

mod call;
mod expr;
mod kernel;
mod place;
mod print;
mod statement;
mod tensor_op;

use shared_types::Span;
use tensor::TensorError;

use crate::interpreter::{STEP_LIMIT, internal};
use crate::operation::{Fault, OperationError};
use crate::{Failure, Interpreter, Panic, PanicKind, Value};

pub(crate) use expr::unexpected;
pub(crate) use kernel::Thread;

/// Why the evaluation of an expression ends without a value.
pub(crate) enum Stop<'p> {
    Break,
    Continue,
    Return(Value<'p>),
    Fail(Failure),
}

impl<'p> Interpreter<'p, '_> {
    /// Runs a step of an evaluation that nests: calls and bodies go as deep as their own limits,
    /// not as the stack.
    fn nested<R>(
        &mut self,
        span: Span,
        step: impl FnOnce(&mut Self) -> Result<R, Stop<'p>>,
    ) -> Result<R, Stop<'p>> {
        // What must be left: values nest too, and are copied and dropped by recursion.
        const LEFT: usize = 4 << 20;
        const ADDED: usize = 64 << 20;
        if self.steps == STEP_LIMIT {
            return Err(Panic::new(span, PanicKind::StackOverflow).into());
        }
        self.steps += 1;
        let result = stacker::maybe_grow(LEFT, ADDED, || step(self));
        self.steps -= 1;
        result
    }
}

impl From<Failure> for Stop<'_> {
    fn from(failure: Failure) -> Self {
        Stop::Fail(failure)
    }
}

impl From<Panic> for Stop<'_> {
    fn from(panic: Panic) -> Self {
        Stop::Fail(panic.into())
    }
}

impl OperationError {
    /// The failure of the operation that stands there.
    pub(crate) fn at(self, span: Span) -> Failure {
        let kind = match self {
            OperationError::Check { check, element } => {
                let operator = check.operator;
                let kind = match check.fault {
                    Fault::Overflow => PanicKind::Overflow { operator },
                    Fault::ZeroDivisor => PanicKind::ZeroDivisor { operator },
                };
                let panic = Panic::new(span, kind);
                return Panic { element, ..panic }.into();
            }
            OperationError::Tensor(error) => match error {
                TensorError::TooLarge { .. } | TensorError::OutOfMemory { .. } => {
                    PanicKind::Memory(error)
                }
                TensorError::WrongLength { .. }
                | TensorError::WrongElement { .. }
                | TensorError::InvalidElement { .. }
                | TensorError::OutOfRange { .. } => {
                    return internal(span, error.to_string());
                }
            },
            OperationError::Shapes { left, right } => PanicKind::Shapes { left, right },
            OperationError::Malformed(what) => return internal(span, what),
        };
        Panic::new(span, kind).into()
    }
}

/// Gives an operation's error its place.
pub(crate) trait At<T> {
    fn at(self, span: Span) -> Result<T, Failure>;
}

impl<T> At<T> for Result<T, OperationError> {
    fn at(self, span: Span) -> Result<T, Failure> {
        self.map_err(|error| error.at(span))
    }
}

impl<T> At<T> for Result<T, TensorError> {
    fn at(self, span: Span) -> Result<T, Failure> {
        self.map_err(|error| OperationError::from(error).at(span))
    }
}
