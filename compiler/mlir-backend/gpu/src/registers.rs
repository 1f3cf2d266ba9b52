//! Accumulators in registers: a loop that folds into one element of a buffer reads it before, hands
//! it from step to step, and writes it after. No operation and no order changes.

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationResult};
use melior::ir::{OperationRef, Type, Value, ValueLike};

use crate::ir::{
    Inside, Place, Rewritten, block_of, destroy, internal, name_of, nested, operations,
    replace_uses, taken,
};

/// Does so with the loops of a function, the inner ones first: what an inner loop has handed on, an
/// outer one may.
pub(crate) fn keep_accumulators<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
) -> Rewritten<()> {
    let mut loops = nested(function);
    loops.retain(|&operation| name_of(operation) == "scf.for" && operation.result_count() == 0);
    for fold in loops.into_iter().rev() {
        if let Some((load, store)) = accumulator(fold) {
            hand_on(context, fold, load, store)?;
        }
    }
    Ok(())
}

/// The read and the write of the one element that a loop folds into, if nothing else in it touches
/// that element's buffer.
fn accumulator<'c, 'a>(
    fold: OperationRef<'c, 'a>,
) -> Option<(OperationRef<'c, 'a>, OperationRef<'c, 'a>)> {
    let body = block_of(fold)?;
    let inside = nested(fold);
    let made_inside = Inside::of(&inside);
    let own = operations(body);
    let mut stores = own
        .iter()
        .copied()
        .filter(|&operation| name_of(operation) == "memref.store");
    let store = stores.next().filter(|_| stores.next().is_none())?;
    let place: Vec<Value> = store.operands().skip(1).collect();
    if place.iter().any(|&value| made_inside.makes(value)) {
        return None;
    }
    let buffer = buffer(*place.first()?)?;
    let mut load = None;
    for &operation in &inside {
        let touched = match name_of(operation).as_str() {
            "memref.load" => 0,
            "memref.store" | "memref.atomic_rmw" => 1,
            name if name.starts_with("memref.") => return None,
            _ => continue,
        };
        if self::buffer(operation.operand(touched).ok()?)? != buffer || same(operation, store) {
            continue;
        }
        let direct = own.iter().any(|own| same(*own, operation));
        let reads = touched == 0 && operation.operands().eq(place.iter().copied());
        if load.is_some() || !direct || !reads || !operation.is_before_in_block(store) {
            return None;
        }
        load = Some(operation);
    }
    Some((load?, store))
}

/// The buffer that a view is of: two that differ share no element.
fn buffer<'c: 'a, 'a>(mut value: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    while let Ok(result) = OperationResult::try_from(value) {
        match name_of(result.owner()).as_str() {
            "memref.alloc" => break,
            "memref.subview"
            | "memref.cast"
            | "memref.collapse_shape"
            | "memref.expand_shape"
            | "memref.reinterpret_cast" => value = result.owner().operand(0).ok()?,
            _ => return None,
        }
    }
    Some(value)
}

fn same(a: OperationRef<'_, '_>, b: OperationRef<'_, '_>) -> bool {
    a.to_raw().ptr == b.to_raw().ptr
}

fn hand_on<'c, 'a>(
    context: &'c Context,
    fold: OperationRef<'c, 'a>,
    load: OperationRef<'c, 'a>,
    store: OperationRef<'c, 'a>,
) -> Rewritten<()> {
    let old = block_of(fold).ok_or_else(|| internal("a loop without a body"))?;
    let outside = Place::before(context, fold).ok_or_else(|| internal("a loop without a block"))?;
    let place: Vec<Value> = store.operands().skip(1).collect();
    let value = |operation: OperationRef<'c, 'a>| {
        Ok::<Value, _>(operation.result(0).map_err(internal)?.into())
    };
    let ty = value(load)?.r#type();
    let first = outside.emit("memref.load", &place, ty)?;
    let bounds: Vec<Value> = fold.operands().chain([first]).collect();
    let folded = outside
        .operation("scf.for")
        .add_operands(&bounds)
        .add_results(&[ty]);
    let block = outside.with_block(folded, &[Type::index(context), ty], 0)?;
    let argument = |index| Ok::<Value, _>(block.argument(index).map_err(internal)?.into());
    replace_uses(old.argument(0).map_err(internal)?.into(), argument(0)?);
    replace_uses(value(load)?, argument(1)?);
    let next = store.operand(0).map_err(internal)?;
    destroy(load);
    destroy(store);
    let inside = outside.end_of(block);
    let mut body = operations(old);
    // What ends it, which hands nothing on.
    body.pop();
    for operation in body {
        inside.put(taken(operation));
    }
    inside.build(inside.operation("scf.yield").add_operands(&[next]))?;
    let folded = block
        .parent_operation()
        .ok_or_else(|| internal("a body without a loop"))?;
    let last = value(folded)?;
    let operands: Vec<Value> = [&[last], &place[..]].concat();
    outside.build(outside.operation("memref.store").add_operands(&operands))?;
    destroy(fold);
    Ok(())
}
