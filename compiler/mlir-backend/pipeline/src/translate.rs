use inkwell::context::Context as LlvmContext;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module as LlvmModule;
use melior::ir::Module;
use mlir_sys::mlirTranslateModuleToLLVMIR;

use crate::bfloat::move_bfloats_as_bits;
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
    move_bfloats_as_bits(&llvm)
        .map_err(|error| MlirError::TranslationFailed(Failure::new(error.to_string())))?;
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

/// The textual IR of a module in LLVM's bitcode; of nothing, nothing.
pub fn bitcode_text(bitcode: &[u8]) -> Result<String, MlirError> {
    if bitcode.is_empty() {
        return Ok(String::new());
    }
    let context = LlvmContext::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "kernels");
    let module = LlvmModule::parse_bitcode_from_buffer(&buffer, &context)
        .map_err(|message| MlirError::TranslationFailed(Failure::new(message.to_string_lossy())))?;
    Ok(module.print_to_string().to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(text: &str) -> Result<String, MlirError> {
        let session = Session::new("test")?;
        let module = Module::parse(session.context(), text).unwrap();
        let context = LlvmContext::create();
        let llvm = translate(&session, &module, &context)?;
        finish(&session, &llvm)
    }

    #[test]
    fn what_no_pass_has_lowered_is_not_translated() {
        let left = "llvm.func @f(%0: i64) -> i64 {
            %1 = builtin.unrealized_conversion_cast %0 : i64 to index
            %2 = builtin.unrealized_conversion_cast %1 : index to i64
            llvm.return %2 : i64
        }";
        let MlirError::TranslationFailed(failure) = translated(left).unwrap_err() else {
            panic!("another error");
        };
        assert!(failure.message.contains("conversion_cast"), "{failure}");
        assert!(matches!(
            translated("func.func @f() { return }"),
            Err(MlirError::TranslationFailed(_))
        ));
    }

    #[test]
    fn what_llvm_refuses_is_an_error() {
        let session = Session::new("test").unwrap();
        let context = LlvmContext::create();
        let module = context.create_module("test");
        let ty = context.i32_type().fn_type(&[], false);
        let function = module.add_function("f", ty, None);
        context.append_basic_block(function, "without an end");
        let error = finish(&session, &module).unwrap_err();
        assert!(
            matches!(error, MlirError::LlvmVerificationFailed(_)),
            "{error}"
        );
    }
}
