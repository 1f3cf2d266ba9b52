//! The one owned tensor of the product, and what is the same wherever a tensor is met: its DLPack
//! form, `.npy` files, text, hash and random contents.
//!
//! It must never know a device, a compiler or an IR, and no input may make it panic or abort:
//! memory that cannot be had is an error value like any other.

#[cfg(target_endian = "big")]
compile_error!("a tensor's bytes are little-endian here, in memory as in files and hashes");

mod buffer;
mod canonical;
pub mod cmath;
pub mod dlpack;
mod element;
mod error;
mod exchange;
pub mod format;
mod memory;
mod mirror;
pub mod npy;
mod random;
pub mod round;
mod scalar;
mod tensor;

pub use element::Element;
pub use error::TensorError;
pub use exchange::DlpackError;
pub use npy::NpyError;
pub use random::{random, random_key};
pub use scalar::Scalar;
pub use tensor::Tensor;
