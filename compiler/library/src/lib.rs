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
use mlir_backend::internal::{Body, Vendor};
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

/// The GPU bodies of a program, with the functions that they compute.
pub struct GpuBodies<'p> {
    pub vendor: Vendor,
    pub llvm_ir: &'p str,
    pub functions: Vec<LinkedFunction<'p>>,
}

/// The contents of the files.
pub struct Library {
    /// All bodies of the host, each under its symbol.
    pub object: Vec<u8>,
    /// C11 and C++17: for each function one over `DLTensor` that checks its arguments, and the
    /// prototype of the body itself.
    pub header: String,
    /// The object with what it needs beyond the C library, and the GPU bodies, which need
    /// `libneuro_gpu.a` besides.
    pub archive: Vec<u8>,
}

/// Compiles the bodies of `llvm_ir`, and those of a GPU, to a library for C. `name` is a C
/// identifier.
pub fn build(
    name: &str,
    llvm_ir: &str,
    functions: &[LinkedFunction<'_>],
    gpu: Option<&GpuBodies<'_>>,
    sources: &SourceMap,
    processor: &Processor,
) -> Result<Library, LibraryError> {
    let mut all = Vec::new();
    let mut object_of = |llvm_ir: &str, functions: &[LinkedFunction<'_>], vendor| {
        let signatures = functions.iter().map(|one| one.signature.clone());
        let signatures: Vec<Signature> = signatures.collect();
        let compiled = compile(llvm_ir, &signatures, processor, bits::add_entry)?;
        let functions = functions.iter().zip(compiled.scratch);
        all.extend(
            functions
                .map(|(linked, scratch)| function::Function::new(linked, vendor, scratch, sources)),
        );
        Ok::<_, LibraryError>(compiled.object.as_slice().to_vec())
    };
    let object = object_of(llvm_ir, functions, None)?;
    let gpu = gpu.map(|gpu| object_of(gpu.llvm_ir, &gpu.functions, Some(gpu.vendor)));
    Ok(Library {
        archive: archive::archive(name, &object, gpu.transpose()?, processor)?,
        header: header::header(name, &all),
        object,
    })
}
