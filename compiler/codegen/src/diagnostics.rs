use std::ffi::{CStr, c_void};
use std::sync::{Mutex, PoisonError};

use inkwell::context::Context;
use inkwell::llvm_sys::LLVMDiagnosticSeverity;
use inkwell::llvm_sys::core::{
    LLVMContextSetDiagnosticHandler, LLVMDisposeMessage, LLVMGetDiagInfoDescription,
    LLVMGetDiagInfoSeverity,
};
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;

/// An LLVM context whose errors are kept: by default LLVM prints them and ends the process.
pub struct QuietContext {
    pub context: Context,
    /// Boxed, as the context holds its address.
    errors: Box<Errors>,
}

type Errors = Mutex<Vec<String>>;

impl Default for QuietContext {
    fn default() -> Self {
        QuietContext::new()
    }
}

impl QuietContext {
    pub fn new() -> Self {
        let context = Context::create();
        let errors: Box<Errors> = Box::default();
        let sink = (&raw const *errors).cast_mut().cast::<c_void>();
        // SAFETY: the context is alive, and is dropped before the errors: fields drop in order.
        unsafe { LLVMContextSetDiagnosticHandler(context.raw(), Some(keep), sink) };
        QuietContext { context, errors }
    }

    /// What was reported so far, if anything.
    pub fn errors(&self) -> Option<String> {
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        (!errors.is_empty()).then(|| errors.join("; "))
    }
}

extern "C" fn keep(diagnostic: LLVMDiagnosticInfoRef, sink: *mut c_void) {
    // SAFETY: LLVM gives a live diagnostic, whose description is the caller's to dispose of, and
    // the address that `new` gave it.
    unsafe {
        if LLVMGetDiagInfoSeverity(diagnostic) != LLVMDiagnosticSeverity::LLVMDSError {
            return;
        }
        let description = LLVMGetDiagInfoDescription(diagnostic);
        let text = CStr::from_ptr(description).to_string_lossy().into_owned();
        LLVMDisposeMessage(description);
        let errors = &*sink.cast_const().cast::<Errors>();
        errors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(text);
    }
}
