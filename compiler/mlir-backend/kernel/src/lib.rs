//! `@kernel` bodies, the code of one thread each, as MLIR text (backend specification, §`@kernel`
//! functions).
//!
//! With `gpu`, the only part that knows a vendor. It must never let an index or a divisor go
//! unchecked, and a construct that it does not know is refused by its place.

mod arithmetic;
mod body;
mod cast;
mod check;
mod expression;
mod grid;
mod kernel;
mod place;
mod statement;
#[cfg(test)]
mod tests;
mod text;

pub use check::{Failures, Fault, KernelCheck, REPORT_WORDS, Report};
pub use kernel::{Kernel, lower};
