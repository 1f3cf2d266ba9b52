//! Blocks that are whole are read and written as they are.
//!
//! At an edge a block, or the copy of one, is cut off: what reads and writes it does so under a
//! mask, or asks of each row whether it is there. Most blocks are whole, and not every processor
//! has masks that cost nothing: AVX2 writes under one in tens of cycles, NEON and SSE2 by a branch
//! an element.

use melior::dialect::arith::CmpiPredicate;
use melior::ir::attribute::{ArrayAttribute, BoolAttribute, DenseI32ArrayAttribute};
use melior::ir::operation::{OperationLike, OperationRef, OperationResult, WalkOrder, WalkResult};
use melior::ir::{Module, Type, Value, ValueLike};
use mlir_pipeline::rewrite::{Place, Rewritten, destroy, internal, name_of, replace_uses};
use mlir_pipeline::{MlirError, Session, integer_constant};

use crate::transfer::{is_in_bounds, shape};

/// Branches around each transfer of a block that may be cut off.
pub fn branch_on_whole_blocks(session: &Session, module: &Module<'_>) -> Result<(), MlirError> {
    let mut transfers = Vec::new();
    module
        .as_operation()
        .walk(WalkOrder::PreOrder, |operation| {
            // SAFETY: the walk gives operations of the module, which live as long as it does.
            let operation = unsafe { OperationRef::from_raw(operation.to_raw()) };
            transfers.extend(Transfer::of(operation));
            WalkResult::Advance
        });
    let mut transfers = transfers.into_iter();
    transfers.try_for_each(|transfer| transfer.branch(session))
}

/// A read or a write of a vector that may be cut off.
struct Transfer<'c, 'a> {
    operation: OperationRef<'c, 'a>,
    is_read: bool,
    /// How many axes the buffer has.
    rank: usize,
    /// Of the vector.
    extents: Vec<u64>,
    /// Whether a mask says what is there, or else the buffer's end.
    is_masked: bool,
}

