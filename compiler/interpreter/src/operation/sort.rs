use std::cmp::Ordering;

use tensor::Tensor;

use super::error::WRONG_TYPE;
use super::number::{Number, with_number};
use super::{OperationError, shape};

/// A stable sort along an axis (numerics, §Sorts).
pub(crate) fn sort(
    operand: &Tensor,
    axis: usize,
    descending: bool,
) -> Result<Tensor, OperationError> {
    Ok(first(operand, axis, descending, u64::MAX)?.0)
}

/// The `i32` positions that sort an axis.
pub(crate) fn argsort(
    operand: &Tensor,
    axis: usize,
    descending: bool,
) -> Result<Tensor, OperationError> {
    Ok(first(operand, axis, descending, u64::MAX)?.1)
}

/// The first `k` of the stable descending order, and their positions.
pub(crate) fn top_k(
    operand: &Tensor,
    axis: usize,
    k: u64,
) -> Result<(Tensor, Tensor), OperationError> {
    match operand.shape().get(axis) {
        Some(&extent) if k <= extent => first(operand, axis, true, k),
        _ => Err(WRONG_TYPE),
    }
}

/// The first `k` of each sorted run, or all, and their positions along the axis.
fn first(
    operand: &Tensor,
    axis: usize,
    descending: bool,
    k: u64,
) -> Result<(Tensor, Tensor), OperationError> {
    with_number!(operand.scalar_type(), T => first_of::<T>(operand, axis, descending, k))
}

fn first_of<T: Number>(
    operand: &Tensor,
    axis: usize,
    descending: bool,
    k: u64,
) -> Result<(Tensor, Tensor), OperationError> {
    let mut shape = operand.shape().to_vec();
    let extent = *shape.get(axis).ok_or(WRONG_TYPE)?;
    let inner = shape::count(&shape[axis + 1..]);
    shape[axis] = k.min(extent);
    let (length, kept) = (extent as usize, shape[axis] as usize);
    let elements = operand.as_slice::<T>()?;
    let mut values = Tensor::zeros(T::SCALAR, &shape)?;
    let mut positions = Tensor::zeros(shared_types::ScalarType::I32, &shape)?;
    let runs = values.len().checked_div(kept).unwrap_or(0);
    {
        let values = values.as_mut_slice::<T>()?;
        let positions = positions.as_mut_slice::<i32>()?;
        for run in 0..runs {
            let (before, after) = (run / inner, run % inner);
            let at = |index: usize| elements[(before * length + index) * inner + after];
            let mut order: Vec<usize> = (0..length).collect();
            // The library's stable sort.
            order.sort_by(|&a, &b| compare(at(a), at(b), descending));
            for (rank, &index) in order[..kept].iter().enumerate() {
                let result = (before * kept + rank) * inner + after;
                values[result] = at(index);
                positions[result] = index as i32;
            }
        }
    }
    Ok((values, positions))
}

/// By value, every NaN last whichever the direction.
fn compare<T: Number>(a: T, b: T, descending: bool) -> Ordering {
    match a.partial_cmp(&b) {
        Some(order) if descending => order.reverse(),
        Some(order) => order,
        None => a.is_nan().cmp(&b.is_nan()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;
    use tensor::Element;

    fn tensor<T: Element>(shape: &[u64], elements: &[T]) -> Tensor {
        Tensor::from_slice(shape, elements).unwrap()
    }

    #[test]
    fn nans_come_last_and_equals_keep_their_order() {
        let nan = f32::NAN;
        let operand = tensor(&[7], &[nan, 0.0, 2.0, -0.0, nan, -1.0, 2.0]);
        let up = sort(&operand, 0, false).unwrap();
        assert!(up.same_bits(&tensor(&[7], &[-1.0, 0.0, -0.0, 2.0, 2.0, nan, nan])));
        let order = argsort(&operand, 0, false).unwrap();
        assert_eq!(order.as_slice::<i32>().unwrap(), [5, 1, 3, 2, 6, 0, 4]);
        let down = sort(&operand, 0, true).unwrap();
        assert!(down.same_bits(&tensor(&[7], &[2.0, 2.0, 0.0, -0.0, -1.0, nan, nan])));
        let order = argsort(&operand, 0, true).unwrap();
        assert_eq!(order.as_slice::<i32>().unwrap(), [2, 6, 1, 3, 5, 0, 4]);
    }

    #[test]
    fn each_axis_sorts_on_its_own() {
        let operand = tensor(&[2, 3], &[3u64, 1, u64::MAX, 2, 5, 0]);
        let rows = sort(&operand, 1, false).unwrap();
        assert!(rows.same_bits(&tensor(&[2, 3], &[1u64, 3, u64::MAX, 0, 2, 5])));
        let columns = sort(&operand, 0, false).unwrap();
        assert!(columns.same_bits(&tensor(&[2, 3], &[2u64, 1, 0, 3, 5, u64::MAX])));
        let order = argsort(&operand, 0, true).unwrap();
        assert_eq!(order.as_slice::<i32>().unwrap(), [0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn the_top_ones() {
        let half = f16::from_f32;
        let operand = tensor(
            &[2, 3],
            &[
                half(1.0),
                f16::NAN,
                half(3.0),
                half(2.0),
                half(2.0),
                half(1.0),
            ],
        );
        let (values, positions) = top_k(&operand, 1, 2).unwrap();
        let expected = [half(3.0), half(1.0), half(2.0), half(2.0)];
        assert!(values.same_bits(&tensor(&[2, 2], &expected)));
        assert_eq!(positions.as_slice::<i32>().unwrap(), [2, 0, 0, 1]);
        let (values, positions) = top_k(&operand, 1, 0).unwrap();
        assert_eq!(
            (values.shape(), positions.shape()),
            (&[2, 0][..], &[2, 0][..])
        );
        assert_eq!(top_k(&operand, 1, 4).unwrap_err(), WRONG_TYPE);
        assert!(sort(&tensor(&[1], &[true]), 0, false).is_err());
        assert!(
            sort(&tensor::<f32>(&[0], &[]), 0, false)
                .unwrap()
                .is_empty()
        );
    }
}
