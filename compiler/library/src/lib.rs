//! What a C or Rust program links: the bodies of a program as an object file, a C header and a
//! static library (backend specification, §Linking into a compile; the ABI is docs/abi.md).
//!
//! It must never write a file, or know how a body came to be.

mod archive;
mod bits;
mod error;
mod function;
mod half;
mod header;
mod names;

use codegen::{Processor, Signature, compile};
use mlir_backend::internal::Body;
use neuro_hir::HirFunction;
use shared_types::SourceMap;

pub use error::LibraryError;
pub use names::{is_identifier, is_of_c};

/// A body of the program, with the function that it computes.
pub struct LinkedFunction<'p> {
    pub hir: &'p HirFunction,
    pub body: &'p Body,
    /// What the body's symbol takes.
    pub signature: Signature,
}

/// The contents of the files.
pub struct Library {
    /// All bodies, each under its symbol.
    pub object: Vec<u8>,
    /// C11 and C++17: for each function one over `DLTensor` that checks its arguments, and the
    /// prototype of the body itself.
    pub header: String,
    /// The object, and what it needs beyond the C library.
    pub archive: Vec<u8>,
}

/// Compiles the bodies of `llvm_ir`, at least one, to a library for C. `name` is a C identifier.
pub fn build(
    name: &str,
    llvm_ir: &str,
    functions: &[LinkedFunction<'_>],
    sources: &SourceMap,
    processor: &Processor,
) -> Result<Library, LibraryError> {
    let signatures: Vec<Signature> = functions.iter().map(|one| one.signature.clone()).collect();
    let compiled = compile(llvm_ir, &signatures, processor, bits::add_entry)?;
    let object = compiled.object.as_slice().to_vec();
    let functions: Vec<function::Function> = functions
        .iter()
        .zip(compiled.scratch)
        .map(|(linked, scratch)| function::Function::new(linked, scratch, sources))
        .collect();
    Ok(Library {
        archive: archive::archive(name, &object, processor)?,
        header: header::header(name, &functions),
        object,
    })
}
