//! Whether the steps of a loop write places of their own, as far as their operations tell.

use melior::ir::block::BlockArgument;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationResult};
use melior::ir::{OperationRef, RegionLike, Value};

use crate::rewrite::{is_view, is_within, name_of, nested};
use crate::share::is_scratch;

/// Whether each write of the loop goes to a buffer of the step, or to a place that depends on the
/// step. Operations that are not known are taken to write anywhere.
pub(crate) fn steps_are_apart(shared: OperationRef<'_, '_>) -> bool {
    shared.result_count() == 0
        && nested(shared)
            .into_iter()
            .all(|operation| writes_apart(operation, shared).unwrap_or(false))
}

/// `None` where an operation lacks what its kind has.
fn writes_apart<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    shared: OperationRef<'c, 'a>,
) -> Option<bool> {
    let name = name_of(operation);
    let (buffer, indices) = match name.as_str() {
        "vector.transfer_write" | "vector.store" | "memref.store" => (1, 2),
        "vector.maskedstore" => (0, 1),
        "memref.copy" => (1, 2),
        "linalg.generic" => {
            let last = operation.operand_count().checked_sub(1)?;
            (last, last + 1)
        }
        "vector.transfer_read"
        | "vector.load"
        | "vector.maskedload"
        | "memref.load"
        | "memref.prefetch"
        | "memref.alloc" => return Some(true),
        "memref.dealloc" => {
            let buffer = operation.operand(0).ok()?;
            return Some(is_of_a_step(buffer, shared));
        }
        _ if is_view(&name) => return Some(true),
        _ => {
            let known = [
                "affine.",
                "arith.",
                "linalg.yield",
                "math.",
                "scf.",
                "ub.",
                "vector.",
            ];
            return Some(known.iter().any(|start| name.starts_with(start)));
        }
    };
    let place = operation.operand(buffer).ok()?;
    let mut indices = (indices..operation.operand_count()).map(|index| operation.operand(index));
    let step = shared.region(0).ok()?.first_block()?.argument(0).ok()?;
    let depends = |value| depends_on(value, step.into(), shared);
    Some(is_of_a_step(place, shared) || depends(place) || indices.any(|i| i.is_ok_and(depends)))
}

/// Whether a buffer is made in each step, or is scratch of it, so that each task makes its own.
fn is_of_a_step<'c, 'a>(buffer: Value<'c, 'a>, shared: OperationRef<'c, 'a>) -> bool {
    let Ok(result) = OperationResult::try_from(buffer) else {
        return false;
    };
    let owner = result.owner();
    match name_of(owner).as_str() {
        "memref.alloc" => is_within(owner, shared) || is_scratch(buffer, shared),
        name if is_view(name) => owner
            .operand(0)
            .is_ok_and(|source| is_of_a_step(source, shared)),
        _ => false,
    }
}

fn depends_on<'c, 'a>(
    value: Value<'c, 'a>,
    step: Value<'c, 'a>,
    shared: OperationRef<'c, 'a>,
) -> bool {
    if value == step {
        return true;
    }
    if let Ok(result) = OperationResult::try_from(value) {
        let owner = result.owner();
        return is_within(owner, shared)
            && owner
                .operands()
                .any(|operand| depends_on(operand, step, shared));
    }
    // An inner loop's variable starts from the first operand of the loop.
    let Ok(argument) = BlockArgument::try_from(value) else {
        return false;
    };
    let inner = argument.owner().parent_operation();
    // SAFETY: the operation lives as long as its loop does.
    let inner = inner.map(|inner| unsafe { OperationRef::from_raw(inner.to_raw()) });
    inner.is_some_and(|inner| {
        inner.to_raw().ptr != shared.to_raw().ptr
            && is_within(inner, shared)
            && argument.argument_number() == 0
            && name_of(inner) == "scf.for"
            && inner
                .operand(0)
                .is_ok_and(|first| depends_on(first, step, shared))
    })
}
