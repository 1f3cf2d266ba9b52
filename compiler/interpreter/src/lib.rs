//! Runs HIR, element by element in the order that numerics documents: the oracle, the engine that
//! says what every other must give.
//!
//! It is to be obviously right before it is fast. It must never know MLIR, a backend or a device,
//! and never let a compiler's optimization decide a bit.

#![forbid(unsafe_code)]

mod evaluate;
mod failure;
mod frame;
mod host;
mod interpreter;
mod operation;
mod remote;
mod value;

pub use failure::{Failure, Panic, PanicKind};
pub use host::{Host, HostError};
pub use interpreter::{CALL_LIMIT, Interpreter};
pub use remote::RemoteTensor;
pub use value::{Function, Reference, Value};