impl<'c, 'a> Transfer<'c, 'a> {
    fn of(operation: OperationRef<'c, 'a>) -> Option<Self> {
        let is_read = match name_of(operation).as_str() {
            "vector.transfer_read" => true,
            "vector.transfer_write" => false,
            _ => return None,
        };
        let (buffer, vector) = match is_read {
            true => (operation.operand(0).ok()?, operation.result(0).ok()?.into()),
            false => (operation.operand(1).ok()?, operation.operand(0).ok()?),
        };
        let rank = shape(buffer.r#type()).len();
        let transfer = Transfer {
            operation,
            is_read,
            rank,
            extents: shape(ValueLike::r#type(&vector)),
            is_masked: operation.operand_count() > rank + 2,
        };
        let may_be_cut = match transfer.is_masked {
            true => {
                let mask = OperationResult::try_from(operation.operand(rank + 2).ok()?).ok()?;
                name_of(mask.owner()) == "vector.create_mask"
            }
            false => !is_in_bounds(operation)? && transfer.starts_the_buffer()?,
        };
        may_be_cut.then_some(transfer)
    }

    /// Whether the vector's axes are the buffer's, each from its start.
    fn starts_the_buffer(&self) -> Option<bool> {
        let first = 2 - usize::from(self.is_read);
        let mut indices = first..first + self.rank;
        let at_start = indices.all(|index| {
            let index = self.operation.operand(index).ok();
            index.and_then(integer_constant) == Some(0)
        });
        let axes: Vec<String> = (0..self.rank).map(|axis| format!("d{axis}")).collect();
        let axes = axes.join(", ");
        let map = self.operation.attribute("permutation_map").ok()?;
        let identity = format!("affine_map<({axes}) -> ({axes})>");
        Some(at_start && map.to_string() == identity)
    }

    /// How far along each axis of the vector there is something.
    fn reach(&self, place: Place<'c, 'a>) -> Rewritten<Vec<Value<'c, 'a>>> {
        if self.is_masked {
            let mask = self.operation.operand(self.rank + 2).map_err(internal)?;
            let mask = OperationResult::try_from(mask).map_err(internal)?.owner();
            return Ok(mask.operands().collect());
        }
        let buffer = self.operation.operand(usize::from(!self.is_read));
        let buffer = buffer.map_err(internal)?;
        let axes = 0..self.rank as u64;
        axes.map(|axis| {
            let operands = [buffer, place.index(axis)?];
            place.emit("memref.dim", &operands, Type::index(place.context))
        })
        .collect()
    }

    fn branch(&self, session: &'c Session) -> Rewritten<()> {
        let Some(place) = Place::before(session.context(), self.operation) else {
            return Ok(());
        };
        let mut is_whole = None;
        for (reach, &extent) in self.reach(place)?.into_iter().zip(&self.extents) {
            let reaches = place.compare(CmpiPredicate::Sge, [reach, place.index(extent)?])?;
            is_whole = Some(match is_whole {
                None => reaches,
                Some(whole) => place.emit("arith.andi", &[whole, reaches], reaches.r#type())?,
            });
        }
        let Some(is_whole) = is_whole else {
            return Ok(());
        };
        let results = self.operation.results();
        let types: Vec<Type> = results.map(|result| Value::from(result).r#type()).collect();
        let copies = place.choose(is_whole, &types, |place, is_whole| {
            self.copy(place, is_whole, &types)
        })?;
        if let (Ok(old), Some(&new)) = (self.operation.result(0), copies.first()) {
            replace_uses(old.into(), new);
        }
        destroy(self.operation);
        Ok(())
    }

    /// The same transfer elsewhere, or that of a vector which is known to be whole.
    fn copy(
        &self,
        place: Place<'c, 'a>,
        is_whole: bool,
        types: &[Type<'c>],
    ) -> Rewritten<Vec<Value<'c, 'a>>> {
        let has_mask = self.is_masked && !is_whole;
        let count = self.rank + 2 + usize::from(has_mask);
        let operands: Vec<Value> = self.operation.operands().take(count).collect();
        let (indices, mask) = (self.rank as i32, i32::from(has_mask));
        let segments = match self.is_read {
            // The buffer, its indices, the padding, the mask.
            true => [1, indices, 1, mask],
            // The vector, the buffer, its indices, the mask.
            false => [1, 1, indices, mask],
        };
        // Alive until it is built.
        let name = name_of(self.operation);
        let mut copy = place
            .operation(&name)
            .add_operands(&operands)
            .add_results(types);
        for (name, attribute) in self.operation.attributes() {
            let attribute = match name.as_string_ref().as_str() {
                Ok("operandSegmentSizes") => {
                    DenseI32ArrayAttribute::new(place.context, &segments).into()
                }
                Ok("in_bounds") if is_whole => {
                    let yes = BoolAttribute::new(place.context, true).into();
                    ArrayAttribute::new(place.context, &vec![yes; self.extents.len()]).into()
                }
                _ => attribute,
            };
            copy = copy.add_attributes(&[(name, attribute)]);
        }
        let copy = place.build(copy)?;
        Ok(copy.results().map(Value::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "
        func.func @f(%from: memref<?x?xf32>, %to: memref<?x?xf32>, %rows: index, %columns: index) {
          %c0 = arith.constant 0 : index
          %zero = arith.constant 0.0 : f32
          %mask = vector.create_mask %rows, %columns : vector<5x16xi1>
          %block = vector.transfer_read %from[%c0, %c0], %zero, %mask {in_bounds = [true, true]}
            : memref<?x?xf32>, vector<5x16xf32>
          vector.transfer_write %block, %to[%c0, %c0] : vector<5x16xf32>, memref<?x?xf32>
          vector.transfer_write %block, %to[%rows, %c0] : vector<5x16xf32>, memref<?x?xf32>
          %there = vector.transfer_read %to[%c0, %c0], %zero {in_bounds = [true, true]}
            : memref<?x?xf32>, vector<5x16xf32>
          vector.transfer_write %there, %from[%c0, %c0] {in_bounds = [true, true]}
            : vector<5x16xf32>, memref<?x?xf32>
          return
        }";

    #[test]
    fn a_block_that_may_be_cut_off_has_a_branch() {
        let session = Session::new("test").unwrap();
        let module = Module::parse(session.context(), MODULE).unwrap();
        branch_on_whole_blocks(&session, &module).unwrap();
        session.verify(&module).unwrap();
        let text = module.as_operation().to_string();
        // One for the mask, one for the end of the buffer; the rest is known to be whole, or does
        // not start the buffer.
        assert_eq!(text.matches("scf.if").count(), 2, "{text}");
        assert_eq!(
            text.matches("in_bounds = [true, true]").count(),
            5,
            "{text}"
        );
    }
}
