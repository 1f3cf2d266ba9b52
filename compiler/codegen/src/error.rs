use thiserror::Error;

/// Why there is no object file, or it did not load.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CodegenError {
    #[error("no code can be made for this machine: {0}")]
    Machine(String),
    #[error("the LLVM IR cannot be read: {0}")]
    Parse(String),
    #[error("no body has the symbol `{0}`")]
    UnknownSymbol(String),
    #[error("the body `{symbol}` is not as declared: {reason}")]
    Signature { symbol: String, reason: String },
    #[error("the LLVM IR cannot be compiled: {0}")]
    Compile(String),
    #[error("the compiled code cannot be loaded: {0}")]
    Load(String),
}
