//! From an MLIR module to LLVM IR: the context, the pass lists in text, the hand-off to LLVM, and
//! the errors of each stage (backend specification, §MLIR to LLVM IR).
//!
//! It must never know HIR, and never let MLIR or LLVM print or end the process: whatever they
//! report comes back in an [`MlirError`].

mod access;
mod bfloat;
mod call;
mod check;
mod constant;
mod dump;
mod error;
mod fuse;
mod handoff;
mod host;
mod link_attributes;
mod location;
mod names;
mod passes;
mod results;
pub mod rewrite;
mod session;
mod share;
mod translate;

pub use access::{Access, access, is_diagonal};
pub use call::Call;
pub use check::Check;
pub use constant::integer_constant;
pub use error::{Failure, MlirError, NotLowered};
pub use fuse::fuse;
pub use host::{buffer_passes, host_pipeline, loop_passes};
pub use link_attributes::mark_pointers_noalias;
pub use location::{location_span, location_text, span_location};
pub use names::{NAME_PREFIX, restore_names};
pub use passes::{PassStage, run_passes};
pub use session::Session;
pub use share::{SHARED, define_sharing, outline_shared_loops};
pub use translate::{bitcode_text, finish, translate};
