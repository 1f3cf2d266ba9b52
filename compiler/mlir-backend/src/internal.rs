//! What this project's own driver needs beyond the API. No part of it: it changes freely.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use inkwell::module::Module;
use mlir_lowering::Selection;
pub use mlir_lowering::{Body, IterationSpace};
pub use mlir_pipeline::host_pipeline;
use mlir_pipeline::{MlirError, NotLowered, Session, host_passes};
use neuro_hir::{FunctionTarget, HirFunction, HirProgram};

use crate::on_large_stack;

/// What [`crate::lower_for_link`] knows.
#[derive(Default)]
pub struct Linked {
    pub llvm_ir: String,
    pub bodies: Vec<Body>,
    /// The functions that should have a host body and have none, and why.
    pub refused: Vec<NotLowered>,
    /// The time that each stage took, in order.
    pub times: Vec<(&'static str, Duration)>,
}

const HOST: Selection<'static> = Selection {
    takes: &has_host_body,
    prefix: "__neuro_mlir_",
};

/// [`crate::lower_for_link`] with what each status word means, what was refused, and how long
/// each stage took.
pub fn link(program: &HirProgram) -> Result<Linked, MlirError> {
    on_large_stack(|| {
        let mut linked = Linked::default();
        let mut start = Instant::now();
        let mut stage_ends = |name| {
            let now = Instant::now();
            linked
                .times
                .push((name, now - std::mem::replace(&mut start, now)));
        };
        let session = Session::new("link")?;
        stage_ends("context");
        let mut lowered = mlir_lowering::link_module(&session, program, &HOST)?;
        stage_ends("lowering");
        if !lowered.bodies.is_empty() {
            mlir_pipeline::fuse(&session, &mut lowered.module, &checked(&lowered.bodies))?;
            stage_ends("fusion");
            mlir_pipeline::run_passes(&session, &mut lowered.module, &host_passes())?;
            stage_ends("passes");
            let context = inkwell::context::Context::create();
            let llvm = mlir_pipeline::translate(&session, &lowered.module, &context)?;
            mark_results_unaliased(&llvm, &lowered.bodies);
            stage_ends("translation");
            linked.llvm_ir = mlir_pipeline::finish(&session, &llvm)?;
            stage_ends("text");
        }
        linked.bodies = lowered.bodies;
        linked.refused = lowered.refused;
        Ok(linked)
    })
}

/// The module that [`link`] starts from, before any pass, as text.
pub fn link_mlir(program: &HirProgram) -> Result<String, MlirError> {
    on_large_stack(|| {
        let session = Session::new("link")?;
        let lowered = mlir_lowering::link_module(&session, program, &HOST)?;
        Ok(lowered.module.as_operation().to_string())
    })
}

/// The symbols of the bodies with integer checks.
fn checked(bodies: &[Body]) -> HashSet<&str> {
    let checked = bodies.iter().filter(|body| !body.checks.is_empty());
    checked.map(|body| body.symbol.as_str()).collect()
}

fn mark_results_unaliased(module: &Module<'_>, bodies: &[Body]) {
    for body in bodies.iter().filter(|body| body.has_result) {
        if let Some(function) = module.get_function(&body.symbol) {
            mlir_pipeline::mark_pointers_noalias(function);
        }
    }
}

/// The outlined operations, and the functions that may run on the host as well as on a GPU.
fn has_host_body(function: &HirFunction) -> bool {
    match function.target {
        FunctionTarget::HostOperation | FunctionTarget::FollowsOperands => true,
        FunctionTarget::Gpu { fallback } => fallback,
        FunctionTarget::Host | FunctionTarget::Kernel { .. } => false,
    }
}
