use ast_types::BinaryOp;
use neuro_hir::{Reduction, Tier};
use tensor::Tensor;

use super::error::WRONG_TYPE;
use super::number::{Number, with_number};
use super::{Check, Fault, OperationError, shape};

/// A longer run of floats folds in as many lanes.
const LANES: usize = 4096;

/// Folds runs along `axis`, or the whole tensor into rank 0 (numerics, §Reductions).
pub(crate) fn reduce(
    reduction: Reduction,
    tier: Tier,
    operand: &Tensor,
    axis: Option<usize>,
) -> Result<Tensor, OperationError> {
    with_number!(operand.scalar_type(), T => reduce_of::<T>(reduction, tier, operand, axis))
}

fn reduce_of<T: Number>(
    reduction: Reduction,
    tier: Tier,
    operand: &Tensor,
    axis: Option<usize>,
) -> Result<Tensor, OperationError> {
    if reduction == Reduction::Mean && !T::LANES {
        return Err(WRONG_TYPE);
    }
    let whole = operand.shape();
    // Element `i` of run `(before, after)` is at `(before * length + i) * inner + after`.
    let (shape, length, inner) = match axis {
        None => (vec![], operand.len(), 1),
        Some(axis) if axis < whole.len() => {
            let shape = [&whole[..axis], &whole[axis + 1..]].concat();
            (
                shape,
                whole[axis] as usize,
                shape::count(&whole[axis + 1..]),
            )
        }
        Some(_) => return Err(WRONG_TYPE),
    };
    let mut result = Tensor::zeros(T::SCALAR, &shape)?;
    if length == 0 && matches!(reduction, Reduction::Max | Reduction::Min) && !result.is_empty() {
        return Err(OperationError::Malformed("a `max` or `min` of nothing"));
    }
    let elements = operand.as_slice::<T>()?;
    for (position, element) in result.as_mut_slice::<T>()?.iter_mut().enumerate() {
        let (before, after) = (position / inner, position % inner);
        let run = |index: usize| elements[(before * length + index) * inner + after].widen();
        let folded = fold(reduction, tier, length, run);
        let check = |fault| Check {
            fault,
            operator: BinaryOp::Add,
        };
        *element = T::narrow(folded.map_err(|fault| check(fault).at(position, &shape))?);
    }
    Ok(result)
}

/// Folds a run of `length` elements, in the wide type.
fn fold<T: Number>(
    reduction: Reduction,
    tier: Tier,
    length: usize,
    run: impl Fn(usize) -> T,
) -> Result<T, Fault> {
    // An integer `max` or `min` needs no lanes here: they cannot change it.
    let folded = if T::LANES && length > LANES {
        let lane = |lane| {
            let positions = (lane + LANES..length).step_by(LANES);
            positions
                .map(&run)
                .try_fold(run(lane), |folded, x| step(reduction, tier, folded, x))
        };
        let lanes: Vec<T> = (0..LANES).map(lane).collect::<Result<_, _>>()?;
        fold_in_order(reduction, tier, LANES, |lane| lanes[lane])?
    } else {
        fold_in_order(reduction, tier, length, run)?
    };
    match reduction {
        Reduction::Mean => folded.divide(T::from_length(length), tier),
        Reduction::Sum | Reduction::Max | Reduction::Min => Ok(folded),
    }
}

/// From the seed of a sum, or from the first element, which there is; of a mean, the sum.
fn fold_in_order<T: Number>(
    reduction: Reduction,
    tier: Tier,
    length: usize,
    run: impl Fn(usize) -> T,
) -> Result<T, Fault> {
    let (seed, first) = match reduction {
        Reduction::Sum | Reduction::Mean => (T::sum_seed(), 0),
        Reduction::Max | Reduction::Min => (run(0), 1),
    };
    let mut rest = (first..length).map(run);
    rest.try_fold(seed, |folded, x| step(reduction, tier, folded, x))
}

