//! Bodies that take an `f16` or `bf16` scalar: C has no type for it that every compiler knows, so
//! the header calls an entry that takes the bits.

use codegen::{Parameter, Signature};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::BuilderError;
use inkwell::module::Module;
use inkwell::types::{BasicMetadataTypeEnum, BasicTypeEnum};
use inkwell::values::{BasicMetadataValueEnum, FunctionValue};

/// The name of a body's entry, if it needs one.
pub(crate) fn entry_name(signature: &Signature) -> Option<String> {
    let is_half =
        |parameter: &Parameter| matches!(parameter, Parameter::Scalar(scalar) if scalar.is_half());
    let needed = signature.parameters.iter().any(is_half);
    needed.then(|| signature.symbol.replacen("mlir", "bits", 1))
}

/// Adds, for a body that needs one, a function that takes a 16-bit integer where the body takes a
/// half, and calls it.
pub(crate) fn add_entry<'l>(
    module: &Module<'l>,
    body: FunctionValue<'l>,
    signature: &Signature,
) -> Result<(), BuilderError> {
    let Some(name) = entry_name(signature) else {
        return Ok(());
    };
    let context = module.get_context();
    let bits = context.i16_type();
    let is_half =
        |ty: BasicTypeEnum<'l>| ty == context.f16_type().into() || ty == context.bf16_type().into();
    let types: Vec<BasicTypeEnum> = body
        .get_param_iter()
        .map(|value| value.get_type())
        .collect();
    let parameters: Vec<BasicMetadataTypeEnum> = types
        .iter()
        .map(|&ty| if is_half(ty) { bits.into() } else { ty.into() })
        .collect();
    let ty = context.void_type().fn_type(&parameters, false);
    let entry = module.add_function(&name, ty, None);
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(entry, "entry"));
    let mut arguments: Vec<BasicMetadataValueEnum> = Vec::new();
    for (value, ty) in entry.get_param_iter().zip(types) {
        arguments.push(match is_half(ty) {
            true => builder.build_bit_cast(value, ty, "")?.into(),
            false => value.into(),
        });
    }
    let call = builder.build_call(body, &arguments, "")?;
    // Inlined, the body would be compiled twice.
    let noinline = Attribute::get_named_enum_kind_id("noinline");
    call.add_attribute(
        AttributeLoc::Function,
        context.create_enum_attribute(noinline, 0),
    );
    builder.build_return(None)?;
    Ok(())
}
