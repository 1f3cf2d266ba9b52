//! What schedules ask of vectors that are read from buffers.

use melior::ir::attribute::{ArrayAttribute, Attribute, BoolAttribute, DenseI32ArrayAttribute};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, TypeLike, Value};
use mlir_pipeline::rewrite::{Place, Rewritten, internal};
use mlir_sys::{mlirShapedTypeGetDimSize, mlirShapedTypeGetRank};

/// The extents of a vector or buffer, whose rank is known.
pub(crate) fn shape(ty: Type<'_>) -> Vec<u64> {
    // SAFETY: both are shaped types with a rank.
    unsafe {
        let rank = mlirShapedTypeGetRank(ty.to_raw());
        (0..rank as isize)
            .map(|axis| mlirShapedTypeGetDimSize(ty.to_raw(), axis) as u64)
            .collect()
    }
}

/// Whether the buffer holds all of the vector, as the transfer says.
pub(crate) fn is_in_bounds(transfer: OperationRef<'_, '_>) -> Option<bool> {
    let axes = ArrayAttribute::try_from(transfer.attribute("in_bounds").ok()?).ok()?;
    let holds = |axis| BoolAttribute::try_from(axes.element(axis).ok()?).ok();
    Some((0..axes.len()).all(|axis| holds(axis).is_some_and(|holds| holds.value())))
}

/// The elements of a buffer that lie side by side along its last axis, as a vector of this type.
pub(crate) fn read_run<'c, 'a>(
    place: Place<'c, 'a>,
    buffer: Value<'c, 'a>,
    indices: &[Value<'c, 'a>],
    padding: Value<'c, 'a>,
    ty: Type<'c>,
) -> Rewritten<Value<'c, 'a>> {
    let rank = indices.len();
    let axes: Vec<String> = (0..rank).map(|axis| format!("d{axis}")).collect();
    let map = format!("affine_map<({}) -> (d{})>", axes.join(", "), rank - 1);
    let map = Attribute::parse(place.context, &map);
    let map = map.ok_or_else(|| internal("a map that does not parse"))?;
    let yes = BoolAttribute::new(place.context, true).into();
    // The buffer, its indices, the padding, no mask.
    let segments = DenseI32ArrayAttribute::new(place.context, &[1, rank as i32, 1, 0]);
    let read = place
        .operation("vector.transfer_read")
        .add_operands(&[&[buffer], indices, &[padding]].concat())
        .add_attributes(&[
            place.named("permutation_map", map),
            place.named("in_bounds", ArrayAttribute::new(place.context, &[yes])),
            place.named("operandSegmentSizes", segments),
        ])
        .add_results(&[ty]);
    place.value(read)
}
