//! A step of a block is computed row by row: a row's factor is loaded into all lanes, multiplied
//! with the columns, and added.
//!
//! Vectorization reads the factors as one vector that it then spreads and turns, multiplies all
//! rows and adds all rows. LLVM keeps that order, for which there are not enough registers, and
//! takes vectors apart in registers where memory has the element.

use melior::ir::attribute::{Attribute, DenseI64ArrayAttribute};
use melior::ir::operation::{OperationLike, OperationRef, OperationResult};
use melior::ir::{Module, Type, TypeLike, Value, ValueLike};
use mlir_pipeline::rewrite::{
    Place, Rewritten, destroy, internal, name_of, nested, operations, replace_uses, users,
};
use mlir_pipeline::{Access, MlirError, Session, access};
use mlir_sys::{mlirShapedTypeGetElementType, mlirTypeIsAVector};

use crate::transfer::{is_in_bounds, read_run, shape};

/// Computes the steps of blocks, on buffers, row by row.
pub fn step_by_rows(session: &Session, module: &Module<'_>) -> Result<(), MlirError> {
    let functions = operations(module.body()).into_iter();
    let products: Vec<OperationRef> = functions
        .flat_map(nested)
        .filter(|one| matches!(name_of(*one).as_str(), "arith.mulf" | "arith.muli"))
        .collect();
    for product in products {
        if let Some(step) = Step::of(product) {
            step.by_rows(session)?;
        }
    }
    Ok(())
}

/// The next product of each element of a block, and its sum.
struct Step<'c, 'a> {
    product: OperationRef<'c, 'a>,
    sum: OperationRef<'c, 'a>,
    rows: u64,
    columns: u64,
    factors: Read<'c, 'a>,
    /// The axis of their buffer along which the rows' factors lie.
    axis: usize,
    /// The columns of all rows.
    row: Read<'c, 'a>,
}

impl<'c, 'a> Step<'c, 'a> {
    fn of(product: OperationRef<'c, 'a>) -> Option<Self> {
        let products: Value = product.result(0).ok()?.into();
        let [rows, columns] = extents(products)?[..] else {
            return None;
        };
        let [sum] = users(products)[..] else {
            return None;
        };
        let is_sum = matches!(name_of(sum).as_str(), "arith.addf" | "arith.addi")
            && sum.operand(1).ok()? == products;
        let factors = Read::of(product.operand(0).ok()?)?;
        let row = Read::of(product.operand(1).ok()?)?;
        let ([Some(axis), None], [None, Some(along)]) = (&factors.walks[..], &row.walks[..]) else {
            return None;
        };
        let (axis, lies_in_one_piece) = (*axis, along + 1 == row.rank()?);
        (is_sum && lies_in_one_piece).then_some(Step {
            product,
            sum,
            rows,
            columns,
            factors,
            axis,
            row,
        })
    }

    fn by_rows(&self, session: &'c Session) -> Rewritten<()> {
        let Some(place) = Place::before(session.context(), self.sum) else {
            return Ok(());
        };
        let before = self.sum.operand(0).map_err(internal)?;
        let block = before.r#type();
        // SAFETY: a vector has elements.
        let element = unsafe { Type::from_raw(mlirShapedTypeGetElementType(block.to_raw())) };
        let row = Type::vector(&[self.columns], element);
        let columns = self.row.row(place, row)?;
        let (multiply, add) = (name_of(self.product), name_of(self.sum));
        let mut sums = poison(place, block)?;
        for number in 0..self.rows {
            let position = DenseI64ArrayAttribute::new(place.context, &[number as i64]);
            let position = [place.named("static_position", position)];
            let factor = self.factors.element(place, self.axis, number, element)?;
            let factor = place.emit("vector.broadcast", &[factor], row)?;
            let product = place.emit(&multiply, &[factor, columns], row)?;
            let extract = place.operation("vector.extract").add_operands(&[before]);
            let extract = extract.add_attributes(&position).add_results(&[row]);
            let sum = place.emit(&add, &[place.value(extract)?, product], row)?;
            let insert = place.operation("vector.insert").add_operands(&[sum, sums]);
            sums = place.value(insert.add_attributes(&position).add_results(&[block]))?;
        }
        replace_uses(self.sum.result(0).map_err(internal)?.into(), sums);
        destroy(self.sum);
        let operands: Vec<Value> = self.product.operands().collect();
        destroy(self.product);
        operands.into_iter().for_each(forget);
        Ok(())
    }
}

