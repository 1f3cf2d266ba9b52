//! Views of a tensor's elements in another shape, and windows of it: no element moves.

use melior::ir::attribute::{
    ArrayAttribute, Attribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute,
};
use melior::ir::{Identifier, Type, Value, ValueLike};

use crate::at::{At, Built};
use crate::types::integer_type;

/// The window of `extents` that starts at `offset` along `axis` and at 0 along the others.
pub(crate) fn window<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    ty: Type<'c>,
    (axis, offset): (usize, u64),
    extents: &[u64],
) -> Built<Value<'c, 'b>> {
    let mut offsets = vec![0; extents.len()];
    offsets[axis] = offset as i64;
    let operation = at
        .operation("tensor.extract_slice")
        .add_attributes(&bounds(at, &offsets, extents, 1))
        .add_operands(&[source])
        .add_results(&[ty]);
    at.value(operation)
}

/// `part`, of `extents`, put over the start of `whole`.
pub(crate) fn overwrite_start<'c: 'b, 'b>(
    at: At<'c, 'b>,
    part: Value<'c, 'b>,
    whole: Value<'c, 'b>,
    extents: &[u64],
) -> Built<Value<'c, 'b>> {
    let operation = at
        .operation("tensor.insert_slice")
        .add_attributes(&bounds(at, &vec![0; extents.len()], extents, 2))
        .add_operands(&[part, whole])
        .add_results(&[whole.r#type()]);
    at.value(operation)
}

/// The axes of each group as one.
pub(crate) fn collapse<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    ty: Type<'c>,
    groups: &[Vec<usize>],
) -> Built<Value<'c, 'b>> {
    let operation = at
        .operation("tensor.collapse_shape")
        .add_attributes(&[reassociation(at, groups)])
        .add_operands(&[source])
        .add_results(&[ty]);
    at.value(operation)
}

/// Each axis as a group of axes, `extents` in all.
pub(crate) fn expand<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    ty: Type<'c>,
    groups: &[Vec<usize>],
    extents: &[u64],
) -> Built<Value<'c, 'b>> {
    let extents: Vec<i64> = extents.iter().map(|&extent| extent as i64).collect();
    let shape = DenseI64ArrayAttribute::new(at.context, &extents);
    let operation = at
        .operation("tensor.expand_shape")
        .add_attributes(&[
            reassociation(at, groups),
            at.named("static_output_shape", shape),
        ])
        .add_operands(&[source])
        .add_results(&[ty]);
    at.value(operation)
}

pub(crate) type NamedAttribute<'c> = (Identifier<'c>, Attribute<'c>);

/// The attributes of a window with static bounds and unit strides, after `operands` tensors.
fn bounds<'c>(
    at: At<'c, '_>,
    offsets: &[i64],
    extents: &[u64],
    operands: usize,
) -> Vec<NamedAttribute<'c>> {
    let sizes: Vec<i64> = extents.iter().map(|&extent| extent as i64).collect();
    let strides = vec![1; extents.len()];
    let mut segments = vec![1; operands];
    segments.extend([0; 3]);
    let list = |values: &[i64]| DenseI64ArrayAttribute::new(at.context, values);
    vec![
        at.named("static_offsets", list(offsets)),
        at.named("static_sizes", list(&sizes)),
        at.named("static_strides", list(&strides)),
        at.named(
            "operandSegmentSizes",
            DenseI32ArrayAttribute::new(at.context, &segments),
        ),
    ]
}

pub(crate) fn reassociation<'c>(at: At<'c, '_>, groups: &[Vec<usize>]) -> NamedAttribute<'c> {
    let wide = integer_type(at.context, 64);
    let group = |axes: &Vec<usize>| -> Attribute<'c> {
        let axes: Vec<Attribute> = axes
            .iter()
            .map(|&axis| IntegerAttribute::new(wide, axis as i64).into())
            .collect();
        ArrayAttribute::new(at.context, &axes).into()
    };
    let groups: Vec<Attribute> = groups.iter().map(group).collect();
    at.named("reassociation", ArrayAttribute::new(at.context, &groups))
}
