//! Where an element-wise operation writes what it makes of a product: over it, where nothing else
//! reads the product.

use melior::ir::attribute::ArrayAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationResult};
use melior::ir::{Module, OperationRef, Value, ValueLike};
use mlir_pipeline::rewrite::{block_of, changed, name_of, nested, operations, users};

/// Gives the element-wise operations of scheduled products, on tensors, the product as their
/// destination, so that both have one buffer.
pub fn write_over_products(module: &Module<'_>) {
    for function in operations(module.body()) {
        for operation in nested(function) {
            if let Some((destination, product)) = place_of_product(operation) {
                changed(operation).set_operand(destination, product);
            }
        }
    }
}

/// The number of the operand that an operation writes, and the product that may take its place.
fn place_of_product<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<(usize, Value<'c, 'a>)> {
    if name_of(operation) != "linalg.generic" || operation.result_count() != 1 {
        return None;
    }
    let attribute = |name| ArrayAttribute::try_from(operation.attribute(name).ok()?).ok();
    let (maps, iterators) = (attribute("indexing_maps")?, attribute("iterator_types")?);
    let is_parallel = |index| {
        let kind = iterators.element(index).map(|kind| kind.to_string());
        kind.is_ok_and(|kind| kind.contains("parallel"))
    };
    let last = operation.operand_count().checked_sub(1)?;
    let destination = operation.operand(last).ok()?;
    let unread: Value = block_of(operation)?.argument(last).ok()?.into();
    let is_elementwise = (0..iterators.len()).all(is_parallel)
        && maker(destination).as_deref() == Some("tensor.empty")
        && users(unread).is_empty();
    if !is_elementwise {
        return None;
    }
    let map = maps.element(last).ok()?;
    let product = (0..last).find_map(|index| {
        let input = operation.operand(index).ok()?;
        let fits = input.r#type() == destination.r#type()
            && maps.element(index).ok()? == map
            && maker(input).as_deref() == Some("scf.for")
            && users(input).len() == 1;
        fits.then_some(input)
    })?;
    Some((last, product))
}

/// The name of the operation that makes a value.
fn maker(value: Value<'_, '_>) -> Option<String> {
    let result = OperationResult::try_from(value).ok()?;
    Some(name_of(result.owner()))
}