/// A vector that was read from a buffer, and spread or turned since.
struct Read<'c, 'a> {
    transfer: OperationRef<'c, 'a>,
    /// The axis of the buffer that each axis of the vector walks.
    walks: Access,
}

impl<'c, 'a> Read<'c, 'a> {
    fn of(vector: Value<'c, 'a>) -> Option<Self> {
        let extents = extents(vector)?;
        let operation = OperationResult::try_from(vector).ok()?.owner();
        let source = operation.operand(0).ok()?;
        let (transfer, mut walks) = match name_of(operation).as_str() {
            "vector.transfer_read" => (operation, walks_of_whole(operation)?),
            "vector.broadcast" => {
                let Read { transfer, walks } = Read::of(source)?;
                let spread = vec![None; extents.len() - walks.len()];
                (transfer, [spread, walks].concat())
            }
            "vector.transpose" => {
                let Read { transfer, walks } = Read::of(source)?;
                let order = operation.attribute("permutation").ok()?;
                let order = DenseI64ArrayAttribute::try_from(order).ok()?;
                let walk = |axis| walks.get(order.element(axis).ok()? as usize).copied();
                (transfer, (0..order.len()).map(walk).collect::<Option<_>>()?)
            }
            "vector.shape_cast" => {
                let Read { transfer, walks } = Read::of(source)?;
                let before = self::extents(source)?;
                let long = |extents: &[u64]| -> Vec<u64> {
                    let long = extents.iter().filter(|&&extent| extent > 1);
                    long.copied().collect()
                };
                // Only axes of one position come and go.
                if long(&before) != long(&extents) {
                    return None;
                }
                let mut kept = before.iter().zip(walks).filter(|(extent, _)| **extent > 1);
                let walk = |&extent: &u64| match extent > 1 {
                    true => kept.next().and_then(|(_, walk)| walk),
                    false => None,
                };
                (transfer, extents.iter().map(walk).collect())
            }
            _ => return None,
        };
        for (walk, extent) in walks.iter_mut().zip(extents) {
            *walk = walk.filter(|_| extent > 1);
        }
        Some(Read { transfer, walks })
    }

