//! What this project's own driver needs beyond the API. No part of it: it changes freely.

use mlir_lowering::Selection;
pub use mlir_lowering::{Body, IterationSpace};
use mlir_pipeline::{MlirError, NotLowered, Session};
use neuro_hir::{FunctionTarget, HirFunction, HirProgram};

/// What [`crate::lower_for_link`] knows.
pub struct Linked {
    pub llvm_ir: String,
    pub bodies: Vec<Body>,
    /// The functions that should have a host body and have none, and why.
    pub refused: Vec<NotLowered>,
}

/// The prefix of a host body's symbol.
const HOST_PREFIX: &str = "__neuro_mlir_";

/// [`crate::lower_for_link`] with what each status word means, and what was refused.
pub fn link(program: &HirProgram) -> Result<Linked, MlirError> {
    let session = Session::new("link")?;
    let selection = Selection {
        takes: &has_host_body,
        prefix: HOST_PREFIX,
    };
    let mut linked = mlir_lowering::link_module(&session, program, &selection)?;
    if linked.bodies.is_empty() {
        return Ok(Linked {
            llvm_ir: String::new(),
            bodies: Vec::new(),
            refused: linked.refused,
        });
    }
    mlir_pipeline::run_passes(&session, &mut linked.module, &mlir_pipeline::host_passes())?;
    let context = inkwell::context::Context::create();
    let llvm = mlir_pipeline::translate(&session, &linked.module, &context)?;
    for body in linked.bodies.iter().filter(|body| body.has_result) {
        if let Some(function) = llvm.get_function(&body.symbol) {
            mlir_pipeline::mark_pointers_noalias(function);
        }
    }
    Ok(Linked {
        llvm_ir: mlir_pipeline::llvm_text(&llvm),
        bodies: linked.bodies,
        refused: linked.refused,
    })
}

/// The outlined operations, and the functions that may run on the host as well as on a GPU.
fn has_host_body(function: &HirFunction) -> bool {
    match function.target {
        FunctionTarget::HostOperation | FunctionTarget::FollowsOperands => true,
        FunctionTarget::Gpu { fallback } => fallback,
        FunctionTarget::Host | FunctionTarget::Kernel { .. } => false,
    }
}
