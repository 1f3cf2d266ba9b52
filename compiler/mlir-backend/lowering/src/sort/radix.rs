use melior::dialect::arith::CmpiPredicate;
use melior::ir::{Type, Value};

use super::runs::{Run, Runs, Wanted, to_position};
use super::survey::{Survey, place_reversed};
use crate::at::{At, Built};
use crate::buffers::{alloc, load, store};
use crate::types::integer_type;

/// The values of a byte.
const BUCKETS: u64 = 256;

/// A radix sort from the least byte of the keys to the greatest: each pass puts the elements in
/// order of one byte, and those with the same one in the order that they had. A byte that all
/// keys share needs no pass, and a run that is in order or reversed none at all.
pub(super) struct Radix<'c, 'b> {
    runs: Runs<'c, 'b>,
    /// The elements before a pass and after it, in turn.
    elements: Value<'c, 'b>,
    /// Where they are in the run, if that is wanted.
    positions: Option<Value<'c, 'b>>,
    /// For each byte of the keys how many there are of each value, and then where the next one
    /// goes.
    buckets: Value<'c, 'b>,
}

impl<'c: 'b, 'b> Radix<'c, 'b> {
    /// What it needs for a run.
    pub(super) fn new(at: At<'c, 'b>, runs: Runs<'c, 'b>) -> Built<Self> {
        let twice = |ty| alloc(at, ty, &[2, runs.extent]);
        let positions = match runs.wanted {
            Wanted::Elements => None,
            Wanted::Positions => Some(twice(integer_type(at.context, 32))?),
        };
        let index = Type::index(at.context);
        Ok(Radix {
            runs,
            elements: twice(runs.element(at))?,
            positions,
            buckets: alloc(at, index, &[runs.key.bytes(), BUCKETS])?,
        })
    }

    pub(super) fn sort<'r>(&self, at: At<'c, 'r>, run: Run<'c, 'b, 'r>) -> Built<()> {
        let kept = self.runs.kept;
        let survey = Survey::of(at, run)?;
        at.branch(
            survey.in_order,
            |at| at.repeat(kept, |at, rank| run.place(at, rank, rank)),
            |at| {
                at.branch(
                    survey.reversed,
                    |at| place_reversed(at, run),
                    |at| {
                        self.count(at, run, survey.varying)?;
                        let sorted = self.passes(at, survey.varying)?;
                        let wanted = self.positions.unwrap_or(self.elements);
                        at.repeat(kept, |at, rank| {
                            run.put(at, rank, load(at, wanted, &[sorted, rank])?)
                        })
                    },
                )
            },
        )
    }

    /// Counts each varying byte's values, and takes the run over.
    fn count<'r>(&self, at: At<'c, 'r>, run: Run<'c, 'b, 'r>, varying: Value<'c, 'r>) -> Built<()> {
        let bytes = self.runs.key.bytes();
        let zero = at.index(0)?;
        at.repeat(bytes, |at, byte| {
            at.repeat(BUCKETS, |at, value| {
                store(at, zero, self.buckets, &[byte, value])
            })
        })?;
        at.repeat(self.runs.extent, |at, position| {
            let element = run.element(at, position)?;
            store(at, element, self.elements, &[zero, position])?;
            if let Some(positions) = self.positions {
                let number = to_position(at, position)?;
                store(at, number, positions, &[zero, position])?;
            }
            let key = self.runs.key.of(at, element)?;
            at.repeat(bytes, |at, byte| {
                at.when(self.varies(at, varying, byte)?, |at| {
                    self.next_of(at, byte, key)?;
                    Ok(())
                })
            })
        })
    }

    /// The passes; gives the half of the buffers that is in order.
    fn passes<'r>(&self, at: At<'c, 'r>, varying: Value<'c, 'r>) -> Built<Value<'c, 'r>> {
        let bytes = (at.index(0)?, at.index(self.runs.key.bytes())?);
        let half = at.fold(bytes, &[at.index(0)?], |at, byte, half| {
            let varies = self.varies(at, varying, byte)?;
            let other = at.arith("xori", half[0], at.index(1)?)?;
            at.when(varies, |at| self.pass(at, byte, half[0], other))?;
            let index = Type::index(at.context);
            Ok(vec![at.emit(
                "arith.select",
                &[varies, other, half[0]],
                index,
            )?])
        })?;
        Ok(half[0])
    }

    fn pass<'r>(
        &self,
        at: At<'c, 'r>,
        byte: Value<'c, '_>,
        from: Value<'c, '_>,
        to: Value<'c, '_>,
    ) -> Built<()> {
        let values = (at.index(0)?, at.index(BUCKETS)?);
        at.fold(values, &[at.index(0)?], |at, value, start| {
            let count = load(at, self.buckets, &[byte, value])?;
            store(at, start[0], self.buckets, &[byte, value])?;
            Ok(vec![at.arith("addi", start[0], count)?])
        })?;
        at.repeat(self.runs.extent, |at, position| {
            let element = load(at, self.elements, &[from, position])?;
            let key = self.runs.key.of(at, element)?;
            let place = self.next_of(at, byte, key)?;
            store(at, element, self.elements, &[to, place])?;
            if let Some(positions) = self.positions {
                let position = load(at, positions, &[from, position])?;
                store(at, position, positions, &[to, place])?;
            }
            Ok(())
        })
    }

    /// Whether the keys differ in a byte.
    fn varies<'r>(
        &self,
        at: At<'c, 'r>,
        varying: Value<'c, '_>,
        byte: Value<'c, '_>,
    ) -> Built<Value<'c, 'r>> {
        let value = self.value(at, varying, byte)?;
        at.compare("arith.cmpi", CmpiPredicate::Ne as i64, value, at.index(0)?)
    }

    /// The number in the bucket of a key's byte, which goes up by one.
    fn next_of<'r>(
        &self,
        at: At<'c, 'r>,
        byte: Value<'c, '_>,
        key: Value<'c, '_>,
    ) -> Built<Value<'c, 'r>> {
        let bucket = [byte, self.value(at, key, byte)?];
        let number = load(at, self.buckets, &bucket)?;
        let next = at.arith("addi", number, at.index(1)?)?;
        store(at, next, self.buckets, &bucket)?;
        Ok(number)
    }

    /// The value of a byte of a key, an `index`; byte 0 is the least.
    fn value<'r>(
        &self,
        at: At<'c, 'r>,
        key: Value<'c, '_>,
        byte: Value<'c, '_>,
    ) -> Built<Value<'c, 'r>> {
        let bits = self.runs.key.bits();
        let ty = integer_type(at.context, bits);
        let shift = at.arith("muli", byte, at.index(8)?)?;
        let shift = at.emit("arith.index_cast", &[shift], ty)?;
        let shifted = at.arith("shrui", key, shift)?;
        let value = at.arith("andi", shifted, at.integer(bits, 255)?)?;
        at.emit("arith.index_castui", &[value], Type::index(at.context))
    }
}
