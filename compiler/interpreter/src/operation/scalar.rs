use std::cmp::Ordering;

use ast_types::BinaryOp;
use neuro_hir::{MathFunction, Tier};
use tensor::{Element, Scalar};

use super::error::WRONG_TYPE;
use super::math::Float;
use super::number::{Number, operation, with_float, with_number};
use super::{Check, OperationError};

/// `left op right`, the operator being one of `+ - * / %`.
pub(crate) fn arithmetic(
    operator: BinaryOp,
    tier: Tier,
    left: Scalar,
    right: Scalar,
) -> Result<Scalar, OperationError> {
    with_number!(left.ty(), T => {
        let compute = operation::<T>(operator, tier)?;
        checked(compute(get(left)?, get(right)?))
    })
}

/// `-operand`.
pub(crate) fn negate(tier: Tier, operand: Scalar) -> Result<Scalar, OperationError> {
    with_number!(operand.ty(), T => {
        checked(get::<T>(operand)?.negate(tier).map_err(|fault| Check {
            fault,
            operator: BinaryOp::Sub,
        }))
    })
}

pub(crate) fn math(function: MathFunction, operand: Scalar) -> Result<Scalar, OperationError> {
    with_float!(operand.ty(), T => Ok(get::<T>(operand)?.math(function).into()))
}

pub(crate) fn pow(base: Scalar, exponent: Scalar) -> Result<Scalar, OperationError> {
    with_float!(base.ty(), T => Ok(get::<T>(base)?.pow(get(exponent)?).into()))
}

/// `left op right`, the operator being a comparison. A NaN is unequal to all, and in no order.
pub(crate) fn compare(
    operator: BinaryOp,
    left: Scalar,
    right: Scalar,
) -> Result<bool, OperationError> {
    let order = match (left, right) {
        (Scalar::Bool(left), Scalar::Bool(right)) => left.partial_cmp(&right),
        (Scalar::Char(left), Scalar::Char(right)) => left.partial_cmp(&right),
        _ => with_number!(left.ty(), T => Ok(get::<T>(left)?.partial_cmp(&get(right)?)))?,
    };
    match operator {
        BinaryOp::Eq => Ok(order == Some(Ordering::Equal)),
        BinaryOp::Ne => Ok(order != Some(Ordering::Equal)),
        BinaryOp::Lt => Ok(order == Some(Ordering::Less)),
        BinaryOp::Le => Ok(order.is_some_and(Ordering::is_le)),
        BinaryOp::Gt => Ok(order == Some(Ordering::Greater)),
        BinaryOp::Ge => Ok(order.is_some_and(Ordering::is_ge)),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::MatMul
        | BinaryOp::And
        | BinaryOp::Or => Err(WRONG_TYPE),
    }
}

/// The value, which is of that type.
pub(super) fn get<T: Element>(scalar: Scalar) -> Result<T, OperationError> {
    if scalar.ty() != T::SCALAR {
        return Err(WRONG_TYPE);
    }
    T::read(&scalar.bits().to_le_bytes()).ok_or(WRONG_TYPE)
}

