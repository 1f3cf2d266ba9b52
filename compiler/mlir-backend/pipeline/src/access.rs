use std::collections::HashSet;

use melior::ir::attribute::{Attribute, AttributeLike};
use mlir_sys::{
    mlirAffineDimExprGetPosition, mlirAffineExprIsADim, mlirAffineMapAttrGetValue,
    mlirAffineMapGetNumResults, mlirAffineMapGetResult, mlirAttributeIsAAffineMap,
};

/// The dimension that each axis of an operand walks; none where it stays at one position.
pub type Access = Vec<Option<usize>>;

/// How an operation of `linalg` walks an operand, by its indexing map.
pub fn access(map: Attribute<'_>) -> Option<Access> {
    // SAFETY: the attribute is alive, and each is asked for what it is.
    unsafe {
        if !mlirAttributeIsAAffineMap(map.to_raw()) {
            return None;
        }
        let map = mlirAffineMapAttrGetValue(map.to_raw());
        let results = 0..mlirAffineMapGetNumResults(map);
        let dimension = |result| {
            let result = mlirAffineMapGetResult(map, result);
            mlirAffineExprIsADim(result).then(|| mlirAffineDimExprGetPosition(result) as usize)
        };
        Some(results.map(dimension).collect())
    }
}

/// Whether one dimension walks two axes: a diagonal, which leaves out elements beside it.
pub fn is_diagonal(access: &Access) -> bool {
    let mut walked = HashSet::new();
    !access.iter().flatten().all(|axis| walked.insert(axis))
}
