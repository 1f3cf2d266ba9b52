//! Generated programs, to compare the engines by: the same bits, the same panics.
//!
//! - `program` is a function as a value, `operations` what it is made of, `generate` makes one.
//! - `contents` says what its parameters hold.
//! - `compare` runs some on each engine; `worker` does so in a process of its own.
//! - `campaign` runs many, `coverage` counts what was in them, `share` what ran on a device.
//! - `shrink` makes a failing one as simple as it gets, `filetest` writes it down.

pub mod campaign;
pub mod compare;
pub mod contents;
pub mod coverage;
mod element;
pub mod filetest;
pub mod generate;
pub mod operations;
pub mod program;
pub mod random;
pub mod share;
pub mod shrink;
pub mod worker;
