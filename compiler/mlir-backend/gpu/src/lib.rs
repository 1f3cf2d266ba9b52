//! From linalg on buffers to GPU kernels with host functions that launch them, for both vendors
//! (backend specification, §GPU kernels).
//!
//! With `kernel`, the only part that knows a vendor. It must never let a host function touch device
//! memory, and no text of a chip reaches a pipeline that the table of chips does not have.

mod binary;
mod buffers;
mod chip;
mod contraction;
mod inspect;
mod ir;
mod launch;
mod library;
mod order;
mod outline;
mod passes;
mod registers;
mod toolkit;

pub use binary::{Form, serialize};
pub use chip::{Chip, Vendor};
pub use ir::{destroy as remove, is_of_kernels, move_functions};
pub use library::{has_math_library, unlinked_math};
pub use outline::{PARAMETER_BYTES, outline};
