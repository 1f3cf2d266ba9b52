use codegen::CodegenError;
use thiserror::Error;

/// Why there is no library.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LibraryError {
    #[error(transparent)]
    Codegen(#[from] CodegenError),
    #[error("the object file cannot be put into a library: {0}")]
    Archive(String),
}
