//! The MLIR backend: typed HIR in; verified MLIR, linkable LLVM IR and GPU kernels out (backend
//! specification, §Entry points).
//!
//! The entry points may be called from several threads at once. No HIR makes them panic, print or
//! abort: every failure is an [`MlirError`]. The crate must never evaluate a program, and a body
//! that it cannot lower is left out or refused by name, never lowered wrongly.

mod gpu;
pub mod internal;
mod stack;
mod twins;

use std::collections::HashSet;

use mlir_pipeline::Session;
use neuro_hir::HirProgram;

pub use mlir_lowering::{BodyParameter, Check, CheckKind};
pub use mlir_pipeline::{Failure, MlirError, NotLowered};

use stack::on_large_stack;

#[cfg(test)]
mod smoke;

/// The verified MLIR of the whole program as text: a definition for each body that lowers, a
/// declaration for everything else (backend specification, §Lowering Rules).
pub fn lower_program(program: &HirProgram) -> Result<String, MlirError> {
    on_large_stack(|| {
        let session = Session::new("program")?;
        let module = mlir_lowering::program_module(&session, program, "")?;
        Ok(module.as_operation().to_string())
    })
}

/// The LLVM IR of the same module (backend specification, §MLIR to LLVM IR). It answers
/// [`MlirError::NameTaken`] where the code calls a function of the C library, such as `malloc`,
/// whose name a function of the program has.
pub fn translate_to_llvm_ir(program: &HirProgram) -> Result<String, MlirError> {
    on_large_stack(|| {
        let session = Session::new("translate")?;
        let mut module =
            mlir_lowering::program_module(&session, program, mlir_pipeline::NAME_PREFIX)?;
        mlir_pipeline::fuse(&session, &mut module, &HashSet::new())?;
        mlir_pipeline::run_passes(&session, &mut module, &mlir_pipeline::buffer_passes())?;
        mlir_pipeline::run_passes(&session, &mut module, &mlir_pipeline::loop_passes())?;
        mlir_pipeline::restore_names(session.context(), &module)?;
        let context = inkwell::context::Context::create();
        let llvm = mlir_pipeline::translate(&session, &module, &context)?;
        mlir_pipeline::finish(&session, &llvm)
    })
}

/// The host bodies of the outlined operations, of the functions that are tensor operations
/// throughout, and of the `@gpu(fallback: true)` functions, ready to link (backend specification,
/// §Linking into a compile).
///
/// Integers overflow as the program's tier has it. The text names no triple and no data layout, and
/// needs `malloc`, `free` and the C library's mathematics; docs/abi.md says what a symbol takes, word
/// by word. A function whose operations have no host form is left out.
///
/// # Errors
/// [`MlirError::PassPipelineFailed`] and [`MlirError::TranslationFailed`], which are faults of this
/// crate or of MLIR; no program is to be the cause.
pub fn lower_for_link(program: &HirProgram) -> Result<LinkableBodies, MlirError> {
    let linked = internal::link(program, &internal::LinkOptions::default())?;
    Ok(linkable(linked.llvm_ir, linked.bodies))
}

/// The `@gpu` functions, and the outlined operations that follow their operands, as GPU kernels with
/// host functions that launch them, which read and write device memory only (backend specification,
/// §GPU kernels). A symbol is `__neuro_gpu_` and the function's name, and takes what the function's
/// host body takes, but what a function has captured in the place of that function: a kernel calls the
/// one that the program passes. An operation that has no GPU body is left out. A `@kernel` function's
/// symbol takes its parameters, and launches it over the grid of its first `&mut` tensor; a thread
/// whose check fails is stopped, on NVIDIA by an assertion, on AMD by a trap (§`@kernel` functions).
///
/// # Errors
/// [`MlirError::InvalidGpuChip`]; [`MlirError::GpuBodiesNotLowered`] and
/// [`MlirError::KernelBodiesNotLowered`] with each function that no GPU may run, and why;
/// [`MlirError::GpuSerializationFailed`] where the device's code cannot be made, as for an AMD chip
/// without ROCm's linker.
pub fn lower_for_gpu(
    program: &HirProgram,
    target: &GpuTarget,
) -> Result<LinkableBodies, MlirError> {
    let linked = internal::link_gpu(program, &internal::GpuOptions::of(target)?)?;
    Ok(linkable(linked.llvm_ir, linked.bodies))
}

fn linkable(llvm_ir: String, bodies: Vec<internal::Body>) -> LinkableBodies {
    let bodies = bodies.into_iter().map(|body| LinkableBody {
        function: body.function,
        symbol: body.symbol,
        parameters: body.parameters,
        checks: body.checks,
    });
    LinkableBodies {
        llvm_ir,
        bodies: bodies.collect(),
    }
}

/// Which GPU a program is lowered for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GpuTarget {
    /// `chip` is an `sm_NN`.
    Nvidia { chip: String },
    /// `chip` is a `gfxNNN`.
    Amd { chip: String },
}

/// A module of bodies, and what each one computes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkableBodies {
    /// One LLVM module as text; empty when nothing qualifies.
    pub llvm_ir: String,
    /// In program order.
    pub bodies: Vec<LinkableBody>,
}

/// A function of the program and the symbol that computes it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkableBody {
    pub function: String,
    pub symbol: String,
    /// What the symbol takes, in order: the function's parameters, then the status word, then the
    /// results.
    pub parameters: Vec<BodyParameter>,
    /// Check `n` of the status word is `checks[n - 1]` (numerics, §Integer checks). The symbol
    /// takes a status word only where there are some.
    pub checks: Vec<Check>,
}
