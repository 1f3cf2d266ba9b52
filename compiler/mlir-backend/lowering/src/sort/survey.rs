use melior::dialect::arith::CmpiPredicate::{self, Eq, Ugt, Ult};
use melior::ir::Value;

use super::runs::{Run, Runs};
use crate::at::{At, Built};

/// What one look at a run's keys tells.
pub(super) struct Survey<'c, 'r> {
    /// The bits in which any two differ.
    pub varying: Value<'c, 'r>,
    /// Whether no key is less than the one before it.
    pub in_order: Value<'c, 'r>,
    /// Whether no key is greater than the one before it.
    pub reversed: Value<'c, 'r>,
}

impl<'c: 'r, 'r> Survey<'c, 'r> {
    /// Looks at a run of one element or more.
    pub(super) fn of(at: At<'c, 'r>, run: Run<'c, '_, 'r>) -> Built<Self> {
        let Runs { key, extent, .. } = run.runs;
        let (zero, one) = (at.index(0)?, at.index(1)?);
        let first = run.key(at, zero)?;
        let no = at.boolean(false)?;
        let seeds = [at.integer(key.bits(), 0)?, no, no];
        let others = (one, at.index(extent)?);
        let any = at.fold(others, &seeds, |at, position, any| {
            let this = run.key(at, position)?;
            let before = run.key(at, at.arith("subi", position, one)?)?;
            let varying = at.arith("xori", this, first)?;
            let falls = compare(at, Ult, this, before)?;
            let rises = compare(at, Ugt, this, before)?;
            let found = [varying, falls, rises].into_iter();
            found
                .zip(any)
                .map(|(found, &any)| at.arith("ori", any, found))
                .collect()
        })?;
        let none = |flag| at.arith("xori", flag, at.boolean(true)?);
        Ok(Survey {
            varying: any[0],
            in_order: none(any[1])?,
            reversed: none(any[2])?,
        })
    }
}

/// Places the elements of a reversed run: from its end, and equal ones as they lie.
pub(super) fn place_reversed<'c: 'r, 'r>(at: At<'c, 'r>, run: Run<'c, '_, 'r>) -> Built<()> {
    let Runs { extent, kept, .. } = run.runs;
    at.repeat_while(
        &[at.index(extent)?],
        |at, end| compare(at, Ugt, end[0], at.index(extent - kept)?),
        |at, end| {
            let one = at.index(1)?;
            let last = at.arith("subi", end[0], one)?;
            let key = run.key(at, last)?;
            let start = at.repeat_while(
                &[last],
                |at, start| {
                    let (zero, one) = (at.index(0)?, at.index(1)?);
                    let some = compare(at, Ugt, start[0], zero)?;
                    // At the start the first stands in for the one before it.
                    let before = at.arith("subi", at.arith("maxui", start[0], one)?, one)?;
                    let equal = compare(at, Eq, run.key(at, before)?, key)?;
                    at.arith("andi", some, equal)
                },
                |at, start| Ok(vec![at.arith("subi", start[0], at.index(1)?)?]),
            )?;
            let placed = at.arith("subi", at.index(extent)?, end[0])?;
            let open = at.arith("subi", at.index(kept)?, placed)?;
            let limit = at.arith("addi", start[0], open)?;
            let taken = (start[0], at.arith("minui", end[0], limit)?);
            at.fold(taken, &[], |at, position, _| {
                let within = at.arith("subi", position, start[0])?;
                run.place(at, at.arith("addi", placed, within)?, position)?;
                Ok(vec![])
            })?;
            Ok(start)
        },
    )?;
    Ok(())
}

fn compare<'c: 'r, 'r>(
    at: At<'c, 'r>,
    predicate: CmpiPredicate,
    left: Value<'c, '_>,
    right: Value<'c, '_>,
) -> Built<Value<'c, 'r>> {
    at.compare("arith.cmpi", predicate as i64, left, right)
}
