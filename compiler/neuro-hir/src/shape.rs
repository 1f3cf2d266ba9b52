//! The shape rules that every stage shares.

use crate::{Axis, Extent, TensorType};

/// The shape of `left op right`, element-wise: trailing axes align, a missing axis and an extent
/// of 1 stretch (numerics, §Element-wise). `None` where the shapes do not agree. A `?` agrees
/// with a `?`, and is never stretched: nothing shows that it is 1.
pub fn broadcast(left: &[Axis], right: &[Axis]) -> Option<Vec<Axis>> {
    let (long, short) = if left.len() < right.len() {
        (right, left)
    } else {
        (left, right)
    };
    let lead = long.len() - short.len();
    let mut axes = long.to_vec();
    for (axis, other) in axes[lead..].iter_mut().zip(short) {
        axis.extent = match (axis.extent, other.extent) {
            (a, b) if a == b => a,
            (Extent::Static(1), n) | (n, Extent::Static(1)) => n,
            _ => return None,
        };
        if axis.name.is_none() {
            axis.name.clone_from(&other.name);
        }
    }
    Some(axes)
}

/// The shape of `left @ right`: `[m, k] @ [k, n]` is `[m, n]`. `None` where the ranks are not 2
/// or the contracted extents differ.
pub fn matmul(left: &TensorType, right: &TensorType) -> Option<Vec<Axis>> {
    match (&left.axes[..], &right.axes[..]) {
        ([rows, k], [other, columns]) if k.extent == other.extent => {
            Some(vec![rows.clone(), columns.clone()])
        }
        _ => None,
    }
}

/// The shape that is left when `axis` folds, or all of them.
pub fn reduce(operand: &TensorType, axis: Option<usize>) -> Option<Vec<Axis>> {
    let Some(axis) = axis else {
        return Some(Vec::new());
    };
    let mut axes = operand.axes.clone();
    (axis < axes.len()).then(|| axes.remove(axis))?;
    Some(axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared_types::ScalarType;

    fn axes(extents: &[u64]) -> Vec<Axis> {
        TensorType::new(ScalarType::F32, extents).axes
    }

    #[test]
    fn broadcasting_aligns_trailing_axes() {
        let shape = |a: &[u64], b: &[u64]| broadcast(&axes(a), &axes(b));
        assert_eq!(shape(&[2, 3], &[3]), Some(axes(&[2, 3])));
        assert_eq!(shape(&[3], &[2, 1]), Some(axes(&[2, 3])));
        assert_eq!(shape(&[], &[4]), Some(axes(&[4])));
        assert_eq!(shape(&[0], &[1]), Some(axes(&[0])));
        assert_eq!(shape(&[2], &[3]), None);
        assert_eq!(shape(&[0], &[2]), None);
    }

    #[test]
    fn an_unknown_extent_is_never_stretched() {
        let unknown = [Axis {
            name: None,
            extent: Extent::Dynamic,
        }];
        assert!(broadcast(&unknown, &unknown).is_some());
        assert_eq!(broadcast(&unknown, &axes(&[1])), Some(unknown.to_vec()));
        assert_eq!(broadcast(&axes(&[3]), &unknown), None);
    }

    #[test]
    fn products_contract_the_inner_axis() {
        let tensor = |extents: &[u64]| TensorType::new(ScalarType::F32, extents);
        let shape = |a: &[u64], b: &[u64]| matmul(&tensor(a), &tensor(b));
        assert_eq!(shape(&[2, 3], &[3, 4]), Some(axes(&[2, 4])));
        assert_eq!(shape(&[2, 3], &[2, 4]), None);
        assert_eq!(shape(&[3], &[3, 4]), None);
    }

    #[test]
    fn a_reduction_drops_its_axis() {
        let tensor = TensorType::new(ScalarType::F32, &[2, 3]);
        assert_eq!(reduce(&tensor, Some(0)), Some(axes(&[3])));
        assert_eq!(reduce(&tensor, None), Some(vec![]));
        assert_eq!(reduce(&tensor, Some(2)), None);
    }
}
