//! Buffers: memory that a body reads and writes in place.

use melior::ir::attribute::{Attribute, DenseI32ArrayAttribute};
use melior::ir::r#type::{MemRefType, ShapedTypeLike};
use melior::ir::{Type, Value, ValueLike};

use crate::at::{At, Built, build, internal};
use crate::views::reassociation;

/// The tensor of a buffer's elements as they are now; nothing else makes one of the buffer.
pub(crate) fn to_tensor<'c: 'b, 'b>(
    at: At<'c, 'b>,
    buffer: Value<'c, 'b>,
    ty: Type<'c>,
) -> Built<Value<'c, 'b>> {
    let restrict = at.named("restrict", Attribute::unit(at.context));
    let operation = at
        .operation("bufferization.to_tensor")
        .add_attributes(&[restrict])
        .add_operands(&[buffer])
        .add_results(&[ty]);
    at.value(operation)
}

/// The buffer of a tensor, to read only.
pub(crate) fn to_buffer<'c: 'b, 'b>(
    at: At<'c, 'b>,
    tensor: Value<'c, 'b>,
    ty: Type<'c>,
) -> Built<Value<'c, 'b>> {
    let read_only = at.named("read_only", Attribute::unit(at.context));
    let operation = at
        .operation("bufferization.to_buffer")
        .add_attributes(&[read_only])
        .add_operands(&[tensor])
        .add_results(&[ty]);
    at.value(operation)
}

/// A new buffer of undefined elements.
pub(crate) fn alloc<'c: 'b, 'b>(
    at: At<'c, 'b>,
    element: Type<'c>,
    extents: &[u64],
) -> Built<Value<'c, 'b>> {
    let extents: Vec<i64> = extents.iter().map(|&extent| extent as i64).collect();
    let operands = DenseI32ArrayAttribute::new(at.context, &[0, 0]);
    let operation = at
        .operation("memref.alloc")
        .add_attributes(&[at.named("operandSegmentSizes", operands)])
        .add_results(&[MemRefType::new(element, &extents, None, None).into()]);
    at.value(operation)
}

/// A view of a buffer of some axes as one of a single axis, of `elements`.
pub(crate) fn flat<'c: 'b, 'b>(
    at: At<'c, 'b>,
    buffer: Value<'c, 'b>,
    elements: u64,
) -> Built<Value<'c, 'b>> {
    let ty = MemRefType::try_from(buffer.r#type()).map_err(internal)?;
    if ty.rank() == 1 {
        return Ok(buffer);
    }
    let together = (0..ty.rank()).collect();
    let ty = MemRefType::new(ty.element(), &[elements as i64], None, None);
    let operation = at
        .operation("memref.collapse_shape")
        .add_attributes(&[reassociation(at, &[together])])
        .add_operands(&[buffer])
        .add_results(&[ty.into()]);
    at.value(operation)
}

pub(crate) fn load<'c: 'b, 'b>(
    at: At<'c, 'b>,
    buffer: Value<'c, '_>,
    indices: &[Value<'c, '_>],
) -> Built<Value<'c, 'b>> {
    let element = MemRefType::try_from(buffer.r#type()).map_err(internal)?;
    let operands: Vec<Value> = [&[buffer], indices].concat();
    at.emit("memref.load", &operands, element.element())
}

pub(crate) fn store<'c: 'b, 'b>(
    at: At<'c, 'b>,
    value: Value<'c, '_>,
    buffer: Value<'c, '_>,
    indices: &[Value<'c, '_>],
) -> Built<()> {
    let operands: Vec<Value> = [&[value, buffer], indices].concat();
    at.append(build(at.operation("memref.store").add_operands(&operands))?);
    Ok(())
}
