use melior::ir::block::BlockLike;
use melior::ir::{Module, OperationRef};
use mlir_pipeline::{MlirError, Session};
use mlir_sys::{
    mlirTransformApplyNamedSequence, mlirTransformOptionsCreate, mlirTransformOptionsDestroy,
};

/// Runs a script over a function.
pub(crate) fn apply(
    session: &Session,
    function: OperationRef<'_, '_>,
    text: &str,
) -> Result<(), MlirError> {
    let failed = |otherwise| {
        Err(MlirError::PassPipelineFailed(
            session.take_failure(otherwise),
        ))
    };
    let Some(script) = Module::parse(session.context(), text) else {
        return failed("the schedule does not parse");
    };
    let Some(sequence) = script.body().first_operation() else {
        return failed("the schedule is empty");
    };
    // SAFETY: the payload, the sequence and its module are alive, and the payload is one of the
    // module that the caller may change; the options live for the call.
    let result = unsafe {
        let options = mlirTransformOptionsCreate();
        let module = script.as_operation().to_raw();
        let result =
            mlirTransformApplyNamedSequence(function.to_raw(), sequence.to_raw(), module, options);
        mlirTransformOptionsDestroy(options);
        result
    };
    if result.value == 0 || session.has_errors() {
        return failed("the schedule failed without a diagnostic");
    }
    Ok(())
}
