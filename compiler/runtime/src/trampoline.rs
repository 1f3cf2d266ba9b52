use codegen::{FunctionSignature, scalar_type};
use inkwell::AddressSpace;
use inkwell::builder::BuilderError;
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::types::BasicType;

/// The name of the code of a signature's function values. A body's own is a C identifier.
pub(crate) fn trampoline_name(signature: &FunctionSignature) -> String {
    let scalars = signature.parameters.iter().chain([&signature.result]);
    let names: Vec<&str> = scalars.map(|scalar| scalar.name()).collect();
    format!("trampoline.{}", names.join("."))
}

/// Adds the code of a signature's function values, where the module has it not: `R name(ptr environment, P…)`. It puts an
/// argument in each 64-bit word, calls what the environment's first word points to, `void
/// enter(ptr environment, ptr words)`, and takes its result from the first word: Rust is called by
/// one type, and no address stands in the code.
pub(crate) fn add_trampoline(
    module: &Module<'_>,
    signature: &FunctionSignature,
) -> Result<(), BuilderError> {
    let name = trampoline_name(signature);
    if module.get_function(&name).is_some() {
        return Ok(());
    }
    let context: ContextRef = module.get_context();
    let pointer = context.ptr_type(AddressSpace::default());
    let word = context.i64_type();
    let mut types = vec![pointer.into()];
    for &parameter in &signature.parameters {
        types.push(scalar_type(context, parameter).into());
    }
    let result = scalar_type(context, signature.result);
    let function = module.add_function(&name, result.fn_type(&types, false), None);
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(function, "entry"));

    let values = function.get_params();
    let environment = values[0].into_pointer_value();
    let count = signature.parameters.len().max(1) as u32;
    let words = builder.build_alloca(word.array_type(count), "words")?;
    for (index, &value) in values[1..].iter().enumerate() {
        let index = word.const_int(index as u64, false);
        // SAFETY: there is a word for each parameter.
        let place = unsafe { builder.build_in_bounds_gep(word, words, &[index], "")? };
        builder.build_store(place, word.const_zero())?;
        builder.build_store(place, value)?;
    }
    let enter = builder.build_load(pointer, environment, "enter")?;
    let ty = context
        .void_type()
        .fn_type(&[pointer.into(), pointer.into()], false);
    let arguments = [environment.into(), words.into()];
    builder.build_indirect_call(ty, enter.into_pointer_value(), &arguments, "")?;
    builder.build_return(Some(&builder.build_load(result, words, "")?))?;
    Ok(())
}