fn checked(result: Result<impl Number, Check>) -> Result<Scalar, OperationError> {
    match result {
        Ok(value) => Ok(value.into()),
        Err(check) => Err(OperationError::Check {
            check,
            element: None,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Fault;
    use half::{bf16, f16};

    /// `left op right` on the checked tier.
    fn compute(
        operator: BinaryOp,
        left: impl Into<Scalar>,
        right: impl Into<Scalar>,
    ) -> Result<Scalar, Fault> {
        on(Tier::Checked, operator, left.into(), right.into())
    }

    fn on(tier: Tier, operator: BinaryOp, left: Scalar, right: Scalar) -> Result<Scalar, Fault> {
        match arithmetic(operator, tier, left, right) {
            Ok(value) => Ok(value),
            Err(OperationError::Check { check, .. }) => Err(check.fault),
            Err(other) => panic!("{other:?}"),
        }
    }

    macro_rules! integer_edges {
        ($($ty:ident)*) => {$(
            #[test]
            fn $ty() {
                const MIN: $ty = $ty::MIN;
                const MAX: $ty = $ty::MAX;
                for (operator, left, right, wrapped) in [
                    (BinaryOp::Add, MAX, 1 as $ty, MIN),
                    (BinaryOp::Sub, MIN, 1, MAX),
                    (BinaryOp::Mul, MAX, 2, MAX.wrapping_mul(2)),
                ] {
                    assert_eq!(compute(operator, left, right), Err(Fault::Overflow));
                    let result = on(Tier::Wrapping, operator, left.into(), right.into());
                    assert_eq!(result, Ok(wrapped.into()));
                }
                for operator in [BinaryOp::Div, BinaryOp::Rem] {
                    for tier in [Tier::Checked, Tier::Wrapping] {
                        let result = on(tier, operator, MIN.into(), (0 as $ty).into());
                        assert_eq!(result, Err(Fault::ZeroDivisor));
                    }
                }
                if MIN != 0 {
                    let minus_one = <$ty>::MAX.wrapping_add(MIN);
                    for (operator, wrapped) in [(BinaryOp::Div, MIN), (BinaryOp::Rem, 0 as $ty)] {
                        assert_eq!(compute(operator, MIN, minus_one), Err(Fault::Overflow));
                        let result = on(Tier::Wrapping, operator, MIN.into(), minus_one.into());
                        assert_eq!(result, Ok(wrapped.into()));
                    }
                    assert!(negate(Tier::Checked, MIN.into()).is_err());
                    assert_eq!(negate(Tier::Wrapping, MIN.into()), Ok(MIN.into()));
                    assert_eq!(negate(Tier::Checked, MAX.into()), Ok((MIN + 1).into()));
                }
                assert_eq!(compute(BinaryOp::Div, MAX, MAX), Ok((1 as $ty).into()));
            }
        )*};
    }

    mod edges {
        use super::*;

        integer_edges!(i8 i16 i32 i64 u8 u16 u32 u64);
    }

    #[test]
    fn integer_division_rounds_toward_zero() {
        assert_eq!(compute(BinaryOp::Div, -7, 2), Ok(Scalar::I32(-3)));
        assert_eq!(compute(BinaryOp::Rem, -7, 2), Ok(Scalar::I32(-1)));
        assert_eq!(compute(BinaryOp::Rem, 7, -2), Ok(Scalar::I32(1)));
    }

    #[test]
    fn floats_keep_zeros_subnormals_and_infinities() {
        let bits = |operator, left: f32, right: f32| compute(operator, left, right).unwrap().bits();
        let least = f32::from_bits(1);
        assert_eq!(
            bits(BinaryOp::Add, -0.0, -0.0),
            u64::from((-0.0f32).to_bits())
        );
        assert_eq!(bits(BinaryOp::Sub, 0.0, 0.0), 0);
        assert_eq!(bits(BinaryOp::Mul, least, 1.0), 1);
        assert_eq!(
            bits(BinaryOp::Div, 1.0, -0.0),
            u64::from(f32::NEG_INFINITY.to_bits())
        );
        assert_eq!(
            bits(BinaryOp::Rem, -1.0, 1.0),
            u64::from((-0.0f32).to_bits())
        );
        assert_eq!(bits(BinaryOp::Rem, least, f32::MAX), 1);
        // Exact where a division, a floor and a product are not.
        assert_eq!(compute(BinaryOp::Rem, 1e22f64, 3.0), Ok(Scalar::F64(1.0)));
        let negated = negate(Tier::Checked, Scalar::F32(0.0)).unwrap();
        assert_eq!(negated.bits(), u64::from((-0.0f32).to_bits()));
    }

    #[test]
    fn a_half_rounds_each_operation_once() {
        let (one, tiny) = (f16::ONE, f16::from_bits(0x1001));
        // 1 + 2^-11 + a little: above the midpoint.
        let step = f16::from_f32(2f32.powi(-11));
        let above = f16::from_f32(step.to_f32() * 1.01);
        assert_eq!(compute(BinaryOp::Add, one, step), Ok(one.into()));
        assert_eq!(
            compute(BinaryOp::Add, one, above),
            Ok(f16::from_bits(0x3c01).into())
        );
        let product = f16::from_f32(tiny.to_f32() * tiny.to_f32());
        assert_eq!(compute(BinaryOp::Mul, tiny, tiny), Ok(product.into()));
        let least = bf16::from_bits(1);
        assert_eq!(
            compute(BinaryOp::Mul, least, bf16::ONE),
            Ok(least.into()),
            "no flush to zero"
        );
        let max = bf16::MAX;
        assert_eq!(compute(BinaryOp::Add, max, max), Ok(bf16::INFINITY.into()));
    }

    #[test]
    fn a_nan_is_unequal_to_itself() {
        let nan = Scalar::F64(f64::NAN);
        let holds = |operator| compare(operator, nan, nan).unwrap();
        assert!(holds(BinaryOp::Ne));
        for operator in [
            BinaryOp::Eq,
            BinaryOp::Lt,
            BinaryOp::Le,
            BinaryOp::Gt,
            BinaryOp::Ge,
        ] {
            assert!(!holds(operator));
        }
        assert_eq!(
            compare(BinaryOp::Eq, Scalar::F32(0.0), Scalar::F32(-0.0)),
            Ok(true)
        );
        assert_eq!(
            compare(BinaryOp::Lt, Scalar::U8(200), Scalar::U8(100)),
            Ok(false)
        );
        assert_eq!(
            compare(BinaryOp::Lt, Scalar::Char('a'), Scalar::Char('b')),
            Ok(true)
        );
        assert_eq!(
            compare(BinaryOp::Ne, Scalar::Bool(true), Scalar::Bool(false)),
            Ok(true)
        );
    }

    #[test]
    fn operands_of_two_types_are_refused() {
        let mixed = arithmetic(BinaryOp::Add, Tier::Checked, Scalar::I32(1), Scalar::I64(1));
        assert_eq!(mixed, Err(WRONG_TYPE));
        let bools = arithmetic(
            BinaryOp::Add,
            Tier::Checked,
            Scalar::Bool(true),
            Scalar::Bool(true),
        );
        assert_eq!(bools, Err(WRONG_TYPE));
    }
}
