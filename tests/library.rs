//! `neuro-mlir build`: libraries that C and Rust programs link, and what they declare.

mod support;

#[path = "library/declarations.rs"]
mod declarations;
#[path = "library/example.rs"]
mod example;
#[path = "library/failures.rs"]
mod failures;
#[path = "library/functions.rs"]
mod functions;
#[path = "library/gpu.rs"]
mod gpu;
#[path = "library/header.rs"]
mod header;
#[path = "library/processors.rs"]
mod processors;
#[path = "library/scalars.rs"]
mod scalars;
#[path = "support/stand_in.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod stand_in;
#[path = "library/threads.rs"]
mod threads;
#[path = "library/workshop.rs"]
mod workshop;
