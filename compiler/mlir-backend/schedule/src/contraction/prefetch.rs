//! The next block of a result is asked for while the products of one are added.
//!
//! A block is read and written once for each panel of the contracted axis, and has left the near
//! caches in between. The processor foresees rows that begin with a cache line, and no others.

use melior::ir::attribute::{BoolAttribute, IntegerAttribute};
use melior::ir::operation::{OperationLike, OperationRef, OperationResult, WalkOrder, WalkResult};
use melior::ir::r#type::IntegerType;
use melior::ir::{Module, Type, TypeLike, Value, ValueLike};
use mlir_pipeline::rewrite::{Place, Rewritten, internal};
use mlir_pipeline::{MlirError, Session, integer_constant};
use mlir_sys::mlirTypeIsAVector;

use crate::transfer::shape;

/// A loop of fewer steps ends before the answer is there.
const LEAST_STEPS: i64 = 128;

/// Asks for the rows below each block on buffers that a long loop starts from.
pub fn prefetch_blocks(session: &Session, module: &Module<'_>) -> Result<(), MlirError> {
    let mut reads = Vec::new();
    module
        .as_operation()
        .walk(WalkOrder::PreOrder, |operation| {
            // SAFETY: the walk gives operations of the module, which live as long as it does.
            let operation = unsafe { OperationRef::from_raw(operation.to_raw()) };
            reads.extend(start_of_long_loop(operation));
            WalkResult::Advance
        });
    let mut reads = reads.into_iter();
    reads.try_for_each(|read| prefetch_below(session, read))
}

/// The read of the vector that a long loop starts from.
fn start_of_long_loop<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    if !is(operation, "scf.for") {
        return None;
    }
    let definition = |index| {
        let value = operation.operand(index).ok()?;
        Some(OperationResult::try_from(value).ok()?.owner())
    };
    let constant = |index| integer_constant(operation.operand(index).ok()?);
    let (from, to, step, read) = (constant(0)?, constant(1)?, constant(2)?, definition(3)?);
    let is_long = to.checked_sub(from)?.checked_div(step)? >= LEAST_STEPS;
    (is_long && is(read, "vector.transfer_read")).then_some(read)
}

fn is(operation: OperationRef<'_, '_>, name: &str) -> bool {
    operation.name().as_string_ref().as_str() == Ok(name)
}

fn prefetch_below<'c>(session: &'c Session, read: OperationRef<'c, '_>) -> Rewritten<()> {
    let place = Place::before(session.context(), read);
    let extents = block_of(read.result(0).map_err(internal)?.r#type());
    let (Some(place), Some([rows, columns])) = (place, extents) else {
        return Ok(());
    };
    // The buffer, its indices, the padding and perhaps a mask.
    let buffer = read.operand(0).map_err(internal)?;
    let rank = shape(buffer.r#type()).len();
    let indices: Vec<Value> = read.operands().skip(1).take(rank).collect();
    let [outer @ .., row, column] = indices.as_slice() else {
        return Ok(());
    };
    for below in rows..2 * rows {
        let row = place.after(*row, below)?;
        // Its first line, and its last where it lies in two.
        for column in [*column, place.after(*column, columns - 1)?] {
            prefetch(place, buffer, &[outer, &[row, column]].concat(), true)?;
        }
    }
    Ok(())
}

/// Asks for the line of an element.
pub(crate) fn prefetch<'c, 'a>(
    place: Place<'c, 'a>,
    buffer: Value<'c, 'a>,
    indices: &[Value<'c, 'a>],
    is_write: bool,
) -> Rewritten<()> {
    let flag = |value| BoolAttribute::new(place.context, value);
    let nearest = IntegerAttribute::new(IntegerType::new(place.context, 32).into(), 3);
    let prefetch = place
        .operation("memref.prefetch")
        .add_operands(&[buffer])
        .add_operands(indices)
        .add_attributes(&[
            place.named("isWrite", flag(is_write)),
            place.named("localityHint", nearest),
            place.named("isDataCache", flag(true)),
        ]);
    place.build(prefetch)?;
    Ok(())
}

/// The rows and columns of a vector that is a block.
fn block_of(ty: Type<'_>) -> Option<[u64; 2]> {
    // SAFETY: asks for the type's kind.
    if !unsafe { mlirTypeIsAVector(ty.to_raw()) } {
        return None;
    }
    match shape(ty)[..] {
        [.., rows, columns] => Some([rows, columns]),
        _ => None,
    }
}
