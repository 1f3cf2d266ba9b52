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
use crate::transfer::shape;

/// Marks a loop over blocks, each of which reads its elements of the result and then writes them,
/// once for each panel of the contracted axis. No other loop does so.
pub(super) const BLOCKS: &str = "neuro.blocks";

/// Takes the place of the fill before such loops, on buffers: the first panel starts from its
/// zeros.
pub fn start_from_zeros(session: &Session, module: &Module<'_>) -> Result<(), MlirError> {
    for function in operations(module.body()) {
        let all = nested(function).into_iter();
        // All of them first: what starts from zeros loses operations.
        let loops: Vec<OperationRef> = all.filter(|one| one.has_attribute(BLOCKS)).collect();
        for filled in loops.into_iter().filter_map(Filled::of) {
            filled.start(session)?;
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
    fn of(blocks: OperationRef<'c, 'a>) -> Option<Self> {
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
        let before = |one: OperationRef<'c, 'a>| {
            let block = one.block().map(operations).unwrap_or_default();
            let before = block.into_iter().take_while(|&one| !is_within(blocks, one));
            before.collect::<Vec<OperationRef>>().into_iter().rev()
        };
        // The nearest. A view does nothing to the result.
        let fill = around(blocks)
            .take_while(|&one| name_of(one) != "func.func")
            .flat_map(before)
            .filter(|&one| !is_view(&name_of(one)))
            .find(is_user)?;
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
        let mut panels = around(read).filter_map(Panels::of);
        panels.find(|panels| panels.axis == self.rank)
    }
}

/// An operation and those that it is within, from the inside out.
fn around<'c, 'a>(operation: OperationRef<'c, 'a>) -> impl Iterator<Item = OperationRef<'c, 'a>> {
    std::iter::successors(Some(operation), |one| one.parent_operation())
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

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "
        func.func @f(%result: memref<64x16xf32>, %other: memref<64x16xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %c8 = arith.constant 8 : index
          %c64 = arith.constant 64 : index
          %zero = arith.constant 0.0 : f32
          linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
            iterator_types = [\"parallel\", \"parallel\"]} outs(%result : memref<64x16xf32>) {
            ^bb0(%before: f32):
              linalg.yield %zero : f32
          }
          // between
          scf.for %panel = %c0 to %c8 step %c4 {
            scf.for %row = %c0 to %c64 step %c4 {
              %sums = vector.transfer_read %result[%row, %c0], %zero {in_bounds = [true, true]}
                : memref<64x16xf32>, vector<4x16xf32>
              %next = arith.addf %sums, %sums : vector<4x16xf32>
              vector.transfer_write %next, %result[%row, %c0] {in_bounds = [true, true]}
                : vector<4x16xf32>, memref<64x16xf32>
            } {neuro.blocks}
          } {neuro.axis = 2 : i64}
          return
        }";

    fn started(module: &str) -> String {
        let session = Session::new("test").unwrap();
        let module = Module::parse(session.context(), module).unwrap();
        start_from_zeros(&session, &module).unwrap();
        session.verify(&module).unwrap();
        module.as_operation().to_string()
    }

    #[test]
    fn the_first_panel_starts_from_zeros() {
        let text = started(MODULE);
        assert!(!text.contains("linalg.generic"), "{text}");
        // In the panels after it.
        let (_, branch) = text.split_once("scf.if").unwrap();
        assert!(branch.contains("vector.transfer_read"), "{text}");
        let one_panel = started(&MODULE.replace("{neuro.axis = 2 : i64}", ""));
        assert!(!one_panel.contains("vector.transfer_read"), "{one_panel}");
    }

    #[test]
    fn what_is_used_in_between_stays_filled() {
        let copy = "memref.copy %result, %other : memref<64x16xf32> to memref<64x16xf32>";
        for other in [
            MODULE.replace("// between", copy),
            MODULE.replace("linalg.yield %zero", "linalg.yield %before"),
        ] {
            let text = started(&other);
            assert!(
                text.contains("linalg.generic") && !text.contains("scf.if"),
                "{text}"
            );
        }
    }
}
