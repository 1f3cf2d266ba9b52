use inkwell::AddressSpace;
use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{BasicMetadataValueEnum, FunctionValue};

use super::name;

/// The name of what [`add`] adds.
pub(crate) fn entry_name(kernel: &str) -> String {
    format!("emulator.enter.{kernel}")
}

/// Adds `void entry(ptr arguments)`, which calls a kernel with what each of the pointers at
/// `arguments` points to: whatever the kernel takes, Rust calls one type.
pub(crate) fn add(module: &Module<'_>, kernel: FunctionValue<'_>) -> Result<(), BuilderError> {
    let context = module.get_context();
    let pointer = context.ptr_type(AddressSpace::default());
    let ty = context.void_type().fn_type(&[pointer.into()], false);
    let entry = module.add_function(&entry_name(&name(kernel)), ty, None);
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(entry, "entry"));
    let words = entry.get_params()[0].into_pointer_value();
    let word = context.i64_type();
    let mut arguments: Vec<BasicMetadataValueEnum<'_>> = Vec::new();
    for (index, parameter) in kernel.get_param_iter().enumerate() {
        let index = word.const_int(index as u64, false);
        // SAFETY: a launch gives as many pointers as the kernel has parameters.
        let place = unsafe { builder.build_in_bounds_gep(pointer, words, &[index], "")? };
        let place = builder.build_load(pointer, place, "")?.into_pointer_value();
        let ty: BasicTypeEnum<'_> = parameter.get_type();
        arguments.push(builder.build_load(ty, place, "")?.into());
    }
    builder.build_call(kernel, &arguments, "")?;
    builder.build_return(None)?;
    Ok(())
}