    /// How many axes the buffer has.
    fn rank(&self) -> Option<usize> {
        Some(shape(self.transfer.operand(0).ok()?.r#type()).len())
    }

    /// The first element, or one so many positions after it along an axis of the buffer.
    fn element(
        &self,
        place: Place<'c, 'a>,
        axis: usize,
        number: u64,
        ty: Type<'c>,
    ) -> Rewritten<Value<'c, 'a>> {
        // The buffer and its indices; no padding.
        let count = self.transfer.operand_count() - 1;
        let mut operands: Vec<Value> = self.transfer.operands().take(count).collect();
        operands[1 + axis] = place.after(operands[1 + axis], number)?;
        place.emit("memref.load", &operands, ty)
    }

    /// The elements that lie side by side from the first one, as a vector of this type.
    fn row(&self, place: Place<'c, 'a>, ty: Type<'c>) -> Rewritten<Value<'c, 'a>> {
        let operands: Vec<Value> = self.transfer.operands().collect();
        match operands.as_slice() {
            [buffer, indices @ .., padding] => read_run(place, *buffer, indices, *padding, ty),
            _ => Err(internal("a read of no buffer")),
        }
    }
}

/// The axes that a read walks, if there is no mask and all that it reads is there.
fn walks_of_whole(transfer: OperationRef<'_, '_>) -> Option<Access> {
    let rank = shape(transfer.operand(0).ok()?.r#type()).len();
    let walks = access(transfer.attribute("permutation_map").ok()?)?;
    (is_in_bounds(transfer)? && transfer.operand_count() == rank + 2).then_some(walks)
}

/// The extents of a vector; none of other values.
fn extents(value: Value<'_, '_>) -> Option<Vec<u64>> {
    // SAFETY: asks for the type's kind.
    let is_vector = unsafe { mlirTypeIsAVector(value.r#type().to_raw()) };
    is_vector.then(|| shape(value.r#type()))
}

/// A vector whose elements are all to come.
fn poison<'c, 'a>(place: Place<'c, 'a>, ty: Type<'c>) -> Rewritten<Value<'c, 'a>> {
    let value = Attribute::parse(place.context, "#ub.poison");
    let value = value.ok_or_else(|| internal("no poison"))?;
    let poison = place.operation("ub.poison");
    let poison = poison.add_attributes(&[place.named("value", value)]);
    place.value(poison.add_results(&[ty]))
}

/// Removes what made a vector that nothing uses any more.
fn forget(vector: Value<'_, '_>) {
    let Ok(result) = OperationResult::try_from(vector) else {
        return;
    };
    if extents(vector).is_some() && users(vector).is_empty() {
        let source = result.owner().operand(0);
        destroy(result.owner());
        if let Ok(source) = source {
            forget(source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "
        func.func @f(%a: memref<512x6xf32>, %b: memref<512x16xf32>, %at: index,
                     %sums: vector<6x16xf32>) -> vector<6x16xf32> {
          %c0 = arith.constant 0 : index
          %zero = arith.constant 0.0 : f32
          %column = vector.transfer_read %a[%at, %c0], %zero {in_bounds = [true, true],
            permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<512x6xf32>, vector<6x1xf32>
          %spread = vector.broadcast %column : vector<6x1xf32> to vector<16x6x1xf32>
          %cast = vector.shape_cast %spread : vector<16x6x1xf32> to vector<16x6xf32>
          %factors = vector.transpose %cast, [1, 0] : vector<16x6xf32> to vector<6x16xf32>
          %rows = vector.transfer_read %b[%at, %c0], %zero {in_bounds = [true, true, true],
            permutation_map = affine_map<(d0, d1) -> (0, d1, d0)>}
            : memref<512x16xf32>, vector<6x16x1xf32>
          %columns = vector.shape_cast %rows : vector<6x16x1xf32> to vector<6x16xf32>
          %products = arith.mulf %factors, %columns : vector<6x16xf32>
          %next = arith.addf %sums, %products : vector<6x16xf32>
          return %next : vector<6x16xf32>
        }";

    fn stepped(module: &str) -> String {
        let session = Session::new("test").unwrap();
        let module = Module::parse(session.context(), module).unwrap();
        step_by_rows(&session, &module).unwrap();
        session.verify(&module).unwrap();
        module.as_operation().to_string()
    }

    #[test]
    fn a_step_is_computed_row_by_row() {
        let text = stepped(MODULE);
        let count = |of| text.matches(of).count();
        assert_eq!(count("memref.load"), 6, "{text}");
        assert_eq!(count("arith.mulf"), 6, "{text}");
        assert_eq!(count("arith.addf"), 6, "{text}");
        assert_eq!(count("vector.transfer_read"), 1, "{text}");
        assert_eq!(count("vector.transpose"), 0, "{text}");
    }

    #[test]
    fn a_product_of_something_else_stays() {
        let turned = MODULE.replace("(0, d1, d0)", "(0, d0, d1)");
        for other in [
            MODULE.replace("%sums, %products", "%products, %sums"),
            turned,
        ] {
            assert_eq!(stepped(&other).matches("memref.load").count(), 0);
        }
    }
}
