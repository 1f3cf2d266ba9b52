//! The command line, `neuro-mlir`.

fn main() {}
