use inkwell::module::Module;
use inkwell::values::{BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode, Operand};

/// The bytes of memory that a body allocates while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    /// Once.
    pub body: usize,
    /// For each thread that shares its loops (the ABI, §Threads).
    pub thread: usize,
}

impl Scratch {
    /// `None` where only running the body tells.
    pub(crate) fn of(module: &Module<'_>, body: FunctionValue<'_>) -> Option<Scratch> {
        let body = forwarded(body).unwrap_or(body);
        let tasks = format!("{}.task", body.get_name().to_string_lossy());
        let mut scratch = Scratch {
            body: bytes(body)?,
            thread: 0,
        };
        for function in module.get_functions() {
            if function.get_name().to_string_lossy().starts_with(&tasks) {
                scratch.thread = scratch.thread.max(bytes(function)?);
            }
        }
        Some(scratch)
    }

    /// With so many threads.
    pub fn total(self, threads: usize) -> usize {
        self.body
            .saturating_add(self.thread.saturating_mul(threads))
    }
}

/// The function of the module that a function does nothing but call.
fn forwarded<'l>(function: FunctionValue<'l>) -> Option<FunctionValue<'l>> {
    let first = function.get_first_basic_block()?.get_first_instruction()?;
    let is_last = first.get_next_instruction()?.get_opcode() == InstructionOpcode::Return;
    let callee = CallSiteValue::try_from(first).ok()?.get_called_fn_value()?;
    (is_last && callee.count_basic_blocks() > 0).then_some(callee)
}

fn bytes(function: FunctionValue<'_>) -> Option<usize> {
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
