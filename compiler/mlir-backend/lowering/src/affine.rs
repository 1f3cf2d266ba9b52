//! Indexing maps: which element of an operand each point of an iteration space reads.

use melior::Context;
use melior::ir::attribute::Attribute;
use melior::ir::{AffineExpr, AffineMap};
use neuro_hir::{Extent, TensorType};

/// What one axis of an operand is indexed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AxisIndex {
    /// A dimension of the iteration space.
    Dimension(usize),
    /// Always position 0: a stretched axis.
    Zero,
}

/// An operand's map over an iteration space of `dimensions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexMap {
    pub dimensions: usize,
    pub axes: Vec<AxisIndex>,
}

impl IndexMap {
    pub(crate) fn identity(dimensions: usize) -> Self {
        IndexMap::select(dimensions, 0..dimensions)
    }

    /// Axis `k` of the operand walks the `k`-th of the dimensions given.
    pub(crate) fn select(dimensions: usize, axes: impl IntoIterator<Item = usize>) -> Self {
        IndexMap {
            dimensions,
            axes: axes.into_iter().map(AxisIndex::Dimension).collect(),
        }
    }

    /// A scalar: read at every point.
    pub(crate) fn scalar(dimensions: usize) -> Self {
        IndexMap::select(dimensions, [])
    }

    /// The map that broadcasts `operand` to `result`: trailing axes align, an extent of 1 against
    /// a larger one stays at 0 (backend specification, §Broadcasting). `None` where the extents
    /// do not agree.
    pub(crate) fn broadcast(operand: &TensorType, result: &TensorType) -> Option<Self> {
        let dimensions = result.rank();
        let lead = dimensions.checked_sub(operand.rank())?;
        let index =
            |(axis, extent): (usize, Extent)| match (extent, result.axes[lead + axis].extent) {
                (from, to) if from == to => Some(AxisIndex::Dimension(lead + axis)),
                (Extent::Static(1), _) => Some(AxisIndex::Zero),
                _ => None,
            };
        let axes = operand.extents().enumerate().map(index);
        Some(IndexMap {
            dimensions,
            axes: axes.collect::<Option<_>>()?,
        })
    }

    pub(crate) fn attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let expression = |axis: &AxisIndex| match *axis {
            AxisIndex::Dimension(dimension) => AffineExpr::dim(context, dimension),
            AxisIndex::Zero => AffineExpr::constant(context, 0),
        };
        let results: Vec<_> = self.axes.iter().map(expression).collect();
        let map = AffineMap::new(context, self.dimensions, 0, &results);
        // SAFETY: the map belongs to `context`, as the attribute will; melior has no conversion.
        unsafe { Attribute::from_raw(mlir_sys::mlirAffineMapAttrGet(map.to_raw())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared_types::ScalarType;

    #[test]
    fn an_operand_aligns_at_the_trailing_axis() {
        use AxisIndex::{Dimension, Zero};
        let tensor = |extents: &[u64]| TensorType::new(ScalarType::F32, extents);
        let axes = |operand: &[u64], result: &[u64]| {
            IndexMap::broadcast(&tensor(operand), &tensor(result)).map(|map| map.axes)
        };
        assert_eq!(axes(&[3], &[2, 3]), Some(vec![Dimension(1)]));
        assert_eq!(axes(&[2, 1], &[2, 3]), Some(vec![Dimension(0), Zero]));
        assert_eq!(
            axes(&[1, 3], &[1, 3]),
            Some(vec![Dimension(0), Dimension(1)])
        );
        assert_eq!(axes(&[1], &[0]), Some(vec![Zero]));
        assert_eq!(axes(&[], &[4]), Some(vec![]));
        assert_eq!(axes(&[2], &[3]), None);
        assert_eq!(axes(&[2, 3], &[3]), None);
    }
}
