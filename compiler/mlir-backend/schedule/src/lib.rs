//! The contraction schedule: a transform-dialect script over the contractions that the builders
//! made (backend specification, §The contraction schedule). Nothing is scheduled yet: a product is
//! the naive nest.
//!
//! It must never split or reorder the sum of an element.
