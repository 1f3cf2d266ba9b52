//! Vectors, indices, and loops that hand values on.

use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Identifier, OperationRef, Type, Value, ValueLike};

use crate::ir::{Place, Rewritten, internal};
use crate::launch::within;

/// What each buffer of a device begins at a multiple of.
const BUFFER_ALIGNMENT: u64 = 16;

/// What each multiple of so many bytes in a buffer is aligned to.
pub(crate) fn alignment(bytes: u64) -> u64 {
    (1 << bytes.trailing_zeros()).min(BUFFER_ALIGNMENT)
}

pub(crate) fn broadcast<'c, 'a>(
    place: Place<'c, 'a>,
    element: Value<'c, 'a>,
    width: u64,
) -> Rewritten<Value<'c, 'a>> {
    let vector = Type::vector(&[width], element.r#type());
    place.emit("vector.broadcast", &[element], vector)
}

/// An element of a vector.
pub(crate) fn extract<'c, 'a>(
    place: Place<'c, 'a>,
    vector: Value<'c, 'a>,
    element: Type<'c>,
    index: u64,
) -> Rewritten<Value<'c, 'a>> {
    let index = DenseI64ArrayAttribute::new(place.context, &[index as i64]);
    let extract = place
        .operation("vector.extract")
        .add_operands(&[vector])
        .add_attributes(&[place.named("static_position", index)]);
    place.value(extract.add_results(&[element]))
}

/// An index that is so much greater.
pub(crate) fn beyond<'c, 'a>(
    place: Place<'c, 'a>,
    index: Value<'c, 'a>,
    by: u64,
) -> Rewritten<Value<'c, 'a>> {
    match by {
        0 => Ok(index),
        _ => place.emit("arith.addi", &[index, place.index(by)?], index.r#type()),
    }
}

/// An index that is so many times as great.
pub(crate) fn times<'c, 'a>(
    place: Place<'c, 'a>,
    index: Value<'c, 'a>,
    factor: u64,
) -> Rewritten<Value<'c, 'a>> {
    match factor {
        1 => Ok(index),
        _ => place.emit("arith.muli", &[index, place.index(factor)?], index.r#type()),
    }
}

pub(crate) fn add<'c, 'a>(
    place: Place<'c, 'a>,
    left: Value<'c, 'a>,
    right: Value<'c, 'a>,
) -> Rewritten<Value<'c, 'a>> {
    place.emit("arith.addi", &[left, right], left.r#type())
}

/// The lesser of an index and a number.
pub(crate) fn least<'c, 'a>(
    place: Place<'c, 'a>,
    index: Value<'c, 'a>,
    most: u64,
) -> Rewritten<Value<'c, 'a>> {
    place.emit("arith.minui", &[index, place.index(most)?], index.r#type())
}

/// The quotient and the remainder of an index.
pub(crate) fn split<'c, 'a>(
    place: Place<'c, 'a>,
    index: Value<'c, 'a>,
    by: u64,
) -> Rewritten<(Value<'c, 'a>, Value<'c, 'a>)> {
    let two = |quotient, quotient_by, remainder, remainder_by| {
        let ty = index.r#type();
        Ok((
            place.emit(quotient, &[index, place.index(quotient_by)?], ty)?,
            place.emit(remainder, &[index, place.index(remainder_by)?], ty)?,
        ))
    };
    match by.is_power_of_two() {
        true => two(
            "arith.shrui",
            by.trailing_zeros().into(),
            "arith.andi",
            by - 1,
        ),
        false => two("arith.divui", by, "arith.remui", by),
    }
}

/// Waits until all threads of a block have come here.
pub(crate) fn barrier(place: Place<'_, '_>) -> Rewritten<()> {
    place.build(place.operation("gpu.barrier")).map(drop)
}

/// A place that is come to where a condition holds.
pub(crate) fn when<'c, 'a>(
    place: Place<'c, 'a>,
    condition: Value<'c, 'a>,
) -> Rewritten<Place<'c, 'a>> {
    let branch = place.operation("scf.if").add_operands(&[condition]);
    within(place, branch, &[], 1)
}

type Handed<'c, 'a> = Rewritten<Vec<Value<'c, 'a>>>;

/// A loop from 0 in steps of 1 that hands values on; what it hands on last.
pub(crate) fn fold<'c, 'a>(
    place: Place<'c, 'a>,
    extent: u64,
    first: &[Value<'c, 'a>],
    step: impl FnOnce(Place<'c, 'a>, Value<'c, 'a>, &[Value<'c, 'a>]) -> Handed<'c, 'a>,
) -> Handed<'c, 'a> {
    annotated_fold(place, extent, first, &[], step)
}

/// The same, never unrolled: what it would read early would take more registers than there are.
pub(crate) fn rolled_fold<'c, 'a>(
    place: Place<'c, 'a>,
    extent: u64,
    first: &[Value<'c, 'a>],
    step: impl FnOnce(Place<'c, 'a>, Value<'c, 'a>, &[Value<'c, 'a>]) -> Handed<'c, 'a>,
) -> Handed<'c, 'a> {
    let rolled = "#llvm.loop_annotation<unroll = <disable = true>>";
    let rolled = Attribute::parse(place.context, rolled);
    let rolled = rolled.ok_or_else(|| internal("an annotation of a loop"))?;
    let rolled = place.named("loop_annotation", rolled);
    annotated_fold(place, extent, first, &[rolled], step)
}

fn annotated_fold<'c, 'a>(
    place: Place<'c, 'a>,
    extent: u64,
    first: &[Value<'c, 'a>],
    annotations: &[(Identifier<'c>, Attribute<'c>)],
    step: impl FnOnce(Place<'c, 'a>, Value<'c, 'a>, &[Value<'c, 'a>]) -> Handed<'c, 'a>,
) -> Handed<'c, 'a> {
    let bounds = [place.index(0)?, place.index(extent)?, place.index(1)?];
    let types: Vec<Type> = first.iter().map(|value| value.r#type()).collect();
    let operation = place
        .operation("scf.for")
        .add_operands(&[&bounds, first].concat())
        .add_attributes(annotations)
        .add_results(&types);
    let arguments = [&[Type::index(place.context)], types.as_slice()].concat();
    let block = place.with_block(operation, &arguments, 0)?;
    let argument = |index| Ok(block.argument(index).map_err(internal)?.into());
    let handed: Vec<Value> = (1..arguments.len())
        .map(argument)
        .collect::<Rewritten<_>>()?;
    let inside = place.end_of(block);
    let next = step(inside, argument(0)?, &handed)?;
    inside.build(inside.operation("scf.yield").add_operands(&next))?;
    let operation = block
        .parent_operation()
        .ok_or_else(|| internal("a body without a loop"))?;
    results(operation)
}

fn results<'c, 'a>(operation: OperationRef<'c, 'a>) -> Rewritten<Vec<Value<'c, 'a>>> {
    let result = |index| Ok(operation.result(index).map_err(internal)?.into());
    (0..operation.result_count()).map(result).collect()
}
