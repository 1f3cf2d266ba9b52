use ast_types::BinaryOp;
use neuro_hir::{MathFunction, Tier};
use tensor::{Element, Tensor};

use super::math::Float;
use super::number::{Number, operation, with_float, with_number};
use super::shape::{self, Walk};
use super::{Check, OperationError};

/// `left op right`, the operator being one of `+ - * / %`, with broadcasting.
pub(crate) fn arithmetic(
    operator: BinaryOp,
    tier: Tier,
    left: &Tensor,
    right: &Tensor,
) -> Result<Tensor, OperationError> {
    with_number!(left.scalar_type(), T => {
        pairwise::<T>(left, right, operation::<T>(operator, tier)?)
    })
}

/// `-operand`.
pub(crate) fn negate(tier: Tier, operand: &Tensor) -> Result<Tensor, OperationError> {
    with_number!(operand.scalar_type(), T => {
        each::<T>(operand, |x| {
            x.negate(tier).map_err(|fault| Check {
                fault,
                operator: BinaryOp::Sub,
            })
        })
    })
}

pub(crate) fn math(function: MathFunction, operand: &Tensor) -> Result<Tensor, OperationError> {
    with_float!(operand.scalar_type(), T => each::<T>(operand, |x| Ok(x.math(function))))
}

/// `base.pow(exponent)`, with broadcasting.
pub(crate) fn pow(base: &Tensor, exponent: &Tensor) -> Result<Tensor, OperationError> {
    with_float!(base.scalar_type(), T => {
        pairwise::<T>(base, exponent, |x, y| Ok(x.pow(y)))
    })
}

/// `compute(x)` of each element, in row-major order.
fn each<T: Element>(
    operand: &Tensor,
    compute: impl Fn(T) -> Result<T, Check>,
) -> Result<Tensor, OperationError> {
    let mut result = Tensor::zeros(T::SCALAR, operand.shape())?;
    let elements = operand.as_slice::<T>()?;
    let pairs = result.as_mut_slice::<T>()?.iter_mut().zip(elements);
    for (position, (element, &x)) in pairs.enumerate() {
        *element = compute(x).map_err(|check| check.at(position, operand.shape()))?;
    }
    Ok(result)
}

