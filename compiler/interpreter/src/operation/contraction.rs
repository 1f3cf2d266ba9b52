use ast_types::BinaryOp;
use neuro_hir::Tier;
use tensor::Tensor;

use super::error::WRONG_TYPE;
use super::number::{Number, with_number};
use super::shape::{self, Walk};
use super::{Check, OperationError};

/// `left @ right` (numerics, §Matrix product `@` and `einsum`).
pub(crate) fn matmul(tier: Tier, left: &Tensor, right: &Tensor) -> Result<Tensor, OperationError> {
    with_number!(left.scalar_type(), T => matmul_of::<T>(tier, left, right))
}

fn matmul_of<T: Number>(
    tier: Tier,
    left: &Tensor,
    right: &Tensor,
) -> Result<Tensor, OperationError> {
    let (&[m, k], &[other, n]) = (left.shape(), right.shape()) else {
        return Err(WRONG_TYPE);
    };
    if k != other {
        return Err(disagree(left, right));
    }
    let mut result = Tensor::zeros(T::SCALAR, &[m, n])?;
    let (a, b) = (left.as_slice::<T>()?, right.as_slice::<T>()?);
    let (k, n) = (k as usize, n as usize);
    for (position, element) in result.as_mut_slice::<T>()?.iter_mut().enumerate() {
        let (row, column) = (position / n, position % n);
        let product = |contracted: usize| {
            let (a, b) = (a[row * k + contracted], b[contracted * n + column]);
            multiply(a.widen(), b.widen(), tier)
        };
        let sum = (0..k).try_fold(T::Wide::ZERO, |sum, at| add(sum, product(at)?, tier));
        *element = T::narrow(sum.map_err(|check| check.at(position, &[m, n as u64]))?);
    }
    Ok(result)
}

/// The contraction of `operands` by letters: operand `i` has the letters `inputs[i]`, the result
/// those of `output`, and the sum nests over `contracted`, the last one fastest.
pub(crate) fn einsum(
    tier: Tier,
    inputs: &[Vec<char>],
    output: &[char],
    contracted: &[char],
    operands: &[Tensor],
) -> Result<Tensor, OperationError> {
    let first = operands.first().ok_or(WRONG_TYPE)?;
    with_number!(first.scalar_type(), T => {
        einsum_of::<T>(tier, inputs, output, contracted, operands)
    })
}

fn einsum_of<T: Number>(
    tier: Tier,
    inputs: &[Vec<char>],
    output: &[char],
    contracted: &[char],
    operands: &[Tensor],
) -> Result<Tensor, OperationError> {
    let extents = |letters: &[char]| -> Result<Vec<u64>, OperationError> {
        let extent = |&letter| extent_of(letter, inputs, operands);
        letters.iter().map(extent).collect()
    };
    let shape = extents(output)?;
    let inner_shape = extents(contracted)?;
    let inner_count = shape::count(&inner_shape);
    let strides = |letters: &[char]| -> Vec<Vec<isize>> {
        let strides = |(input, operand): (&Vec<char>, &Tensor)| {
            letter_strides(letters, input, operand.shape())
        };
        inputs.iter().zip(operands).map(strides).collect()
    };
    let elements: Vec<&[T]> = operands
        .iter()
        .map(Tensor::as_slice)
        .collect::<Result<_, _>>()?;
    let mut result = Tensor::zeros(T::SCALAR, &shape)?;
    let mut outer = Walk::new(&shape, vec![0; operands.len()], &strides(output));
    let mut inner = Walk::new(&inner_shape, vec![0; operands.len()], &strides(contracted));
    for (position, element) in result.as_mut_slice::<T>()?.iter_mut().enumerate() {
        let sum = (0..inner_count).try_fold(T::Wide::ZERO, |sum, _| {
            let factor = |operand: usize| {
                let at = outer.offset(operand) + inner.offset(operand);
                elements[operand][at].widen()
            };
            let product = (1..operands.len()).try_fold(factor(0), |product, operand| {
                multiply(product, factor(operand), tier)
            })?;
            inner.step();
            add(sum, product, tier)
        });
        *element = T::narrow(sum.map_err(|check: Check| check.at(position, &shape))?);
        outer.step();
    }
    Ok(result)
}

