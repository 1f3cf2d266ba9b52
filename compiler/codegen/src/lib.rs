//! Linked LLVM IR to an object file for one processor, and an object file into this process.
//!
//! Floats stay those of numerics: nothing here relaxes them, and a multiply and an add that the IR
//! has apart are never fused. It must never know HIR or MLIR, and never let LLVM print or end the
//! process: whatever LLVM reports comes back in a [`CodegenError`].

mod compile;
mod diagnostics;
mod error;
mod load;
mod machine;
mod options;
mod processor;
mod scratch;
mod signature;
mod types;

pub use compile::{Compiled, compile};
pub use diagnostics::QuietContext;
pub use error::CodegenError;
pub use load::LoadedObject;
pub use machine::Machine;
pub use processor::{Processor, UnknownProcessor};
pub use scratch::Scratch;
pub use signature::{FunctionSignature, Parameter, Signature};
pub use types::scalar_type;
