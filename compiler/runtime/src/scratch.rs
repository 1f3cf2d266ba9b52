use std::alloc::{Layout, alloc, dealloc};
use std::hint::black_box;

use inkwell::values::{BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode, Operand};
use tensor::TensorError;

/// The bytes that a body allocates while it runs; `None` where only running it tells.
pub(crate) fn scratch_bytes(function: FunctionValue<'_>) -> Option<usize> {
    let mut bytes = 0usize;
    let blocks = function.get_basic_block_iter();
    for instruction in blocks.flat_map(|block| block.get_instructions()) {
        if instruction.get_opcode() != InstructionOpcode::Call {
            continue;
        }
        let call = CallSiteValue::try_from(instruction).ok()?;
        let callee = call.get_called_fn_value();
        if callee.is_none_or(|callee| callee.get_name().to_bytes() != b"malloc") {
            continue;
        }
        let Some(Operand::Value(BasicValueEnum::IntValue(size))) = instruction.get_operand(0)
        else {
            return None;
        };
        let size = size.get_zero_extended_constant()?;
        bytes = bytes.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
    }
    Some(bytes)
}

/// Whether that much memory can be had. A body does not ask: its `malloc` would give null, and
/// nothing could stop it there.
pub(crate) fn check_available(bytes: usize) -> Result<(), TensorError> {
    if bytes == 0 {
        return Ok(());
    }
    let out_of_memory = TensorError::OutOfMemory { bytes };
    let Ok(layout) = Layout::from_size_align(bytes, 1) else {
        return Err(out_of_memory);
    };
    // SAFETY: the size is not 0, and the memory is freed as it was had, untouched.
    unsafe {
        // LLVM would drop memory that nothing sees, and take it as had.
        let memory = black_box(alloc(layout));
        if memory.is_null() {
            return Err(out_of_memory);
        }
        dealloc(memory, layout);
    }
    Ok(())
}
