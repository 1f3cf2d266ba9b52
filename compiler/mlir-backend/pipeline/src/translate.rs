use inkwell::context::Context as LlvmContext;
use inkwell::module::Module as LlvmModule;
use melior::ir::Module;
use mlir_sys::mlirTranslateModuleToLLVMIR;

use crate::handoff::check_one_llvm;
use crate::link_attributes::keep_mathematics;
use crate::{Failure, MlirError, Session};

/// The LLVM module of an MLIR module in the `llvm` dialect (backend specification, §MLIR to LLVM
/// IR). It belongs to `context`, which is inkwell's own.
pub fn translate<'l>(
    session: &Session,
    module: &Module<'_>,
    context: &'l LlvmContext,
) -> Result<LlvmModule<'l>, MlirError> {
    check_one_llvm()?;
    // SAFETY: both are alive, `check_one_llvm` has shown that both libraries mean the same
    // LLVMContext, and the returned module has no other owner.
    let llvm = unsafe {
        let operation = module.as_operation().to_raw();
        let raw = mlirTranslateModuleToLLVMIR(operation, context.raw().cast());
        if raw.is_null() {
            let failure = session.take_failure("an operation has no translation");
            return Err(MlirError::TranslationFailed(failure));
        }
        LlvmModule::new(raw.cast())
    };
    if session.has_errors() {
        let failure = session.take_failure("an error was reported");
        return Err(MlirError::TranslationFailed(failure));
    }
    keep_mathematics(&llvm);
    Ok(llvm)
}

/// The module's textual IR, once LLVM's verifier has passed it.
pub fn finish(session: &Session, module: &LlvmModule<'_>) -> Result<String, MlirError> {
    let text = module.print_to_string().to_string_lossy().into_owned();
    if let Some(dump) = &session.dump {
        dump.write("module.ll", &text)?;
    }
    module.verify().map_err(|message| {
        MlirError::LlvmVerificationFailed(Failure::new(message.to_string_lossy()))
    })?;
    Ok(text)
}
