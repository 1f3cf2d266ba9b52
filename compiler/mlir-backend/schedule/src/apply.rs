use melior::ir::attribute::StringAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Module, OperationRef};
use mlir_lowering::ContractionShape;
use mlir_pipeline::{MlirError, Session};
use mlir_sys::{
    mlirTransformApplyNamedSequence, mlirTransformOptionsCreate, mlirTransformOptionsDestroy,
};

use crate::Target;
use crate::script::script;

/// The script of a body with these contractions, in MLIR's text.
pub fn text(contractions: &[ContractionShape], target: &Target) -> String {
    script(contractions, target)
}

/// Schedules the contractions of the functions of a module, which `contractions` tells by symbol.
pub fn schedule<'m>(
    session: &Session,
    module: &Module<'_>,
    contractions: impl Fn(&str) -> &'m [ContractionShape],
    target: &Target,
) -> Result<(), MlirError> {
    let mut next = module.body().first_operation();
    while let Some(function) = next {
        next = function.next_in_block();
        let symbol = function.attribute("sym_name");
        let Ok(symbol) = symbol.and_then(StringAttribute::try_from) else {
            continue;
        };
        let contractions = contractions(symbol.value());
        if !contractions.is_empty() {
            apply(session, function, &script(contractions, target))?;
        }
    }
    Ok(())
}

fn apply(session: &Session, function: OperationRef<'_, '_>, text: &str) -> Result<(), MlirError> {
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
