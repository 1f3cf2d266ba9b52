//! A GPU in software: it runs the device code of either vendor on the host, and reports what a
//! GPU would not.
//!
//! Device code is an LLVM module for `nvptx64` or `amdgcn`. It is retargeted to the host, compiled,
//! and a launch runs it block by block; the order of blocks and threads comes from a seed, so that
//! a result which depends on the order shows. Each buffer lies alone between inaccessible pages,
//! and is inaccessible itself outside of copies and launches. A kernel that faults, or breaks a
//! rule, is a [`Report`], never a crash.
//!
//! Not vouched for: the payloads of NaNs, the vendors' approximate mathematics, and races that
//! only a weak memory model has. The crate must never know HIR or MLIR.

mod callbacks;
mod chip;
mod emulated;
mod emulator;
mod error;
mod fault;
mod fiber;
mod launch;
mod memory;
mod module;
mod order;
mod report;
mod retarget;
mod shadow;
mod trigonometry;

pub use chip::Vendor;
pub use emulated::EmulatedDevice;
pub use emulator::{Emulator, Options};
pub use error::EmulatorError;
pub use launch::Launch;
pub use memory::Placement;
pub use module::Module;
pub use report::{Access, Place, Report, Thread, Violation};
