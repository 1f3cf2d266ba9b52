//! The `@kernel` functions and the traversals of a program, beside its other tensor operations (backend specification,
//! §`@kernel` functions).

use melior::ir::{Location, Module};
use mlir_kernel::{Failures, Kernel};
use mlir_lowering::{Body, Refusal};
use mlir_pipeline::{MlirError, NotLowered, PassStage, Session, run_passes};
use neuro_hir::{FunctionTarget, HirFunction, HirProgram};

use super::{GpuOptions, PREFIX};

/// What launches the kernels and the traversals: it joins the launches of the tensor operations
/// where those are made, since what comes before has no form for its control flow.
pub(super) struct Launchers<'c> {
    pub module: Module<'c>,
    pub bodies: Vec<Body>,
    /// The bodies that are `@kernel` functions, once more.
    pub kernels: Vec<Kernel>,
    /// The traversals without a form.
    pub refused: Vec<Refusal>,
}

pub(super) fn launchers<'c>(
    session: &'c Session,
    program: &HirProgram,
    traversing: &[&HirFunction],
    options: &GpuOptions<'_>,
) -> Result<Launchers<'c>, MlirError> {
    let (mut text, kernels) = mlir_kernel::lower(program, PREFIX, options.chip, options.failures)
        .map_err(MlirError::KernelBodiesNotLowered)?;
    let mut bodies: Vec<Body> = kernels.iter().map(body).collect();
    let mut refused = Vec::new();
    for function in traversing {
        if options.failures == Failures::Stop {
            refused.push(super::no_form(NotLowered {
                name: function.name.clone(),
                span: function.span,
                reason: NO_CAPTURES.to_string(),
            }));
            continue;
        }
        match mlir_kernel::traversal(
            program,
            function,
            format!("{PREFIX}{}", function.name),
            options.chip,
        ) {
            Ok((host, body)) => {
                text += &host;
                bodies.push(body);
            }
            Err(function) => refused.push(super::no_form(function)),
        }
    }
    let mut module = match bodies.is_empty() {
        true => Module::new(Location::unknown(session.context())),
        false => Module::parse(session.context(), &text).ok_or_else(|| {
            let failure = session.take_failure("the text of a kernel was not read");
            MlirError::ModuleVerificationFailed(failure)
        })?,
    };
    session.dump_after("kernels", &module)?;
    run_passes(session, &mut module, &slots())?;
    Ok(Launchers {
        module,
        bodies,
        kernels,
        refused,
    })
}

/// A symbol to link takes what the host's does, where a function is its code and an environment that
/// only the code knows: what it has captured is not there to be had.
const NO_CAPTURES: &str = "a traversal, whose function a linked GPU body cannot be given";

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
