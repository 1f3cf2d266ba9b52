//! A body hands back each value once: `buffer-results-to-out-params` crashes on a buffer that is
//! returned twice (docs/upstream.md).

use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationMutLike};
use melior::ir::{Attribute, Identifier, OperationRef, RegionLike, Value, ValueLike};

use crate::{Failure, MlirError, Session};

/// Copies what a function returns a second time. Fusion makes one value of two that hold the same
/// elements.
pub(crate) fn return_each_once(
    session: &Session,
    function: OperationRef<'_, '_>,
) -> Result<(), MlirError> {
    let internal =
        |error: melior::Error| MlirError::PassPipelineFailed(Failure::new(error.to_string()));
    let region = function.region(0).map_err(internal)?;
    let Some(block) = region.first_block() else {
        return Ok(());
    };
    let Some(mut terminator) = block.terminator_mut() else {
        return Ok(());
    };
    let mut returned: Vec<Value> = Vec::new();
    for index in 0..terminator.operand_count() {
        let value = terminator.operand(index).map_err(internal)?;
        if !returned.contains(&value) {
            returned.push(value);
            continue;
        }
        let context = session.context();
        let attribute = |name, value| (Identifier::new(context, name), value);
        // No sizes, what to copy, no hint of a size.
        let segments: Attribute = DenseI32ArrayAttribute::new(context, &[0, 1, 0]).into();
        let copy = OperationBuilder::new("bufferization.alloc_tensor", terminator.location())
            .add_attributes(&[attribute("operandSegmentSizes", segments)])
            .add_operands(&[value])
            .add_results(&[value.r#type()])
            .build()
            .map_err(internal)?;
        let Some(place) = block.terminator() else {
            return Ok(());
        };
        let copy = block.insert_operation_before(place, copy);
        terminator.set_operand(index, copy.result(0).map_err(internal)?.into());
    }
    Ok(())
}
