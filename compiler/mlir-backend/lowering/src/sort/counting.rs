use melior::dialect::arith::CmpiPredicate;
use melior::ir::{Type, Value};

use super::runs::{Run, Runs};
use crate::at::{At, Built};
use crate::buffers::{alloc, load, store};
use crate::types::integer_type;

/// A sort by comparison counting: an element's place in order is the number of those that stand
/// before it. It compares each pair, without a branch, several pairs at once: fast for short runs.
pub(super) struct Counting<'c, 'b> {
    runs: Runs<'c, 'b>,
    keys: Value<'c, 'b>,
    ranks: Value<'c, 'b>,
}

impl<'c: 'b, 'b> Counting<'c, 'b> {
    /// What it needs for a run.
    pub(super) fn new(at: At<'c, 'b>, runs: Runs<'c, 'b>) -> Built<Self> {
        let buffer = |bits| alloc(at, integer_type(at.context, bits), &[runs.extent]);
        Ok(Counting {
            runs,
            keys: buffer(runs.key.bits())?,
            ranks: buffer(32)?,
        })
    }

    pub(super) fn sort<'r>(&self, at: At<'c, 'r>, run: Run<'c, 'b, 'r>) -> Built<()> {
        let Runs { extent, kept, .. } = self.runs;
        at.repeat(extent, |at, position| {
            let key = run.key(at, position)?;
            store(at, key, self.keys, &[position])
        })?;
        at.repeat(extent, |at, position| self.rank(at, position))?;
        at.repeat(extent, |at, position| {
            let rank = load(at, self.ranks, &[position])?;
            let rank = at.emit("arith.index_castui", &[rank], Type::index(at.context))?;
            if kept == extent {
                return run.place(at, rank, position);
            }
            let limit = at.index(kept)?;
            let taken = at.compare("arith.cmpi", CmpiPredicate::Ult as i64, rank, limit)?;
            at.when(taken, |at| run.place(at, rank, position))
        })
    }

    /// Compares the element with each one before it: of the two, one counts the other.
    fn rank<'r>(&self, at: At<'c, 'r>, position: Value<'c, 'r>) -> Built<()> {
        let ty = integer_type(at.context, 32);
        let key = load(at, self.keys, &[position])?;
        let range = (at.index(0)?, position);
        let rank = at.fold(range, &[at.integer(32, 0)?], |at, earlier, rank| {
            let other = load(at, self.keys, &[earlier])?;
            let stays = at.compare("arith.cmpi", CmpiPredicate::Ule as i64, other, key)?;
            let stays = at.emit("arith.extui", &[stays], ty)?;
            let moves = at.arith("subi", at.integer(32, 1)?, stays)?;
            let before = load(at, self.ranks, &[earlier])?;
            store(at, at.arith("addi", before, moves)?, self.ranks, &[earlier])?;
            Ok(vec![at.arith("addi", rank[0], stays)?])
        })?;
        store(at, rank[0], self.ranks, &[position])
    }
}
