use std::collections::HashSet;

use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, WalkOrder, WalkResult};
use melior::ir::{Module, OperationRef};
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use mlir_sys::{
    MlirStringRef, mlirOperationDestroy, mlirPassManagerCreateOnOperation, mlirPassManagerRunOnOp,
};

use crate::access::{access, is_diagonal};
use crate::call::{calls, lower_calls};
use crate::check::{keys, lower_checks};
use crate::results::return_each_once;
use crate::rewrite::{name_of, nested};
use crate::{Failure, MlirError, Session};

/// Fuses each element-wise operation into the one operation that uses it, in all functions but
/// those named in `apart` (backend specification, §MLIR to LLVM IR), then gives the integer checks
/// and the calls of the module's functions their form.
///
/// A producer's checks go with it into its consumer, whose points are all of the producer's, some
/// of them repeated; a check that is repeated changes nothing. Where a consumer has no points at
/// all they would be lost: such a body stays apart, and so does one with checks that reads a
/// diagonal. A function that calls back stays as it is too: the calls of a producer would be made at
/// its consumer's points, in another order, and a check fused into a traversal would stand between
/// its calls. Nor is what stands around such a traversal fused: the pass knows of no effects, so it
/// would drop a traversal that nothing reads; and a call for each element costs more than the passes
/// over memory that fusion saves. Functions of the module have no effects; but among checks they are
/// not called where one before has failed.
pub fn fuse(
    session: &Session,
    module: &mut Module<'_>,
    apart: &HashSet<&str>,
) -> Result<(), MlirError> {
    let manager = function_passes(session)?;
    let body = module.body();
    let mut next = body.first_operation();
    while let Some(mut function) = next {
        next = function.next_in_block();
        if !is_named_in(function, apart) && !calls_in_order(function) {
            function = fuse_one(session, &manager, function)?;
        }
        lower_calls(session.context(), function)?;
        lower_checks(session.context(), function)?;
        return_each_once(session, function)?;
    }
    session.dump_after("fuse", module)
}

/// The function fused; the function as it was if that loses a check, as where nothing needs the
/// answer: `(a + b) * 0`.
fn fuse_one<'c, 'a>(
    session: &'c Session,
    manager: &PassManager<'_>,
    function: OperationRef<'c, 'a>,
) -> Result<OperationRef<'c, 'a>, MlirError> {
    let checks = keys(function);
    if !checks.is_empty() && reads_diagonal(function) {
        return Ok(function);
    }
    let kept = (!checks.is_empty()).then(|| (*function).clone());
    run_on(session, manager, function)?;
    let (Some(kept), Some(module)) = (kept, function.block()) else {
        return Ok(function);
    };
    if keys(function) == checks {
        return Ok(function);
    }
    let kept = module.insert_operation_before(function, kept);
    // SAFETY: no reference to the fused function is used again.
    unsafe { mlirOperationDestroy(function.to_raw()) };
    Ok(kept)
}

/// Whether an operation of the function walks two axes of an operand by one dimension.
fn reads_diagonal(function: OperationRef<'_, '_>) -> bool {
    let mut found = false;
    function.walk(WalkOrder::PreOrder, |operation| {
        let maps = operation.attribute("indexing_maps");
        if let Ok(maps) = maps.and_then(ArrayAttribute::try_from) {
            let maps = (0..maps.len()).filter_map(|index| maps.element(index).ok());
            found |= maps.filter_map(access).any(|access| is_diagonal(&access));
        }
        WalkResult::Advance
    });
    found
}

/// Whether an operation of the function calls back, or a function of the module among checks.
fn calls_in_order(function: OperationRef<'_, '_>) -> bool {
    let calls_back = nested(function)
        .into_iter()
        .any(|operation| name_of(operation) == "llvm.call");
    calls_back || !calls(function).is_empty() && !keys(function).is_empty()
}

pub(crate) const FUSION: &str = "func.func(linalg-fuse-elementwise-ops)";

fn is_named_in(function: OperationRef<'_, '_>, names: &HashSet<&str>) -> bool {
    let symbol = function.attribute("sym_name");
    let symbol = symbol.and_then(StringAttribute::try_from);
    symbol.is_ok_and(|symbol| names.contains(symbol.value()))
}

fn function_passes(session: &Session) -> Result<PassManager<'_>, MlirError> {
    const ANCHOR: &str = "func.func";
    let anchor = MlirStringRef {
        data: ANCHOR.as_ptr().cast(),
        length: ANCHOR.len(),
    };
    // SAFETY: the name is copied, the context outlives the manager, which has no other owner.
    let manager = unsafe {
        let raw = mlirPassManagerCreateOnOperation(session.context().to_raw(), anchor);
        PassManager::from_raw(raw)
    };
    parse_pass_pipeline(manager.as_operation_pass_manager(), FUSION)
        .map_err(|error| MlirError::PassPipelineFailed(Failure::new(error.to_string())))?;
    Ok(manager)
}

fn run_on(
    session: &Session,
    manager: &PassManager<'_>,
    function: OperationRef<'_, '_>,
) -> Result<(), MlirError> {
    // SAFETY: both are alive, and the function is one of the module that the caller may change.
    let result = unsafe { mlirPassManagerRunOnOp(manager.to_raw(), function.to_raw()) };
    if result.value == 0 || session.has_errors() {
        let failure = session.take_failure("fusion failed without a diagnostic");
        return Err(MlirError::PassPipelineFailed(failure));
    }
    Ok(())
}
