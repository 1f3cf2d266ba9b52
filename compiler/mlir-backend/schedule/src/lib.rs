//! The contraction schedule: a transform-dialect script over the contractions that the builders
//! made (backend specification, §The contraction schedule).
//!
//! It must never split or reorder the sum of an element, and never fuse a multiplication with an
//! addition: a schedule changes when an element is computed, never how.

mod apply;
mod plan;
mod script;
mod target;

pub use apply::{schedule, text};
pub use target::Target;
