//! The sums of a product start as zeros in registers, not as what a pass before it wrote to memory.

use melior::dialect::arith::CmpiPredicate;
use melior::ir::operation::{OperationLike, OperationRef, OperationResult};
use melior::ir::{Module, Value, ValueLike};
use mlir_pipeline::rewrite::{
    Place, Rewritten, block_of, destroy, internal, is_view, is_within, name_of, nested, operations,
    replace_uses, source,
};
use mlir_pipeline::{MlirError, Session};

use super::consumer::{Panels, position};
use super::prefetch::shape;

/// Marks a loop over blocks, each of which reads its elements of the result and then writes them,
/// once for each panel of the contracted axis. No other loop does so.
pub(super) const BLOCKS: &str = "neuro.blocks";

/// Takes the place of the fill before such loops, on buffers: the first panel starts from its
/// zeros.
pub fn start_from_zeros(session: &Session, module: &Module<'_>) -> Result<(), MlirError> {
    for function in operations(module.body()) {
        let loops = nested(function).into_iter();
        for blocks in loops.filter(|one| one.has_attribute(BLOCKS)) {
            if let Some(filled) = Filled::of(function, blocks) {
                filled.start(session)?;
            }
        }
    }
    Ok(())
}

/// A result that is filled, and then read by a loop over blocks.
struct Filled<'c, 'a> {
    fill: OperationRef<'c, 'a>,
    zero: Value<'c, 'a>,
    reads: Vec<OperationRef<'c, 'a>>,
    rank: usize,
}

impl<'c, 'a> Filled<'c, 'a> {
    fn of(function: OperationRef<'c, 'a>, blocks: OperationRef<'c, 'a>) -> Option<Self> {
        let transfers = |name, buffer| {
            let all = nested(blocks).into_iter();
            all.filter(move |&one| name_of(one) == name)
                .filter_map(move |one| Some((one, source(one.operand(buffer).ok()?))))
        };
        let (_, result) = transfers("vector.transfer_write", 1).next()?;
        let reads = transfers("vector.transfer_read", 0);
        let reads = reads.filter(|(_, buffer)| *buffer == result);
        let is_user = |one: &OperationRef<'c, 'a>| {
            let mut all = nested(*one).into_iter();
            all.any(|user| user.operands().any(|operand| source(operand) == result))
        };
        let before = operations(block_of(function)?).into_iter();
        let before = before.take_while(|&one| !is_within(blocks, one));
        // A view does nothing to the result.
        let fill = before
            .filter(|&one| !is_view(&name_of(one)))
            .filter(is_user)
            .last()?;
        Some(Filled {
            fill,
            zero: written_everywhere(fill)?,
            reads: reads.map(|(read, _)| read).collect(),
            rank: shape(result.r#type()).len(),
        })
    }

    fn start(&self, session: &'c Session) -> Rewritten<()> {
        for &read in &self.reads {
            let Some(place) = Place::before(session.context(), read) else {
                continue;
            };
            let sums: Value = read.result(0).map_err(internal)?.into();
            let ty = sums.r#type();
            let mut start = place.emit("vector.broadcast", &[self.zero], ty)?;
            if let Some(panels) = self.panels_around(read) {
                let from = [position(panels.operation)?, place.index(0)?];
                let is_first = place.compare(CmpiPredicate::Eq, from)?;
                let starts = place.choose(is_first, &[ty], |place, is_first| match is_first {
                    true => Ok(vec![start]),
                    false => {
                        let copy = place.put((*read).clone());
                        Ok(copy.results().map(Value::from).collect())
                    }
                })?;
                start = starts[0];
            }
            replace_uses(sums, start);
            destroy(read);
        }
        destroy(self.fill);
        Ok(())
    }

    /// The loop over panels of the contracted axis, which comes after those of the result.
    fn panels_around(&self, read: OperationRef<'c, 'a>) -> Option<Panels<'c, 'a>> {
        let around = std::iter::successors(read.parent_operation(), |one| one.parent_operation());
        let mut panels = around.filter_map(Panels::of);
        panels.find(|panels| panels.axis == self.rank)
    }
}

/// The value that an operation writes to all of a buffer, if that is all it does.
fn written_everywhere<'c, 'a>(fill: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    if name_of(fill) != "linalg.generic" || fill.operand_count() != 1 {
        return None;
    }
    let [answer] = operations(block_of(fill)?)[..] else {
        return None;
    };
    let value = answer.operand(0).ok()?;
    // From outside: the block's argument is what was there before.
    OperationResult::try_from(value).is_ok().then_some(value)
}
