use inkwell::values::{BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode, Operand};

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
