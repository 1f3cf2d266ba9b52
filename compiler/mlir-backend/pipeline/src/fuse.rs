use std::collections::HashSet;

use melior::ir::attribute::StringAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Module, OperationRef};
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use mlir_sys::{MlirStringRef, mlirPassManagerCreateOnOperation, mlirPassManagerRunOnOp};

use crate::{Failure, MlirError, Session};

/// Fuses each element-wise operation into the one operation that uses it, in all functions but
/// those named in `apart` (backend specification, §MLIR to LLVM IR).
///
/// A body with integer checks stays apart: fusion moves the checks of a producer into its
/// consumer, where they are lost if the consumer has no points, and leaves the producer behind.
pub fn fuse(
    session: &Session,
    module: &mut Module<'_>,
    apart: &HashSet<&str>,
) -> Result<(), MlirError> {
    if let Some(dump) = &session.dump {
        dump.after("lowering", &module.as_operation().to_string())?;
    }
    let manager = function_passes(session)?;
    let body = module.body();
    let mut next = body.first_operation();
    while let Some(function) = next {
        next = function.next_in_block();
        if !is_named_in(function, apart) {
            run_on(session, &manager, function)?;
        }
    }
    if let Some(dump) = &session.dump {
        dump.after("fuse", &module.as_operation().to_string())?;
    }
    Ok(())
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
