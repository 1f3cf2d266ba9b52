use mlir_pipeline::MlirError;
use shared_types::Span;

/// Why a body did not lower.
pub(crate) enum Unlowered {
    /// The builder has no form for what stands at the span: the function stays a declaration.
    Refused { reason: String, span: Span },
    /// The compile as a whole fails.
    Failed(MlirError),
}

impl Unlowered {
    pub(crate) fn refused<T>(reason: impl Into<String>, span: Span) -> Result<T, Unlowered> {
        let reason = reason.into();
        Err(Unlowered::Refused { reason, span })
    }
}

impl From<MlirError> for Unlowered {
    fn from(error: MlirError) -> Self {
        Unlowered::Failed(error)
    }
}
