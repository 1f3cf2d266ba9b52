//! The few calls of ORC's C API that load an object file.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use inkwell::llvm_sys::orc2::lljit::{
    LLVMOrcCreateLLJIT, LLVMOrcDisposeLLJIT, LLVMOrcLLJITAddObjectFile,
    LLVMOrcLLJITGetExecutionSession, LLVMOrcLLJITGetMainJITDylib, LLVMOrcLLJITLookup,
    LLVMOrcLLJITMangleAndIntern, LLVMOrcLLJITRef,
};
use inkwell::llvm_sys::orc2::{
    LLVMJITEvaluatedSymbol, LLVMJITSymbolFlags, LLVMJITSymbolGenericFlags, LLVMOrcAbsoluteSymbols,
    LLVMOrcCSymbolMapPair, LLVMOrcExecutionSessionSetErrorReporter, LLVMOrcJITDylibDefine,
};
use inkwell::memory_buffer::MemoryBuffer;

use crate::CodegenError;

/// An object file in executable memory, which goes when this is dropped. The symbols that it
/// lacks are those that the caller maps, then the process's own.
pub struct LoadedObject {
    jit: LLVMOrcLLJITRef,
    /// What ORC reports beside the errors that its calls return; boxed, as ORC holds its address.
    reports: Box<Reports>,
}

type Reports = Mutex<Vec<String>>;

// SAFETY: an LLJIT locks its session itself, and belongs to no thread.
unsafe impl Send for LoadedObject {}
// SAFETY: as above; what `&self` reaches is the lookup.
unsafe impl Sync for LoadedObject {}

impl LoadedObject {
    /// `object` was compiled for this machine by this crate. `symbols` are names with the addresses
    /// of what the code calls or reads by them, which outlives it.
    pub fn load(
        object: MemoryBuffer<'static>,
        symbols: &[(&str, usize)],
    ) -> Result<LoadedObject, CodegenError> {
        let mut jit = null_mut();
        // SAFETY: without a builder LLVM takes a default one.
        check(unsafe { LLVMOrcCreateLLJIT(&mut jit, null_mut()) })?;
        let loaded = LoadedObject {
            jit,
            reports: Box::default(),
        };
        // SAFETY: the JIT is alive; the reports outlive it, as `drop` ends it first. Adding takes
        // the buffer over, whatever comes of it.
        unsafe {
            LLVMOrcExecutionSessionSetErrorReporter(
                LLVMOrcLLJITGetExecutionSession(jit),
                report,
                (&raw const *loaded.reports).cast_mut().cast::<c_void>(),
            );
            let buffer = object.as_mut_ptr();
            std::mem::forget(object);
            let library = LLVMOrcLLJITGetMainJITDylib(jit);
            check(LLVMOrcLLJITAddObjectFile(jit, library, buffer))?;
        }
        loaded.map(symbols)?;
        Ok(loaded)
    }

    fn map(&self, symbols: &[(&str, usize)]) -> Result<(), CodegenError> {
        if symbols.is_empty() {
            return Ok(());
        }
        let mut pairs = Vec::new();
        for &(symbol, address) in symbols {
            let name = c_name(symbol)?;
            // SAFETY: the JIT is alive, and the name ends in a zero.
            let name = unsafe { LLVMOrcLLJITMangleAndIntern(self.jit, name.as_ptr()) };
            pairs.push(LLVMOrcCSymbolMapPair {
                Name: name,
                Sym: LLVMJITEvaluatedSymbol {
                    Address: address as u64,
                    Flags: LLVMJITSymbolFlags {
                        GenericFlags: LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported
                            as u8,
                        TargetFlags: 0,
                    },
                },
            });
        }
        // SAFETY: the names are taken over with the pairs, which are copied; the library takes the
        // unit over.
        check(unsafe {
            let unit = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
            LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(self.jit), unit)
        })
    }

    /// The address of a symbol, valid while this lives.
    pub fn address(&self, symbol: &str) -> Result<usize, CodegenError> {
        let name = c_name(symbol)?;
        let mut address = 0;
        // SAFETY: the JIT is alive, and the name ends in a zero.
        let result = unsafe { LLVMOrcLLJITLookup(self.jit, &mut address, name.as_ptr()) };
        check(result).map_err(|error| {
            let reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
            match reports.is_empty() {
                true => error,
                false => CodegenError::Load(reports.join("; ")),
            }
        })?;
        Ok(address as usize)
    }
}

impl Drop for LoadedObject {
    fn drop(&mut self) {
        // SAFETY: nothing else disposes of it. An error here has nobody to hear it.
        let _ = check(unsafe { LLVMOrcDisposeLLJIT(self.jit) });
    }
}

extern "C" fn report(reports: *mut c_void, error: LLVMErrorRef) {
    // SAFETY: the pointer is the one that `load` gave, and the reports are alive.
    let reports = unsafe { &*reports.cast_const().cast::<Reports>() };
    if let Err(error) = check(error) {
        let mut reports = reports.lock().unwrap_or_else(PoisonError::into_inner);
        reports.push(error.to_string());
    }
}

fn c_name(symbol: &str) -> Result<CString, CodegenError> {
    CString::new(symbol).map_err(|_| CodegenError::UnknownSymbol(symbol.to_string()))
}

/// Takes an LLVM error over.
fn check(error: LLVMErrorRef) -> Result<(), CodegenError> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the error is this function's, which asks for its message once and frees that.
    let text = unsafe {
        let message: *mut c_char = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        text
    };
    Err(CodegenError::Load(text))
}
