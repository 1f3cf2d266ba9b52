use inkwell::context::ContextRef;
use inkwell::types::BasicTypeEnum;
use shared_types::ScalarType;

/// A scalar's type in LLVM IR.
pub fn scalar_type(context: ContextRef<'_>, scalar: ScalarType) -> BasicTypeEnum<'_> {
    match scalar {
        ScalarType::Bool => context.bool_type().into(),
        ScalarType::I8 | ScalarType::U8 => context.i8_type().into(),
        ScalarType::I16 | ScalarType::U16 => context.i16_type().into(),
        ScalarType::I32 | ScalarType::U32 | ScalarType::Char => context.i32_type().into(),
        ScalarType::I64 | ScalarType::U64 => context.i64_type().into(),
        ScalarType::F16 => context.f16_type().into(),
        ScalarType::Bf16 => context.bf16_type().into(),
        ScalarType::F32 => context.f32_type().into(),
        ScalarType::F64 => context.f64_type().into(),
    }
}
