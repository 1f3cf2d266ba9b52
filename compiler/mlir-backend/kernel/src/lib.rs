//! `@kernel` bodies and the functions of traversals, the code of one thread each, as MLIR text
//! (backend specification, §`@kernel` functions).
//!
//! With `gpu`, the only part that knows a vendor. It must never let an index or a divisor go
//! unchecked, and a construct that it does not know is refused by its place.

mod arithmetic;
mod body;
mod call;
mod callee;
mod cast;
mod check;
mod expression;
mod fail;
mod function;
mod grid;
mod host;
mod kernel;
mod place;
mod statement;
#[cfg(test)]
mod tests;
mod text;

pub use check::{Failures, Fault, KernelCheck, REPORT_WORDS, Report};
pub use function::Functions;
pub use kernel::{Kernel, lower};