/// `compute(a, b)` at each point of the shape that the two broadcast to, in row-major
/// order.
fn pairwise<T: Element>(
    left: &Tensor,
    right: &Tensor,
    compute: impl Fn(T, T) -> Result<T, Check>,
) -> Result<Tensor, OperationError> {
    let Some(shape) = shape::broadcast(left.shape(), right.shape()) else {
        return Err(OperationError::Shapes {
            left: left.shape().to_vec(),
            right: right.shape().to_vec(),
        });
    };
    let strides = [left, right].map(|operand| shape::broadcast_strides(operand.shape(), &shape));
    let mut walk = Walk::new(&shape, vec![0; 2], &strides);
    let mut result = Tensor::zeros(T::SCALAR, &shape)?;
    let (left, right) = (left.as_slice::<T>()?, right.as_slice::<T>()?);
    for (position, element) in result.as_mut_slice::<T>()?.iter_mut().enumerate() {
        let computed = compute(left[walk.offset(0)], right[walk.offset(1)]);
        *element = computed.map_err(|check| check.at(position, &shape))?;
        walk.step();
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Fault;
    use crate::operation::error::WRONG_TYPE;
    use half::bf16;

    fn tensor<T: Element>(shape: &[u64], elements: &[T]) -> Tensor {
        Tensor::from_slice(shape, elements).unwrap()
    }

    #[test]
    fn shapes_broadcast_at_the_trailing_axes() {
        let column = tensor(&[2, 1], &[10i32, 20]);
        let row = tensor(&[3], &[1i32, 2, 3]);
        let sum = arithmetic(BinaryOp::Add, Tier::Checked, &column, &row).unwrap();
        assert!(sum.same_bits(&tensor(&[2, 3], &[11, 12, 13, 21, 22, 23])));
        let scalar = tensor(&[], &[100i32]);
        let difference = arithmetic(BinaryOp::Sub, Tier::Checked, &scalar, &row).unwrap();
        assert!(difference.same_bits(&tensor(&[3], &[99, 98, 97])));
        let none = tensor::<i32>(&[0, 3], &[]);
        let empty = arithmetic(BinaryOp::Mul, Tier::Checked, &none, &row).unwrap();
        assert_eq!(empty.shape(), [0, 3]);
        let two = tensor(&[2], &[1i32, 2]);
        let disagree = arithmetic(BinaryOp::Add, Tier::Checked, &row, &two);
        assert!(matches!(disagree, Err(OperationError::Shapes { .. })));
    }

    #[test]
    fn the_first_failure_in_row_major_order_is_reported() {
        let left = tensor(&[2, 2], &[1i8, 127, -128, 5]);
        let right = tensor(&[2, 2], &[1i8, 1, -1, 0]);
        let fails = |operator, tier| match arithmetic(operator, tier, &left, &right) {
            Err(OperationError::Check { check, element }) => (check.fault, element.unwrap()),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            fails(BinaryOp::Add, Tier::Checked),
            (Fault::Overflow, vec![0, 1])
        );
        assert_eq!(
            fails(BinaryOp::Div, Tier::Checked),
            (Fault::Overflow, vec![1, 0])
        );
        assert_eq!(
            fails(BinaryOp::Div, Tier::Wrapping),
            (Fault::ZeroDivisor, vec![1, 1])
        );
        assert_eq!(
            fails(BinaryOp::Rem, Tier::Checked),
            (Fault::Overflow, vec![1, 0])
        );
        let wrapped = arithmetic(BinaryOp::Add, Tier::Wrapping, &left, &right).unwrap();
        assert!(wrapped.same_bits(&tensor(&[2, 2], &[2i8, -128, 127, 5])));
    }

    #[test]
    fn halves_round_per_operation() {
        let a = tensor(&[1], &[bf16::from_f32(1.0)]);
        let b = tensor(&[1], &[bf16::from_f32(0.003_906_25)]);
        // 1 + 2^-8 is a tie, to even: 1. Twice is 1 again, where 1 + 2^-7 is not.
        let add = |a: &Tensor, b: &Tensor| arithmetic(BinaryOp::Add, Tier::Checked, a, b).unwrap();
        assert!(add(&add(&a, &b), &b).same_bits(&a));
        assert!(!add(&a, &add(&b, &b)).same_bits(&a));
    }

    #[test]
    fn negation_flips_the_sign_bit() {
        let operand = tensor(&[3], &[0.0f32, -1.5, f32::NEG_INFINITY]);
        let negated = negate(Tier::Checked, &operand).unwrap();
        assert!(negated.same_bits(&tensor(&[3], &[-0.0f32, 1.5, f32::INFINITY])));
        let least = negate(Tier::Checked, &tensor(&[2], &[5i16, i16::MIN]));
        let check = Check {
            fault: Fault::Overflow,
            operator: BinaryOp::Sub,
        };
        let expected = OperationError::Check {
            check,
            element: Some(vec![1]),
        };
        assert_eq!(least.unwrap_err(), expected);
    }

    #[test]
    fn powers_broadcast() {
        let base = tensor(&[2, 1], &[2.0f64, 3.0]);
        let exponent = tensor(&[2], &[1.0f64, 2.0]);
        let result = pow(&base, &exponent).unwrap();
        assert!(result.same_bits(&tensor(&[2, 2], &[2.0, 4.0, 3.0, 9.0])));
        let roots = math(MathFunction::Sqrt, &result).unwrap();
        assert_eq!(roots.as_slice::<f64>().unwrap()[3], 3.0);
        let integers = math(MathFunction::Exp, &tensor(&[], &[1i32]));
        assert_eq!(integers.unwrap_err(), WRONG_TYPE);
    }
}
