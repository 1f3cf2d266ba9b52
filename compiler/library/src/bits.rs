//! Bodies with `f16` or `bf16` scalars: C has no type for them that every compiler knows, so the
//! header calls an entry that has an integer of their bits in each such place.

use codegen::{FunctionSignature, Parameter, Signature, scalar_type};
use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::types::{BasicType, BasicTypeEnum};
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, FunctionValue};
use shared_types::{ScalarClass, ScalarType};

/// The name of a body's entry, if it needs one.
pub(crate) fn entry_name(signature: &Signature) -> Option<String> {
    let has_half = |parameter: &Parameter| match parameter {
        Parameter::Scalar(scalar) => scalar.is_half(),
        Parameter::Function(function) => takes_half(function),
        Parameter::Operand(..) | Parameter::Result(..) | Parameter::Status | Parameter::Threads => {
            false
        }
    };
    let needed = signature.parameters.iter().any(has_half);
    needed.then(|| signature.symbol.replacen("mlir", "bits", 1))
}

fn takes_half(function: &FunctionSignature) -> bool {
    let mut scalars = function.parameters.iter().chain([&function.result]);
    scalars.any(|scalar| scalar.is_half())
}

/// Adds, for a body that needs one, a function that takes a 16-bit integer where the body takes a
/// half, and functions over such integers where it takes functions over halves; it calls the body.
pub(crate) fn add_entry<'l>(
    module: &Module<'l>,
    body: FunctionValue<'l>,
    signature: &Signature,
) -> Result<(), BuilderError> {
    let Some(name) = entry_name(signature) else {
        return Ok(());
    };
    let context = module.get_context();
    let types: Vec<_> = body
        .get_param_iter()
        .map(|value| value.get_type())
        .collect();
    let parameters: Vec<_> = types
        .iter()
        .map(|&ty| as_bits(context, ty).into())
        .collect();
    let ty = context.void_type().fn_type(&parameters, false);
    let entry = module.add_function(&name, ty, None);
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(entry, "entry"));
    let mut arguments = Vec::new();
    for (value, &ty) in entry.get_param_iter().zip(&types) {
        arguments.push(builder.build_bit_cast(value, ty, "")?);
    }
    let mut index = 0;
    for parameter in &signature.parameters {
        if let Parameter::Function(function) = parameter
            && takes_half(function)
        {
            let pair = [arguments[index], arguments[index + 1]];
            let name = format!("{name}.{index}");
            let wrapped = wrapped(module, &builder, &name, function, pair)?;
            arguments[index..index + 2].copy_from_slice(&wrapped);
        }
        index += parameter.word_count();
    }
    let arguments: Vec<BasicMetadataValueEnum> = arguments.into_iter().map(Into::into).collect();
    let call = builder.build_call(body, &arguments, "")?;
    // Inlined, the body would be compiled twice.
    let noinline = Attribute::get_named_enum_kind_id("noinline");
    let noinline = context.create_enum_attribute(noinline, 0);
    call.add_attribute(AttributeLoc::Function, noinline);
    builder.build_return(None)?;
    Ok(())
}

/// A function value over halves from one over bits: its environment is that pair of pointers.
fn wrapped<'l>(
    module: &Module<'l>,
    builder: &Builder<'l>,
    name: &str,
    function: &FunctionSignature,
    pair: [BasicValueEnum<'l>; 2],
) -> Result<[BasicValueEnum<'l>; 2], BuilderError> {
    let context = module.get_context();
    let pointer = context.ptr_type(AddressSpace::default());
    let pair_type = context.struct_type(&[pointer.into(), pointer.into()], false);
    let environment = builder.build_alloca(pair_type, "")?;
    for (index, member) in pair.into_iter().enumerate() {
        let place = builder.build_struct_gep(pair_type, environment, index as u32, "")?;
        builder.build_store(place, member)?;
    }

    let scalar = |&scalar: &ScalarType| scalar_type(context, scalar);
    let types: Vec<_> = function.parameters.iter().map(scalar).collect();
    let result = scalar(&function.result);
    let with_environment = |types: &mut dyn Iterator<Item = BasicTypeEnum<'l>>| {
        let environment = std::iter::once(pointer.into());
        environment.chain(types.map(Into::into)).collect::<Vec<_>>()
    };
    let halves = with_environment(&mut types.iter().copied());
    let bits = with_environment(&mut types.iter().map(|&ty| as_bits(context, ty)));
    let code = module.add_function(
        name,
        result.fn_type(&halves, false),
        Some(Linkage::Internal),
    );
    let inner = context.create_builder();
    inner.position_at_end(context.append_basic_block(code, "entry"));
    let values = code.get_params();
    let mut members = Vec::new();
    for index in 0..2 {
        let place = inner.build_struct_gep(pair_type, values[0].into_pointer_value(), index, "")?;
        members.push(inner.build_load(pointer, place, "")?);
    }
    let mut arguments: Vec<BasicMetadataValueEnum> = vec![members[1].into()];
    for (&value, &ty) in values[1..].iter().zip(&types) {
        let value = inner.build_bit_cast(value, as_bits(context, ty), "")?;
        arguments.push(value.into());
    }
    let ty = as_bits(context, result).fn_type(&bits, false);
    let call = inner.build_indirect_call(ty, members[0].into_pointer_value(), &arguments, "")?;
    for (index, &scalar) in function.parameters.iter().enumerate() {
        if let Some(extension) = extension(scalar) {
            let kind = Attribute::get_named_enum_kind_id(extension);
            let attribute = context.create_enum_attribute(kind, 0);
            call.add_attribute(AttributeLoc::Param(index as u32 + 1), attribute);
        }
    }
    let given = call.try_as_basic_value().unwrap_basic();
    inner.build_return(Some(&inner.build_bit_cast(given, result, "")?))?;
    Ok([
        code.as_global_value().as_pointer_value().into(),
        environment.into(),
    ])
}

/// The type itself, or the integer of a half's bits.
fn as_bits<'l>(context: ContextRef<'l>, ty: BasicTypeEnum<'l>) -> BasicTypeEnum<'l> {
    let halves = [context.f16_type(), context.bf16_type()];
    match halves.iter().any(|&half| ty == half.into()) {
        true => context.i16_type().into(),
        false => ty,
    }
}

/// How a caller in C extends an argument of a narrow type.
fn extension(scalar: ScalarType) -> Option<&'static str> {
    let extension = match scalar.class() {
        ScalarClass::Signed => "signext",
        ScalarClass::Float if !scalar.is_half() => return None,
        ScalarClass::Float | ScalarClass::Unsigned | ScalarClass::Bool | ScalarClass::Char => {
            "zeroext"
        }
    };
    (scalar.bytes() < 4).then_some(extension)
}
