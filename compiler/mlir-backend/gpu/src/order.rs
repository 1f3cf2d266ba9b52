//! Parallel dimensions outside, folded ones inside: a thread folds its own run.

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, Attribute, AttributeLike, IntegerAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike};
use melior::ir::r#type::IntegerType;
use melior::ir::{AffineExpr, AffineMap, OperationRef};
use mlir_sys::{
    mlirAffineExprCompose, mlirAffineMapAttrGet, mlirAffineMapAttrGetValue,
    mlirAffineMapGetNumResults, mlirAffineMapGetResult, mlirAttributeIsAAffineMap,
};

use crate::ir::{Rewritten, changed, internal, name_of, nested};

/// How many dimensions of a `linalg.generic` are parallel; it walks them first from now on. The
/// folded ones keep their order, so no sum changes.
pub(crate) fn parallel_first<'c>(
    context: &'c Context,
    generic: OperationRef<'c, '_>,
) -> Rewritten<usize> {
    let iterators = array(generic, "iterator_types")?;
    let folds: Vec<bool> = iterators
        .iter()
        .map(|iterator| iterator.to_string().contains("reduction"))
        .collect();
    let parallel = folds.iter().filter(|&&folds| !folds).count();
    let mut order: Vec<usize> = (0..folds.len()).collect();
    order.sort_by_key(|&dimension| folds[dimension]);
    if order.iter().copied().eq(0..folds.len()) {
        return Ok(parallel);
    }
    let new_position = |old: usize| order.iter().position(|&from| from == old).unwrap_or(old);
    let maps = array(generic, "indexing_maps")?;
    let maps: Vec<Attribute> = maps
        .into_iter()
        .map(|map| reordered(context, map, folds.len(), new_position))
        .collect::<Rewritten<_>>()?;
    let iterators: Vec<Attribute> = order.iter().map(|&from| iterators[from]).collect();
    let mut operation = changed(generic);
    operation.set_inherent_attribute("indexing_maps", ArrayAttribute::new(context, &maps).into());
    operation.set_inherent_attribute(
        "iterator_types",
        ArrayAttribute::new(context, &iterators).into(),
    );
    let wide = IntegerType::new(context, 64).into();
    for index in nested(generic) {
        if name_of(index) != "linalg.index" {
            continue;
        }
        let dimension = index.attribute("dim").and_then(IntegerAttribute::try_from);
        let dimension = new_position(dimension.map_err(internal)?.value() as usize);
        let dimension = IntegerAttribute::new(wide, dimension as i64);
        changed(index).set_inherent_attribute("dim", dimension.into());
    }
    Ok(parallel)
}

fn array<'c>(generic: OperationRef<'c, '_>, name: &str) -> Rewritten<Vec<Attribute<'c>>> {
    let array = generic.attribute(name).and_then(ArrayAttribute::try_from);
    let array = array.map_err(internal)?;
    let elements = (0..array.len()).map(|index| array.element(index).map_err(internal));
    elements.collect()
}

/// The map over dimensions of which the `old` one is at `new_position(old)` now.
fn reordered<'c>(
    context: &'c Context,
    map: Attribute<'c>,
    dimensions: usize,
    new_position: impl Fn(usize) -> usize,
) -> Rewritten<Attribute<'c>> {
    let moved: Vec<_> = (0..dimensions)
        .map(|old| AffineExpr::dim(context, new_position(old)))
        .collect();
    let moved = AffineMap::new(context, dimensions, 0, &moved);
    // SAFETY: the attribute is alive, asked for what it is, and of the context of the new map.
    unsafe {
        if !mlirAttributeIsAAffineMap(map.to_raw()) {
            return Err(internal("an indexing map that is none"));
        }
        let map = mlirAffineMapAttrGetValue(map.to_raw());
        let results: Vec<_> = (0..mlirAffineMapGetNumResults(map))
            .map(|result| {
                let result = mlirAffineMapGetResult(map, result);
                AffineExpr::from_raw(mlirAffineExprCompose(result, moved.to_raw()))
            })
            .collect();
        let map = AffineMap::new(context, dimensions, 0, &results);
        Ok(Attribute::from_raw(mlirAffineMapAttrGet(map.to_raw())))
    }
}
