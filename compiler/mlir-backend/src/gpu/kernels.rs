//! The `@kernel` functions of a program, beside its tensor operations (backend specification,
//! §`@kernel` functions).

use melior::ir::{Location, Module};
use mlir_kernel::Kernel;
use mlir_lowering::{Body, Refusal};
use mlir_pipeline::{MlirError, NotLowered, PassStage, Session, run_passes};
use neuro_hir::HirProgram;

use super::{GpuOptions, PREFIX};

/// What launches the kernels: it joins the launches of the tensor operations where those are made,
/// since what comes before has no form for its control flow.
pub(super) struct Launchers<'c> {
    pub module: Module<'c>,
    pub kernels: Vec<Kernel>,
}

pub(super) fn launchers<'c>(
    session: &'c Session,
    program: &HirProgram,
    options: &GpuOptions<'_>,
) -> Result<Launchers<'c>, MlirError> {
    let (text, kernels) = mlir_kernel::lower(program, PREFIX, options.chip, options.failures)
        .map_err(MlirError::KernelBodiesNotLowered)?;
    let mut module = match kernels.is_empty() {
        true => Module::new(Location::unknown(session.context())),
        false => Module::parse(session.context(), &text).ok_or_else(|| {
            let failure = session.take_failure("the text of a kernel was not read");
            MlirError::ModuleVerificationFailed(failure)
        })?,
    };
    session.dump_after("kernels", &module)?;
    run_passes(session, &mut module, &slots())?;
    Ok(Launchers { module, kernels })
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

/// Refuses the kernels that call library mathematics.
pub(super) fn without_math(module: &Module<'_>) -> Result<(), MlirError> {
    let mut refused: Vec<Refusal> = Vec::new();
    super::without_math(module, &mut refused);
    let refused: Vec<NotLowered> = refused.into_iter().map(|one| one.function).collect();
    match refused.is_empty() {
        true => Ok(()),
        false => Err(MlirError::KernelBodiesNotLowered(refused)),
    }
}

/// A kernel as a body: it has no status word, and writes what its caller has.
pub(super) fn body(kernel: &Kernel) -> Body {
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
