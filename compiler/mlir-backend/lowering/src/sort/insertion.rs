use melior::dialect::arith::CmpiPredicate;
use melior::ir::{Type, Value};

use super::runs::{Run, Runs};
use crate::at::{At, Built};
use crate::buffers::{alloc, load, store};
use crate::types::integer_type;

/// The first few elements of a long run by insertion: they are held in order, and most others
/// stand behind the last of them.
pub(super) struct Insertion<'c, 'b> {
    runs: Runs<'c, 'b>,
    /// The keys of the first elements in order so far, and where those are.
    keys: Value<'c, 'b>,
    positions: Value<'c, 'b>,
}

impl<'c: 'b, 'b> Insertion<'c, 'b> {
    /// What it needs for a run.
    pub(super) fn new(at: At<'c, 'b>, runs: Runs<'c, 'b>) -> Built<Self> {
        Ok(Insertion {
            runs,
            keys: alloc(at, integer_type(at.context, runs.key.bits()), &[runs.kept])?,
            positions: alloc(at, Type::index(at.context), &[runs.kept])?,
        })
    }

    pub(super) fn sort<'r>(&self, at: At<'c, 'r>, run: Run<'c, 'b, 'r>) -> Built<()> {
        let Runs { extent, kept, .. } = self.runs;
        let zero = at.index(0)?;
        store(at, run.key(at, zero)?, self.keys, &[zero])?;
        store(at, zero, self.positions, &[zero])?;
        let next = (at.index(1)?, at.index(kept)?);
        at.fold(next, &[], |at, position, _| {
            let key = run.key(at, position)?;
            self.insert(at, position, key, position)?;
            Ok(vec![])
        })?;
        let last = at.index(kept - 1)?;
        let others = (at.index(kept)?, at.index(extent)?);
        at.fold(others, &[], |at, position, _| {
            let key = run.key(at, position)?;
            let greatest = load(at, self.keys, &[last])?;
            let enters = at.compare("arith.cmpi", CmpiPredicate::Ult as i64, key, greatest)?;
            at.when(enters, |at| self.insert(at, last, key, position))?;
            Ok(vec![])
        })?;
        at.repeat(kept, |at, rank| {
            let position = load(at, self.positions, &[rank])?;
            run.place(at, rank, position)
        })
    }

    /// Puts an element behind those of the first `end` that are not greater, and moves the others
    /// up by one.
    fn insert<'r>(
        &self,
        at: At<'c, 'r>,
        end: Value<'c, '_>,
        key: Value<'c, '_>,
        position: Value<'c, '_>,
    ) -> Built<()> {
        let rank = at.repeat_while(
            &[end],
            |at, rank| {
                let (zero, one) = (at.index(0)?, at.index(1)?);
                let some = at.compare("arith.cmpi", CmpiPredicate::Ugt as i64, rank[0], zero)?;
                // At the start the first stands in for the one before it.
                let before = at.arith("subi", at.arith("maxui", rank[0], one)?, one)?;
                let other = load(at, self.keys, &[before])?;
                let greater = at.compare("arith.cmpi", CmpiPredicate::Ugt as i64, other, key)?;
                at.arith("andi", some, greater)
            },
            |at, rank| {
                let before = at.arith("subi", rank[0], at.index(1)?)?;
                for buffer in [self.keys, self.positions] {
                    store(at, load(at, buffer, &[before])?, buffer, rank)?;
                }
                Ok(vec![before])
            },
        )?;
        store(at, key, self.keys, &rank)?;
        store(at, position, self.positions, &rank)
    }
}
