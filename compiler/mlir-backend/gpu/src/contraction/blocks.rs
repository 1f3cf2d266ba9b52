//! A thread a block of the result's elements, from global memory.

use melior::Context;
use melior::ir::attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute};
use melior::ir::block::BlockLike;
use melior::ir::{BlockRef, Type, Value};

use super::operand::{Positions, moved};
use super::plan::Block;
use super::product::Product;
use super::values::{broadcast, fold, times};
use crate::ir::{Place, Rewritten, internal};

/// Puts a loop over blocks before a contraction, each step of which computes one.
pub(crate) fn build<'c, 'a>(
    context: &'c Context,
    product: &Product<'c, 'a>,
    block: Block,
) -> Rewritten<()> {
    let (row, column) = product.last()?;
    let sized = |axis| match axis {
        _ if axis == row => block.rows,
        _ if axis == column => block.columns,
        _ => 1,
    };
    let place = Place::before(context, product.generic)
        .ok_or_else(|| internal("an operation without a block"))?;
    let kept = &product.result.dimensions;
    let extents = kept.iter().map(|&axis| product.extents[axis] / sized(axis));
    let (body, place) = forall(place, &extents.collect::<Vec<u64>>())?;
    let mut positions: Positions = vec![None; product.extents.len()];
    for (index, &axis) in kept.iter().enumerate() {
        let argument = body.argument(index).map_err(internal)?;
        positions[axis] = Some(times(place, argument.into(), sized(axis))?);
    }
    let start = broadcast(place, product.start, block.columns)?;
    let starts = vec![start; block.rows as usize];
    let step = |place, positions: &Positions<'c, 'a>, sums: &[Value<'c, 'a>]| {
        let right = product
            .right
            .load(place, positions, column, block.columns)?;
        let add = |(by, &sum)| {
            let left = product.left.load_one(place, positions, row, by)?;
            let left = broadcast(place, left, block.columns)?;
            product.step(place, sum, left, right)
        };
        (0..).zip(sums).map(add).collect()
    };
    let sums = fold_over(place, product, &product.folded, &positions, &starts, &step)?;
    for (by, sum) in (0..).zip(sums) {
        let positions = moved(place, &positions, row, by)?;
        let result = &product.result;
        result.store(place, sum, &positions, column, block.columns)?;
    }
    Ok(())
}

type Step<'s, 'c, 'a> = dyn Fn(Place<'c, 'a>, &Positions<'c, 'a>, &[Value<'c, 'a>]) -> Rewritten<Vec<Value<'c, 'a>>>
    + 's;

/// Loops over dimensions, the last one inside.
fn fold_over<'c, 'a>(
    place: Place<'c, 'a>,
    product: &Product<'c, 'a>,
    dimensions: &[usize],
    positions: &Positions<'c, 'a>,
    sums: &[Value<'c, 'a>],
    step: &Step<'_, 'c, 'a>,
) -> Rewritten<Vec<Value<'c, 'a>>> {
    let [axis, inner @ ..] = dimensions else {
        return step(place, positions, sums);
    };
    fold(place, product.extents[*axis], sums, |place, at, sums| {
        let mut positions = positions.clone();
        positions[*axis] = Some(at);
        fold_over(place, product, inner, &positions, sums, step)
    })
}

/// A parallel loop from 0 by 1, and a place in it.
fn forall<'c, 'a>(
    place: Place<'c, 'a>,
    extents: &[u64],
) -> Rewritten<(BlockRef<'c, 'a>, Place<'c, 'a>)> {
    let bounds = |values: Vec<i64>| DenseI64ArrayAttribute::new(place.context, &values);
    let extents: Vec<i64> = extents.iter().map(|&extent| extent as i64).collect();
    let rank = extents.len();
    // No bound is computed, and nothing is handed on.
    let segments = DenseI32ArrayAttribute::new(place.context, &[0; 4]);
    let operation = place.operation("scf.forall").add_attributes(&[
        place.named("staticLowerBound", bounds(vec![0; rank])),
        place.named("staticUpperBound", bounds(extents)),
        place.named("staticStep", bounds(vec![1; rank])),
        place.named("operandSegmentSizes", segments),
    ]);
    let block = place.with_block(operation, &vec![Type::index(place.context); rank], 0)?;
    let inside = place.end_of(block);
    let end = inside.with_block(inside.operation("scf.forall.in_parallel"), &[], 0)?;
    let place = Place {
        before: end.parent_operation(),
        ..inside
    };
    Ok((block, place))
}
