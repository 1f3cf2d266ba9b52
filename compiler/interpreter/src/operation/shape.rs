/// Steps through the positions of a shape in row-major order, and keeps with each the positions
/// that it has in other buffers, which the strides along each axis give.
pub(super) struct Walk {
    axes: Vec<Axis>,
    offsets: Vec<isize>,
}

struct Axis {
    extent: u64,
    index: u64,
    /// One for each buffer.
    strides: Vec<isize>,
}

impl Walk {
    /// `start` is the first position in each buffer, `strides[b][axis]` a stride of buffer `b`.
    pub(super) fn new(shape: &[u64], start: Vec<isize>, strides: &[Vec<isize>]) -> Walk {
        let axis = |(axis, &extent): (usize, &u64)| Axis {
            extent,
            index: 0,
            strides: strides.iter().map(|strides| strides[axis]).collect(),
        };
        Walk {
            axes: shape.iter().enumerate().map(axis).collect(),
            offsets: start,
        }
    }

    /// The position in a buffer.
    pub(super) fn offset(&self, buffer: usize) -> usize {
        self.offsets[buffer] as usize
    }

    /// After the last position comes the first.
    pub(super) fn step(&mut self) {
        for axis in self.axes.iter_mut().rev() {
            axis.index += 1;
            for (offset, stride) in self.offsets.iter_mut().zip(&axis.strides) {
                *offset += stride;
            }
            if axis.index < axis.extent {
                return;
            }
            axis.index = 0;
            for (offset, stride) in self.offsets.iter_mut().zip(&axis.strides) {
                *offset -= stride * axis.extent as isize;
            }
        }
    }
}

/// The strides of a tensor of this shape, in elements.
pub(super) fn strides(shape: &[u64]) -> Vec<isize> {
    let mut stride = 1;
    let mut strides = vec![0; shape.len()];
    for (axis, &extent) in shape.iter().enumerate().rev() {
        strides[axis] = stride;
        stride *= extent.max(1) as isize;
    }
    strides
}

/// The strides with which a tensor of this shape is read at each point of `result`, the shape
/// that it broadcasts to: 0 along an axis that it lacks or stretches.
pub(super) fn broadcast_strides(shape: &[u64], result: &[u64]) -> Vec<isize> {
    let lead = result.len() - shape.len();
    let own = strides(shape);
    let stride = |axis: usize| match axis.checked_sub(lead) {
        Some(inner) if shape[inner] == result[axis] => own[inner],
        _ => 0,
    };
    (0..result.len()).map(stride).collect()
}

/// The shape that two broadcast to (numerics, §Element-wise).
pub(super) fn broadcast(left: &[u64], right: &[u64]) -> Option<Vec<u64>> {
    let rank = left.len().max(right.len());
    let extent = |shape: &[u64], axis: usize| match (axis + shape.len()).checked_sub(rank) {
        Some(inner) => shape[inner],
        None => 1,
    };
    let stretched = |axis| match (extent(left, axis), extent(right, axis)) {
        (a, b) if a == b => Some(a),
        (1, n) | (n, 1) => Some(n),
        _ => None,
    };
    (0..rank).map(stretched).collect()
}

/// The number of positions; the largest number where there are more.
pub(super) fn count(shape: &[u64]) -> usize {
    if shape.contains(&0) {
        return 0;
    }
    let extents = shape.iter().map(|&extent| extent as usize);
    extents.fold(1, usize::saturating_mul)
}

/// The index along each axis of a row-major position.
pub(super) fn element_of(position: usize, shape: &[u64]) -> Vec<u64> {
    let mut rest = position as u64;
    let mut element = vec![0; shape.len()];
    for (axis, &extent) in shape.iter().enumerate().rev() {
        element[axis] = rest % extent.max(1);
        rest /= extent.max(1);
    }
    element
}

/// The row-major position of an element, or the first axis whose index is outside.
pub(crate) fn position_of(indices: &[i128], shape: &[u64]) -> Result<usize, usize> {
    let mut position = 0usize;
    for (axis, (&index, &extent)) in indices.iter().zip(shape).enumerate() {
        match u64::try_from(index) {
            Ok(index) if index < extent => {
                // No overflow: it is below the number of elements up to this axis.
                position = position * extent as usize + index as usize;
            }
            _ => return Err(axis),
        }
    }
    Ok(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_visits_every_position_in_order() {
        let shape = [2, 3];
        let transposed = vec![1, 2];
        let mut walk = Walk::new(&shape, vec![0, 0], &[strides(&shape), transposed]);
        let mut seen = Vec::new();
        for _ in 0..6 {
            seen.push((walk.offset(0), walk.offset(1)));
            walk.step();
        }
        assert_eq!(seen, [(0, 0), (1, 2), (2, 4), (3, 1), (4, 3), (5, 5)]);
        assert_eq!((walk.offset(0), walk.offset(1)), (0, 0));
    }

    #[test]
    fn broadcasting_stretches_axes_of_one() {
        assert_eq!(broadcast(&[2, 3], &[3]), Some(vec![2, 3]));
        assert_eq!(broadcast(&[], &[4]), Some(vec![4]));
        assert_eq!(broadcast(&[0], &[1]), Some(vec![0]));
        assert_eq!(broadcast(&[2], &[3]), None);
        assert_eq!(broadcast_strides(&[3, 1], &[2, 3, 4]), [0, 1, 0]);
        assert_eq!(broadcast_strides(&[1], &[1]), [1]);
    }

    #[test]
    fn positions_and_elements() {
        assert_eq!(element_of(7, &[2, 5]), [1, 2]);
        assert_eq!(element_of(0, &[]), [0u64; 0]);
        assert_eq!(position_of(&[1, 2], &[2, 5]), Ok(7));
        assert_eq!(position_of(&[1, 5], &[2, 5]), Err(1));
        assert_eq!(position_of(&[-1, 9], &[2, 5]), Err(0));
        assert_eq!(position_of(&[], &[]), Ok(0));
        assert_eq!(count(&[]), 1);
        assert_eq!(count(&[1 << 40, 1 << 40, 0]), 0);
        assert_eq!(count(&[1 << 40, 1 << 40]), usize::MAX);
    }
}
