//! Runs compiled tensor code on the host, and on the device that its host code launches kernels of:
//! a JIT over linked LLVM IR.
//!
//! It must never know HIR, MLIR or a source language. Whatever the caller gives, arguments that a
//! body does not take are an error value before anything runs; the bodies themselves are trusted,
//! as a linked library is.

mod argument;
mod callback;
mod constructors;
mod device_tensor;
mod error;
mod gpu;
mod jit;
mod packed;
mod scratch;
mod threads;
mod trampoline;

pub use argument::Argument;
pub use callback::Callback;
pub use codegen::{FunctionSignature, Parameter, Signature};
pub use device::{
    Call, Device, DeviceError, DriverDevice, Launch, Race, Usage, Watch, Watched, take_unreturned,
};
pub use device_tensor::DeviceTensor;
pub use error::RuntimeError;
pub use gpu::GpuJit;
pub use jit::Jit;
pub use threads::Threads;