/// The accumulator after `x`.
fn step<T: Number>(reduction: Reduction, tier: Tier, folded: T, x: T) -> Result<T, Fault> {
    let better = match reduction {
        Reduction::Sum | Reduction::Mean => return folded.add(x, tier),
        Reduction::Max => x > folded,
        Reduction::Min => x < folded,
    };
    // A NaN never beats a number; no comparison with one holds.
    Ok(if better || (folded.is_nan() && !x.is_nan()) {
        x
    } else {
        folded
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};
    use tensor::{Element, Scalar};

    fn tensor<T: Element>(shape: &[u64], elements: &[T]) -> Tensor {
        Tensor::from_slice(shape, elements).unwrap()
    }

    fn whole(reduction: Reduction, operand: &Tensor) -> Scalar {
        let result = reduce(reduction, Tier::Checked, operand, None).unwrap();
        assert_eq!(result.rank(), 0);
        result.get(0).unwrap()
    }

    fn of<T: Element>(reduction: Reduction, run: &[T]) -> Scalar {
        whole(reduction, &tensor(&[run.len() as u64], run))
    }

    fn same(a: Scalar, b: impl Into<Scalar>) -> bool {
        let b = Tensor::from_scalar(b.into()).unwrap();
        Tensor::from_scalar(a).unwrap().same_bits(&b)
    }

    #[test]
    fn runs_along_each_axis() {
        let operand = tensor(&[2, 3], &[1i32, 5, 3, 4, 2, 6]);
        let along = |reduction, axis| {
            let result = reduce(reduction, Tier::Checked, &operand, Some(axis)).unwrap();
            result.as_slice::<i32>().unwrap().to_vec()
        };
        assert_eq!(along(Reduction::Sum, 0), [5, 7, 9]);
        assert_eq!(along(Reduction::Sum, 1), [9, 12]);
        assert_eq!(along(Reduction::Max, 0), [4, 5, 6]);
        assert_eq!(along(Reduction::Min, 1), [1, 2]);
        let cube = tensor(&[2, 2, 2], &[1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let middle = reduce(Reduction::Mean, Tier::Checked, &cube, Some(1)).unwrap();
        assert!(middle.same_bits(&tensor(&[2, 2], &[2.0, 3.0, 6.0, 7.0])));
    }

    #[test]
    fn a_sum_starts_from_negative_zero() {
        assert!(same(of(Reduction::Sum, &[-0.0f32]), -0.0f32));
        assert!(same(of(Reduction::Sum, &[-0.0f32, 0.0]), 0.0f32));
        assert!(same(of::<f64>(Reduction::Sum, &[]), -0.0f64));
        assert!(same(of::<i16>(Reduction::Sum, &[]), 0i16));
        assert!(same(of::<f16>(Reduction::Mean, &[]), f16::NAN));
        let rows = tensor::<f32>(&[2, 0], &[]);
        let sums = reduce(Reduction::Sum, Tier::Checked, &rows, Some(1)).unwrap();
        assert!(sums.same_bits(&tensor(&[2], &[-0.0f32; 2])));
        let empty = reduce(Reduction::Max, Tier::Checked, &rows, Some(1));
        assert!(matches!(empty, Err(OperationError::Malformed(_))));
    }

    #[test]
    fn a_nan_never_beats_a_number_and_ties_keep_the_first() {
        let nan = f32::NAN;
        assert!(same(of(Reduction::Max, &[nan, 1.0, nan, 2.0]), 2.0f32));
        assert!(same(of(Reduction::Min, &[3.0, nan, 2.0]), 2.0f32));
        assert!(same(of(Reduction::Max, &[nan, nan]), nan));
        assert!(same(
            of(Reduction::Max, &[nan, f32::NEG_INFINITY]),
            f32::NEG_INFINITY
        ));
        assert!(same(of(Reduction::Max, &[-0.0f32, 0.0]), -0.0f32));
        assert!(same(of(Reduction::Min, &[0.0f32, -0.0]), 0.0f32));
        assert!(same(
            of(Reduction::Max, &[bf16::from_f32(-1.0), bf16::NAN]),
            bf16::from_f32(-1.0)
        ));
        assert!(of(Reduction::Sum, &[1.0, nan]).bits() & 0x7f80_0000 == 0x7f80_0000);
    }

    #[test]
    fn halves_fold_in_f32_and_round_once() {
        let run = [
            f16::from_f32(1.0),
            f16::from_f32(2f32.powi(-11)),
            f16::from_f32(2f32.powi(-11)),
        ];
        assert!(same(
            of(Reduction::Sum, &run),
            f16::from_f32(1.0 + 2f32.powi(-10))
        ));
        // The sum is 80,000, which no f16 holds.
        let large = vec![f16::from_f32(20_000.0); 4];
        assert!(same(of(Reduction::Sum, &large), f16::INFINITY));
        assert!(same(of(Reduction::Mean, &large), f16::from_f32(20_000.0)));
        // Nor does one hold the length.
        let long = vec![f16::ONE; 70_000];
        assert!(same(of(Reduction::Mean, &long), f16::ONE));
    }

    /// Fold by the rules as written, with the lanes kept apart.
    fn in_lanes(run: &[f32]) -> f32 {
        if run.len() <= 4096 {
            return run.iter().fold(-0.0, |sum, x| sum + x);
        }
        let mut lanes = run[..4096].to_vec();
        for (index, x) in run.iter().enumerate().skip(4096) {
            lanes[index % 4096] += x;
        }
        lanes.iter().fold(-0.0, |sum, x| sum + x)
    }

    #[test]
    fn long_float_runs_fold_in_lanes() {
        for length in [4095, 4096, 4097, 10_007] {
            let run = tensor::random(1, "run", shared_types::ScalarType::F32, &[length]).unwrap();
            let elements = run.as_slice::<f32>().unwrap();
            let expected = in_lanes(elements);
            assert!(same(whole(Reduction::Sum, &run), expected));
            assert!(same(whole(Reduction::Mean, &run), expected / length as f32));
            let plain: f32 = elements.iter().fold(-0.0, |sum, x| sum + x);
            assert_eq!(length > 4096, plain.to_bits() != expected.to_bits());
        }
        // A lane starts from its own first element, not from -0.0, which shows on no sum; but the
        // lanes decide which zero is met first.
        let mut zeros = vec![0.0f32; 4097];
        zeros[0] = -1.0;
        zeros[4096] = -0.0;
        assert!(
            same(of(Reduction::Max, &zeros), -0.0f32),
            "lane 0 is folded first"
        );
        assert!(same(of(Reduction::Max, &zeros[..4096]), 0.0f32));
        let mut nans = vec![f64::NAN; 5000];
        nans[4999] = 7.0;
        assert!(same(of(Reduction::Min, &nans), 7.0f64));
    }

    #[test]
    fn integer_sums_are_checked_in_order() {
        let mut run = vec![0i8; 5000];
        (run[0], run[1], run[4096], run[4097]) = (100, 100, -100, -100);
        let operand = tensor(&[5000], &run);
        let failed = reduce(Reduction::Sum, Tier::Checked, &operand, None).unwrap_err();
        let check = Check {
            fault: Fault::Overflow,
            operator: BinaryOp::Add,
        };
        let expected = OperationError::Check {
            check,
            element: Some(vec![]),
        };
        assert_eq!(failed, expected, "lanes would not overflow");
        let wrapped = reduce(Reduction::Sum, Tier::Wrapping, &operand, None).unwrap();
        assert_eq!(wrapped.get(0), Ok(Scalar::I8(0)));
        let rows = tensor(&[2, 2], &[1u8, 2, 200, 100]);
        let failed = reduce(Reduction::Sum, Tier::Checked, &rows, Some(1)).unwrap_err();
        let at = Some(vec![1]);
        assert!(matches!(failed, OperationError::Check { element, .. } if element == at));
        let mean = reduce(Reduction::Mean, Tier::Checked, &rows, None);
        assert_eq!(mean.unwrap_err(), WRONG_TYPE);
    }
}
