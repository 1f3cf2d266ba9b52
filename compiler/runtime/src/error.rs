use codegen::CodegenError;
use device::DeviceError;
use tensor::TensorError;
use thiserror::Error;

/// Why code did not load, or was not called.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RuntimeError {
    #[error(transparent)]
    Codegen(#[from] CodegenError),
    #[error("no body has the symbol `{0}`")]
    UnknownSymbol(String),
    #[error("`{symbol}` takes {expected} arguments, {found} were given")]
    ArgumentCount {
        symbol: String,
        expected: usize,
        found: usize,
    },
    #[error("argument {index} of `{symbol}` is {expected}, {found} was given")]
    Argument {
        symbol: String,
        /// From 0.
        index: usize,
        expected: String,
        found: String,
    },
    #[error("a function that `{symbol}` called stopped it")]
    Stopped { symbol: String },
    #[error("a function that `{symbol}` called is not as declared: {reason}")]
    Callback { symbol: String, reason: TensorError },
    #[error("{count} threads cannot be had: {reason}")]
    Threads { count: usize, reason: String },
    #[error("`{symbol}` is given memory of the host, where its kernels read a device's")]
    OnHost { symbol: String },
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Tensor(#[from] TensorError),
}