/// The extent of a letter, one wherever it stands.
fn extent_of(
    letter: char,
    inputs: &[Vec<char>],
    operands: &[Tensor],
) -> Result<u64, OperationError> {
    let mut found: Option<(u64, &Tensor)> = None;
    for (input, operand) in inputs.iter().zip(operands) {
        if input.len() != operand.rank() {
            return Err(WRONG_TYPE);
        }
        for (_, &extent) in input
            .iter()
            .zip(operand.shape())
            .filter(|&(&other, _)| other == letter)
        {
            match found {
                Some((first, other)) if first != extent => return Err(disagree(other, operand)),
                _ => found = Some((extent, operand)),
            }
        }
    }
    found.map(|(extent, _)| extent).ok_or(WRONG_TYPE)
}

/// How far an operand moves along each of `letters`: along several of its axes at once for a
/// letter that it repeats.
fn letter_strides(letters: &[char], input: &[char], shape: &[u64]) -> Vec<isize> {
    let strides = shape::strides(shape);
    let along = |letter: &char| {
        let axes = input.iter().zip(&strides);
        axes.filter(|(other, _)| *other == letter)
            .map(|(_, stride)| stride)
            .sum()
    };
    letters.iter().map(along).collect()
}

fn disagree(left: &Tensor, right: &Tensor) -> OperationError {
    OperationError::Shapes {
        left: left.shape().to_vec(),
        right: right.shape().to_vec(),
    }
}

fn multiply<T: Number>(a: T, b: T, tier: Tier) -> Result<T, Check> {
    a.multiply(b, tier).map_err(|fault| Check {
        fault,
        operator: BinaryOp::Mul,
    })
}

