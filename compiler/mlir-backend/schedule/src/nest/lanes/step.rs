//! One step of a fold for many rows at once: its operations, on vectors.

use std::collections::HashMap;
use std::ffi::c_void;

use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut};
use melior::ir::{BlockRef, TypeLike, Value, ValueLike};
use mlir_pipeline::rewrite::{Place, Rewritten, block_of, internal, operations};
use mlir_sys::mlirValueSetType;

use super::Fold;

impl<'c, 'a> Fold<'c, 'a, '_> {
    /// The accumulators after one step, in `lanes` lanes; each operand of the step has a vector.
    pub(super) fn step(
        &self,
        place: Place<'c, 'a>,
        elements: &[Value<'c, 'a>],
        accumulators: Value<'c, 'a>,
    ) -> Rewritten<Value<'c, 'a>> {
        let body: BlockRef = block_of(self.generic).ok_or_else(|| internal("a fold of nothing"))?;
        let mut vectors: HashMap<*const c_void, Value<'c, 'a>> = HashMap::new();
        for (index, &vector) in elements.iter().chain([&accumulators]).enumerate() {
            let element: Value = body.argument(index).map_err(internal)?.into();
            vectors.insert(element.to_raw().ptr, vector);
        }
        for operation in operations(body) {
            let operands =
                operation
                    .operands()
                    .map(|operand| match vectors.get(&operand.to_raw().ptr) {
                        Some(&vector) => Ok(vector),
                        None => self.splat(place, operand),
                    });
            let operands = operands.collect::<Rewritten<Vec<Value>>>()?;
            if operation.result_count() == 0 {
                // What the body yields.
                return operands
                    .first()
                    .copied()
                    .ok_or_else(|| internal("a fold without an answer"));
            }
            let copy = place.put((*operation).clone());
            // SAFETY: the copy is an operation of the module that the caller may change.
            let mut changed = unsafe { OperationRefMut::from_raw(copy.to_raw()) };
            changed.set_operands(&operands);
            for (before, after) in operation.results().zip(copy.results()) {
                if !operands.is_empty() {
                    let ty = self.vector(before.r#type());
                    // SAFETY: the value is alive and has no use yet.
                    unsafe { mlirValueSetType(after.to_raw(), ty.to_raw()) };
                }
                let value = Value::from(after);
                let vector = match operands.is_empty() {
                    true => self.splat(place, value)?,
                    false => value,
                };
                vectors.insert(before.to_raw().ptr, vector);
            }
        }
        Err(internal("a fold that yields nothing"))
    }
}
