use mlir_pipeline::{MlirError, NotLowered};
use shared_types::Span;

/// Why a body did not lower.
pub(crate) enum Unlowered {
    /// The function stays a declaration: of what stands at the span.
    Refused {
        cause: Cause,
        reason: String,
        span: Span,
    },
    /// The compile as a whole fails.
    Failed(MlirError),
}

/// A function without a body, and why.
pub struct Refusal {
    pub function: NotLowered,
    pub cause: Cause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The builder has no form for it.
    NoForm,
    /// It is past a limit on what a body holds (numerics, §Integer checks).
    Limit,
}

impl Unlowered {
    pub(crate) fn refused<T>(reason: impl Into<String>, span: Span) -> Result<T, Unlowered> {
        Unlowered::because(Cause::NoForm, reason, span)
    }

    pub(crate) fn limit<T>(reason: impl Into<String>, span: Span) -> Result<T, Unlowered> {
        Unlowered::because(Cause::Limit, reason, span)
    }

    fn because<T>(cause: Cause, reason: impl Into<String>, span: Span) -> Result<T, Unlowered> {
        Err(Unlowered::Refused {
            cause,
            reason: reason.into(),
            span,
        })
    }
}

impl From<MlirError> for Unlowered {
    fn from(error: MlirError) -> Self {
        Unlowered::Failed(error)
    }
}

/// A function that a body would call.
impl From<NotLowered> for Unlowered {
    fn from(function: NotLowered) -> Self {
        Unlowered::Refused {
            cause: Cause::NoForm,
            reason: function.reason,
            span: function.span,
        }
    }
}