fn add<T: Number>(a: T, b: T, tier: Tier) -> Result<T, Check> {
    a.add(b, tier).map_err(|fault| Check {
        fault,
        operator: BinaryOp::Add,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;
    use tensor::{Element, Scalar};

    fn tensor<T: Element>(shape: &[u64], elements: &[T]) -> Tensor {
        Tensor::from_slice(shape, elements).unwrap()
    }

    /// `einsum(subscripts, operands)` on the checked tier.
    fn contract(subscripts: &str, operands: &[Tensor]) -> Result<Tensor, OperationError> {
        let (inputs, output) = subscripts.split_once("->").unwrap();
        let inputs: Vec<Vec<char>> = inputs
            .split(',')
            .map(|part| part.chars().collect())
            .collect();
        let output: Vec<char> = output.chars().collect();
        let contracted = neuro_hir::Einsum {
            inputs: inputs.clone(),
            output: output.clone(),
            operands: vec![],
        }
        .contracted();
        einsum(Tier::Checked, &inputs, &output, &contracted, operands)
    }

    #[test]
    fn products_by_hand() {
        let a = tensor(&[2, 3], &[1i32, 2, 3, 4, 5, 6]);
        let b = tensor(&[3, 2], &[7i32, 8, 9, 10, 11, 12]);
        let expected = tensor(&[2, 2], &[58i32, 64, 139, 154]);
        assert!(matmul(Tier::Checked, &a, &b).unwrap().same_bits(&expected));
        assert!(contract("ij,jk->ik", &[a, b]).unwrap().same_bits(&expected));
    }

    #[test]
    fn the_sum_runs_in_order_from_positive_zero() {
        // Left to right: 1e8 + 1 is 1e8 in f32, so the ones are lost before -1e8 cancels.
        let a = tensor(&[1, 4], &[1e8f32, 1.0, 1.0, -1e8]);
        let ones = tensor(&[4, 1], &[1.0f32; 4]);
        let product = matmul(Tier::Checked, &a, &ones).unwrap();
        assert_eq!(product.get(0), Ok(Scalar::F32(0.0)));
        let negative_zero = tensor(&[1, 1], &[-0.0f32]);
        let one = tensor(&[1, 1], &[1.0f32]);
        let sum = matmul(Tier::Checked, &negative_zero, &one).unwrap();
        assert_eq!(sum.get(0).unwrap().bits(), 0, "+0.0 + -0.0 is +0.0");
        let nothing = matmul(
            Tier::Checked,
            &tensor::<f32>(&[2, 0], &[]),
            &tensor::<f32>(&[0, 2], &[]),
        );
        assert!(nothing.unwrap().same_bits(&tensor(&[2, 2], &[0.0f32; 4])));
        let without_letters = contract("i->i", &[tensor(&[1], &[-0.0f32])]).unwrap();
        assert_eq!(without_letters.get(0).unwrap().bits(), 0);
    }

    #[test]
    fn a_product_and_a_sum_are_two_roundings() {
        let x = 1.0 + 2f32.powi(-12);
        let a = tensor(&[1, 2], &[-1.0f32, x]);
        let b = tensor(&[2, 1], &[1.0f32, x]);
        let product = matmul(Tier::Checked, &a, &b).unwrap();
        assert_eq!(product.get(0), Ok(Scalar::F32(-1.0 + x * x)));
        assert_ne!(product.get(0), Ok(Scalar::F32(x.mul_add(x, -1.0))));
    }

    #[test]
    fn halves_accumulate_in_f32_and_round_once() {
        let one = f16::ONE;
        let small = f16::from_f32(2f32.powi(-11));
        let a = tensor(&[1, 3], &[one, small, small]);
        let ones = tensor(&[3, 1], &[one; 3]);
        let sum = matmul(Tier::Checked, &a, &ones).unwrap();
        assert_eq!(
            sum.get(0),
            Ok(Scalar::F16(f16::from_f32(1.0 + 2f32.powi(-10))))
        );
    }

    #[test]
    fn letters_repeat_drop_and_nest() {
        let square = tensor(&[2, 2], &[1i64, 2, 3, 4]);
        let trace = contract("ii->", std::slice::from_ref(&square)).unwrap();
        assert!(trace.same_bits(&tensor(&[], &[5i64])));
        let diagonal = contract("ii->i", std::slice::from_ref(&square)).unwrap();
        assert!(diagonal.same_bits(&tensor(&[2], &[1i64, 4])));
        let transposed = contract("ij->ji", std::slice::from_ref(&square)).unwrap();
        assert!(transposed.same_bits(&tensor(&[2, 2], &[1i64, 3, 2, 4])));
        let outer = contract(
            "i,j->ij",
            &[tensor(&[2], &[1i64, 2]), tensor(&[2], &[3i64, 5])],
        );
        assert!(
            outer
                .unwrap()
                .same_bits(&tensor(&[2, 2], &[3i64, 5, 6, 10]))
        );
        // The first letter met is the slowest: 1e8 - 1e8 + 1 + 1 by rows.
        let rows = tensor(&[2, 2], &[1e8f32, -1e8, 1.0, 1.0]);
        let by_rows = contract("ij->", std::slice::from_ref(&rows)).unwrap();
        assert_eq!(by_rows.get(0), Ok(Scalar::F32(2.0)));
        // With the columns first met, 1e8 + 1 loses the 1, and -1e8 + 1 too.
        let columns = tensor(&[2], &[1.0f32; 2]);
        let by_columns = contract("j,ij->", &[columns, rows]).unwrap();
        assert_eq!(by_columns.get(0), Ok(Scalar::F32(1.0)));
    }

    #[test]
    fn several_operands_multiply_left_to_right() {
        let x = tensor(&[], &[1e30f32]);
        let y = tensor(&[], &[1e30f32]);
        let z = tensor(&[], &[1e-30f32]);
        let product = contract(",,->", &[x, y, z]).unwrap();
        assert_eq!(product.get(0), Ok(Scalar::F32(f32::INFINITY)));
    }

    #[test]
    fn checks_come_in_order_multiply_before_add() {
        let fails = |a: [i8; 2], b: [i8; 2]| {
            let result = matmul(Tier::Checked, &tensor(&[1, 2], &a), &tensor(&[2, 1], &b));
            match result {
                Err(OperationError::Check { check, element }) => (check.operator, element.unwrap()),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(fails([100, 100], [1, 1]), (BinaryOp::Add, vec![0, 0]));
        assert_eq!(fails([100, 100], [1, 2]), (BinaryOp::Mul, vec![0, 0]));
        let a = tensor(&[2, 1], &[1i8, 100]);
        let b = tensor(&[1, 2], &[1i8, 2]);
        let error = matmul(Tier::Checked, &a, &b).unwrap_err();
        let at = Some(vec![1, 1]);
        assert!(matches!(error, OperationError::Check { element, .. } if element == at));
        let wrapped = matmul(Tier::Wrapping, &a, &b).unwrap();
        assert!(wrapped.same_bits(&tensor(&[2, 2], &[1i8, 2, 100, -56])));
    }
}
