use std::ffi::CString;

use inkwell::builder::BuilderError;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::values::FunctionValue;

use crate::diagnostics::QuietContext;
use crate::machine::Machine;
use crate::scratch::Scratch;
use crate::{CodegenError, Processor, Signature};

/// A module as machine code.
pub struct Compiled {
    /// An object file of the system.
    pub object: MemoryBuffer<'static>,
    /// What the body of each signature allocates.
    pub scratch: Vec<Scratch>,
}

/// Compiles a module at `-O3`.
///
/// `ir` is LLVM IR as text that defines a body for each signature, in any order. `add_entry` adds
/// to the module what the caller calls that body through, if anything.
pub fn compile(
    ir: &str,
    signatures: &[Signature],
    processor: &Processor,
    add_entry: impl for<'l> Fn(&Module<'l>, FunctionValue<'l>, &Signature) -> Result<(), BuilderError>,
) -> Result<Compiled, CodegenError> {
    let machine = Machine::new(processor)?;
    let llvm = QuietContext::new();
    let parse = |message: &dyn ToString| CodegenError::Parse(message.to_string());
    // LLVM's parser wants the zero after the end.
    let text = CString::new(ir).map_err(|error| parse(&error))?;
    let buffer = MemoryBuffer::create_from_memory_range(text.as_bytes(), "linked");
    let module = llvm
        .context
        .create_module_from_ir(buffer)
        .map_err(|error| parse(&error))?;
    let mut scratch = Vec::new();
    for signature in signatures {
        let symbol = &signature.symbol;
        let function = module
            .get_function(symbol)
            .filter(|function| function.count_basic_blocks() > 0)
            .ok_or_else(|| CodegenError::UnknownSymbol(symbol.clone()))?;
        signature.check(function.get_type())?;
        scratch.push(Scratch::of(&module, function).ok_or_else(|| {
            CodegenError::Compile(format!("`{symbol}` allocates what is not known before"))
        })?);
        add_entry(&module, function, signature)
            .map_err(|error| CodegenError::Compile(error.to_string()))?;
    }
    let object = machine.compile(&module)?;
    match llvm.errors() {
        Some(errors) => Err(CodegenError::Compile(errors)),
        None => Ok(Compiled { object, scratch }),
    }
}
