//! The host's schedules, as transform-dialect scripts: of the contractions that the builders made
//! (backend specification, §The contraction schedule), and of other loop nests.
//!
//! It must never split or reorder the sum of an element, and never fuse a multiplication with an
//! addition: a schedule changes when an element is computed, never how.

mod apply;
mod contraction;
mod nest;
mod script;
mod transfer;

pub use contraction::{
    Sharing, Target, branch_on_whole_blocks, fuse_consumers, prefetch_blocks, schedule,
    start_from_zeros, step_by_rows, text, write_over_products,
};
pub use nest::schedule_nests;
