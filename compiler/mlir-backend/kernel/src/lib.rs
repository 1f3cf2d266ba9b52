//! `@kernel` and per-thread bodies as MLIR text (backend specification, §`@kernel` functions).
//! Nothing is lowered yet.
//!
//! It must never let an index or a divisor go unchecked.
