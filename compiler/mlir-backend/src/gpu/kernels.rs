//! The `@kernel` functions of a program, and the functions of its traversals, beside its other tensor
//! operations (backend specification, §`@kernel` functions).

use melior::ir::{Location, Module};
use mlir_kernel::{Functions, Kernel};
use mlir_lowering::{Body, Refusal};
use mlir_pipeline::{MlirError, NotLowered, PassStage, Session, run_passes};
use neuro_hir::{FunctionTarget, HirProgram};

use super::{GpuOptions, PREFIX};

/// The code of one thread: it joins the launches of the tensor operations where those are made,
/// since what comes before has no form for its control flow.
pub(super) struct Threads<'c> {
    /// Functions that launch kernels, and functions that kernels call.
    pub module: Module<'c>,
    pub bodies: Vec<Body>,
    /// The bodies once more.
    pub kernels: Vec<Kernel>,
}

pub(super) fn threads<'c>(
    session: &'c Session,
    program: &HirProgram,
    functions: Functions<'_>,
    options: &GpuOptions<'_>,
) -> Result<Threads<'c>, MlirError> {
    let (text, kernels) = mlir_kernel::lower(program, PREFIX, options.chip, options.failures)
        .map_err(MlirError::KernelBodiesNotLowered)?;
    let text = text + &functions.text();
    let mut module = match text.is_empty() {
        true => Module::new(Location::unknown(session.context())),
        false => Module::parse(session.context(), &text).ok_or_else(|| {
            let failure = session.take_failure("the text of a kernel was not read");
            MlirError::ModuleVerificationFailed(failure)
        })?,
    };
    session.dump_after("kernels", &module)?;
    run_passes(session, &mut module, &slots())?;
    Ok(Threads {
        module,
        bodies: kernels.iter().map(body).collect(),
        kernels,
    })
}

/// Slots as values. LLVM would leave some in memory: it merges stores to two of them into one, to a
/// place that it chooses before.
fn slots() -> Vec<PassStage> {
    // Blocks that are not reached go first.
    let stage = |name| PassStage {
        name,
        text: name.into(),
    };
    vec![stage("canonicalize"), stage("mem2reg")]
}

/// Every kernel must have a body.
pub(super) fn all_lowered(program: &HirProgram, refused: &[Refusal]) -> Result<(), MlirError> {
    let is_kernel = |refused: &&Refusal| {
        let function = program.function(&refused.function.name);
        function.is_some_and(|function| matches!(function.target, FunctionTarget::Kernel { .. }))
    };
    let kernels = refused.iter().filter(is_kernel);
    let kernels: Vec<NotLowered> = kernels.map(|kernel| kernel.function.clone()).collect();
    match kernels.is_empty() {
        true => Ok(()),
        false => Err(MlirError::KernelBodiesNotLowered(kernels)),
    }
}

/// A kernel as a body: it has no status word, and writes what its caller has.
fn body(kernel: &Kernel) -> Body {
    Body {
        function: kernel.function.clone(),
        symbol: kernel.symbol.clone(),
        parameters: kernel.parameters.clone(),
        checks: Vec::new(),
        spaces: Vec::new(),
        contractions: Vec::new(),
        traversals: Vec::new(),
        function_pointers: Vec::new(),
        has_result: false,
    }
}
