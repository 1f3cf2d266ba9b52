//! The attributes that MLIR's translation has no place for.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::{CallSiteValue, FunctionValue, InstructionOpcode};

/// Marks the calls of mathematics `nobuiltin`. Without it LLVM rewrites `pow` with a constant
/// exponent and folds calls of constants in its own arithmetic, which changes bits (numerics,
/// §Mathematics).
pub(crate) fn keep_mathematics(module: &Module<'_>) {
    let kind = Attribute::get_named_enum_kind_id("nobuiltin");
    let attribute = module.get_context().create_enum_attribute(kind, 0);
    for call in module.get_functions().flat_map(calls) {
        let callee = call.get_called_fn_value();
        let name = callee.as_ref().map(|callee| callee.get_name().to_bytes());
        if name.is_some_and(is_mathematics) {
            call.add_attribute(AttributeLoc::Function, attribute);
        }
    }
}

/// Marks every pointer parameter `noalias`: the body only reads its operands, and writes buffers
/// that its caller has just allocated (backend specification, §Linking into a compile).
pub fn mark_pointers_noalias(function: FunctionValue<'_>) {
    let kind = Attribute::get_named_enum_kind_id("noalias");
    let context = function.get_type().get_context();
    let attribute = context.create_enum_attribute(kind, 0);
    for (index, parameter) in function.get_param_iter().enumerate() {
        if parameter.is_pointer_value() {
            function.add_attribute(AttributeLoc::Param(index as u32), attribute);
        }
    }
}

fn calls(function: FunctionValue<'_>) -> impl Iterator<Item = CallSiteValue<'_>> {
    function
        .get_basic_block_iter()
        .flat_map(|block| block.get_instructions())
        .filter(|instruction| instruction.get_opcode() == InstructionOpcode::Call)
        .filter_map(|instruction| CallSiteValue::try_from(instruction).ok())
}

fn is_mathematics(name: &[u8]) -> bool {
    const INTRINSICS: [&str; 6] = ["exp", "log", "sin", "cos", "tanh", "pow"];
    let stem = std::str::from_utf8(name)
        .ok()
        .and_then(|name| name.strip_prefix("llvm."))
        .and_then(|name| name.split('.').next());
    stem.is_some_and(|stem| INTRINSICS.contains(&stem))
}
