//! The attributes that MLIR's translation has no place for.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::module::Module;
use inkwell::values::{CallSiteValue, FunctionValue, InstructionOpcode};

/// Makes the intrinsics of mathematics the C library's functions, and marks their calls
/// `nobuiltin`. LLVM would rewrite `pow` with a constant exponent and fold calls of constants in
/// its own arithmetic, which changes bits (numerics, §Mathematics); a call of an intrinsic loses
/// the mark where it is vectorized.
pub(crate) fn keep_mathematics(module: &Module<'_>) {
    let name = |function: FunctionValue<'_>| c_name(function.get_name().to_str().ok()?);
    let kind = Attribute::get_named_enum_kind_id("nobuiltin");
    let attribute = module.get_context().create_enum_attribute(kind, 0);
    for call in module.get_functions().flat_map(calls) {
        if call.get_called_fn_value().and_then(name).is_some() {
            call.add_attribute(AttributeLoc::Function, attribute);
        }
    }
    for function in module.get_functions() {
        // A program's own function of the name is another.
        let name = name(function).filter(|name| module.get_function(name).is_none());
        if let Some(name) = name {
            function.as_global_value().set_name(&name);
        }
    }
}

/// Marks the pointer parameters `noalias`: the body only reads its operands, and writes buffers
/// that its caller has just allocated (backend specification, §Linking into a compile). Not those
/// at the positions in `shared`.
pub fn mark_pointers_noalias(function: FunctionValue<'_>, shared: &[usize]) {
    let kind = Attribute::get_named_enum_kind_id("noalias");
    let context = function.get_type().get_context();
    let attribute = context.create_enum_attribute(kind, 0);
    for (index, parameter) in function.get_param_iter().enumerate() {
        if parameter.is_pointer_value() && !shared.contains(&index) {
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

/// The C library's name of an intrinsic that it computes.
fn c_name(intrinsic: &str) -> Option<String> {
    const FUNCTIONS: [&str; 6] = ["exp", "log", "sin", "cos", "tanh", "pow"];
    let (function, ty) = intrinsic.strip_prefix("llvm.")?.split_once('.')?;
    match ty {
        _ if !FUNCTIONS.contains(&function) => None,
        "f32" => Some(format!("{function}f")),
        "f64" => Some(function.to_string()),
        _ => None,
    }
}
