//! HIR types as MLIR types (backend specification, §Lowering Rules).

use melior::Context;
use melior::ir::Type;
use melior::ir::r#type::{IntegerType, MemRefType, RankedTensorType, ShapedTypeLike};
use mlir_pipeline::MlirError;
use neuro_hir::{Extent, HirType, TensorType};
use shared_types::{ScalarType, Span};

use crate::at::{Built, internal};
use crate::unlowered::Unlowered;

/// MLIR's sign for an extent that is not known, `ShapedType::kDynamic`.
const DYNAMIC: u64 = i64::MIN as u64;

/// A scalar; integers are signless, the operation carries the sign.
pub(crate) fn scalar_type(context: &Context, scalar: ScalarType) -> Type<'_> {
    match scalar {
        ScalarType::Bool => integer_type(context, 1),
        ScalarType::I8 | ScalarType::U8 => integer_type(context, 8),
        ScalarType::I16 | ScalarType::U16 => integer_type(context, 16),
        ScalarType::I32 | ScalarType::U32 | ScalarType::Char => integer_type(context, 32),
        ScalarType::I64 | ScalarType::U64 => integer_type(context, 64),
        ScalarType::F16 => Type::float16(context),
        ScalarType::Bf16 => Type::bfloat16(context),
        ScalarType::F32 => Type::float32(context),
        ScalarType::F64 => Type::float64(context),
    }
}

pub(crate) fn integer_type(context: &Context, bits: u32) -> Type<'_> {
    IntegerType::new(context, bits).into()
}

/// A ranked tensor. Its elements are scalars, and it has less than 2^63 bytes.
pub(crate) fn tensor_type<'c>(
    context: &'c Context,
    tensor: &TensorType,
    span: Span,
) -> Built<Type<'c>> {
    let Some(element) = tensor.scalar() else {
        let reason = format!("`{tensor}`, whose elements are no scalars");
        return Unlowered::refused(reason, span);
    };
    let known = tensor.extents().filter(|&extent| extent != Extent::Dynamic);
    let size = TensorType::with_extents(ScalarType::U8, known).elements();
    // No element takes more than 8 bytes.
    let bytes = size.and_then(|count| count.checked_mul(8));
    if bytes.is_none_or(|bytes| bytes > i64::MAX as u64) {
        let reason = format!("`{tensor}`, which has 2^63 bytes or more");
        return Unlowered::limit(reason, span);
    }
    let extent = |extent: Extent| extent.known().unwrap_or(DYNAMIC);
    let extents: Vec<u64> = tensor.extents().map(extent).collect();
    let element = scalar_type(context, element);
    Ok(RankedTensorType::new(&extents, element, None).into())
}

/// The row-major buffer of a tensor.
pub(crate) fn buffer_type<'c>(
    context: &'c Context,
    tensor: &TensorType,
    span: Span,
) -> Built<Type<'c>> {
    let ranked = RankedTensorType::try_from(tensor_type(context, tensor, span)?);
    let element = ranked.map_err(internal)?.element();
    let extents: Vec<i64> = tensor
        .extents()
        .map(|extent| extent.known().unwrap_or(DYNAMIC) as i64)
        .collect();
    Ok(MemRefType::new(element, &extents, None, None).into())
}

/// A type in the signature of a declaration. `void` has none.
pub(crate) fn declared_type<'c>(
    context: &'c Context,
    ty: &HirType,
    span: Span,
) -> Result<Type<'c>, MlirError> {
    let unsupported = || MlirError::UnsupportedType {
        ty: ty.to_string(),
        span,
    };
    match ty {
        HirType::Scalar(scalar) => Ok(scalar_type(context, *scalar)),
        HirType::Tensor(tensor) => tensor_type(context, tensor, span).map_err(|_| unsupported()),
        HirType::Function(_) => Ok(function_value_type(context)),
        HirType::Reference { .. } | HirType::Tuple(_) | HirType::String | HirType::Nominal(_) => {
            Ok(pointer_type(context))
        }
        HirType::Void => Err(unsupported()),
    }
}

pub(crate) fn pointer_type(context: &Context) -> Type<'_> {
    melior::dialect::llvm::r#type::pointer(context, 0)
}

/// The pair of a function and its environment.
pub(crate) fn function_value_type(context: &Context) -> Type<'_> {
    let pointer = pointer_type(context);
    melior::dialect::llvm::r#type::r#struct(context, &[pointer, pointer], false)
}
