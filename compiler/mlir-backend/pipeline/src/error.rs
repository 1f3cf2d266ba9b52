use std::fmt;

use shared_types::Span;
use thiserror::Error;

/// Why no module came out: one variant a stage (backend specification, §MLIR to LLVM IR).
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MlirError {
    /// A type that has no MLIR counterpart where it stands.
    #[error("the type `{ty}` cannot be lowered here")]
    UnsupportedType { ty: String, span: Span },
    /// A function of the program has the name of one of the C library that the module calls.
    #[error("`{name}` is also the name of a function of the C library, which the code calls")]
    NameTaken { name: String, span: Span },
    #[error("the MLIR module is not valid: {0}")]
    ModuleVerificationFailed(Failure),
    #[error("the pass pipeline failed: {0}")]
    PassPipelineFailed(Failure),
    #[error("the translation to LLVM IR failed: {0}")]
    TranslationFailed(Failure),
    #[error("the LLVM module is not valid: {0}")]
    LlvmVerificationFailed(Failure),
    #[error("no GPU binary could be made: {0}")]
    GpuSerializationFailed(Failure),
    /// `chip` is none that this LLVM knows; `nearest` are those with the nearest numbers.
    #[error("`{chip}` is no known GPU chip{}", suggestion(nearest))]
    InvalidGpuChip { chip: String, nearest: Vec<String> },
    /// `@gpu` functions that cannot run on a GPU, and may run nowhere else.
    #[error("these `@gpu` functions cannot be lowered: {}", listing(.0))]
    GpuBodiesNotLowered(Vec<NotLowered>),
    /// `@kernel` functions with a construct that no GPU body has.
    #[error("these `@kernel` functions cannot be lowered: {}", listing(.0))]
    KernelBodiesNotLowered(Vec<NotLowered>),
}

impl MlirError {
    /// The place in the source, where the error has one.
    pub fn span(&self) -> Option<Span> {
        match self {
            MlirError::UnsupportedType { span, .. } | MlirError::NameTaken { span, .. } => {
                Some(*span)
            }
            MlirError::ModuleVerificationFailed(failure)
            | MlirError::PassPipelineFailed(failure)
            | MlirError::TranslationFailed(failure)
            | MlirError::LlvmVerificationFailed(failure)
            | MlirError::GpuSerializationFailed(failure) => failure.span,
            MlirError::InvalidGpuChip { .. } => None,
            MlirError::GpuBodiesNotLowered(list) | MlirError::KernelBodiesNotLowered(list) => {
                list.first().map(|first| first.span)
            }
        }
    }
}

/// What a stage said, and the source it said it about.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub message: String,
    pub span: Option<Span>,
}

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Failure {
            message: message.into(),
            span: None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// A function without a body for the target, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct NotLowered {
    pub name: String,
    pub span: Span,
    pub reason: String,
}

fn listing(functions: &[NotLowered]) -> String {
    let one = |function: &NotLowered| format!("`{}` ({})", function.name, function.reason);
    functions.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn suggestion(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(", ")),
    }
}
