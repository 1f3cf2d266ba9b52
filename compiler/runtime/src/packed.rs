use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::BuilderError;
use inkwell::context::ContextRef;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, FunctionValue};

/// The name of the entry that [`add_packed_entry`] makes. A body's own is a C identifier.
pub(crate) fn packed_name(symbol: &str) -> String {
    format!("{symbol}.packed")
}

/// Adds `void symbol.packed(ptr words)`, which calls `function` with one argument from each 64-bit
/// word: whatever the signature, Rust calls one type.
pub(crate) fn add_packed_entry<'l>(
    module: &Module<'l>,
    function: FunctionValue<'l>,
    symbol: &str,
) -> Result<(), BuilderError> {
    let context: ContextRef = module.get_context();
    let pointer = context.ptr_type(AddressSpace::default());
    let ty = context.void_type().fn_type(&[pointer.into()], false);
    let entry = module.add_function(&packed_name(symbol), ty, None);
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(entry, "entry"));

    let word = context.i64_type();
    let words = entry.get_params()[0].into_pointer_value();
    let mut arguments: Vec<BasicMetadataValueEnum> = Vec::new();
    for (index, parameter) in function.get_param_iter().enumerate() {
        let index = word.const_int(index as u64, false);
        // SAFETY: the caller of the entry gives as many words as the function has parameters.
        let place = unsafe { builder.build_in_bounds_gep(word, words, &[index], "")? };
        let ty: BasicTypeEnum = parameter.get_type();
        arguments.push(builder.build_load(ty, place, "")?.into());
    }
    let call = builder.build_call(function, &arguments, "")?;
    // Inlined, the body would be compiled twice.
    let kind = Attribute::get_named_enum_kind_id("noinline");
    call.add_attribute(
        AttributeLoc::Function,
        context.create_enum_attribute(kind, 0),
    );
    builder.build_return(None)?;
    Ok(())
}
