//! Values of constant expressions, as the program would compute them (numerics, §Elements).

use ast_types::{BinaryOp, UnaryOp};
use neuro_hir::{HirExpr, HirExprKind, HirType};
use rustc_apfloat::ieee::{BFloat, Double, Half};
use rustc_apfloat::{Float, FloatConvert};
use shared_types::{Literal, ScalarType};

use super::items::Items;
use crate::Diagnostic;
use crate::faults::Checked;

impl Items<'_> {
    /// The value of a constant expression where it is a number or a literal.
    pub fn fold(&mut self, expr: &HirExpr) -> Checked<Option<Literal>> {
        if let HirExprKind::Literal(value) = &expr.kind {
            return Ok(Some(value.clone()));
        }
        if let HirExprKind::Constant(name) = &expr.kind {
            return Ok(self.constant(name, expr.span)?.value);
        }
        let HirType::Scalar(scalar) = expr.ty else {
            return Ok(None);
        };
        if scalar.is_float() {
            return Ok(self.fold_float(expr, scalar)?.map(Literal::Float));
        }
        match scalar.integer_range() {
            Some(range) => {
                let value = self.fold_integer(expr, scalar, range)?;
                Ok(value.map(Literal::Integer))
            }
            None => Ok(None),
        }
    }

    fn fold_integer(
        &mut self,
        expr: &HirExpr,
        scalar: ScalarType,
        (lowest, highest): (i128, i128),
    ) -> Checked<Option<i128>> {
        let value = if let HirExprKind::Unary {
            op: UnaryOp::Neg,
            operand,
        } = &expr.kind
        {
            self.integer(operand)?.map(|value| Some(-value))
        } else if let HirExprKind::Binary { op, left, right } = &expr.kind {
            let (left, right) = (self.integer(left)?, self.integer(right)?);
            left.zip(right).map(|(a, b)| integers(*op, a, b))
        } else if let HirExprKind::Cast(operand) = &expr.kind {
            match self.fold(operand)? {
                Some(Literal::Integer(value)) => Some(Some(wrap(value, scalar))),
                // Saturated, and 0 for a NaN.
                Some(Literal::Float(value)) => Some(Some((value as i128).clamp(lowest, highest))),
                _ => None,
            }
        } else {
            None
        };
        match value {
            None => Ok(None),
            Some(Some(value)) if (lowest..=highest).contains(&value) => Ok(Some(value)),
            Some(_) => {
                let message = format!("the value of this constant is no `{scalar}`");
                Err(self.report(Diagnostic::new(expr.span, message)))
            }
        }
    }

    fn fold_float(&mut self, expr: &HirExpr, scalar: ScalarType) -> Checked<Option<f64>> {
        Ok(
            if let HirExprKind::Unary {
                op: UnaryOp::Neg,
                operand,
            } = &expr.kind
            {
                self.float(operand)?.map(|value| -value)
            } else if let HirExprKind::Binary { op, left, right } = &expr.kind {
                let (left, right) = (self.float(left)?, self.float(right)?);
                left.zip(right).and_then(|(a, b)| floats(scalar, *op, a, b))
            } else if let HirExprKind::Cast(operand) = &expr.kind {
                match self.fold(operand)? {
                    Some(Literal::Integer(value)) => Some(nearest(scalar, value)),
                    Some(Literal::Float(value)) => Some(rounded(scalar, value)),
                    _ => None,
                }
            } else {
                None
            },
        )
    }

    fn integer(&mut self, expr: &HirExpr) -> Checked<Option<i128>> {
        Ok(match self.fold(expr)? {
            Some(Literal::Integer(value)) => Some(value),
            _ => None,
        })
    }

    fn float(&mut self, expr: &HirExpr) -> Checked<Option<f64>> {
        Ok(match self.fold(expr)? {
            Some(Literal::Float(value)) => Some(value),
            _ => None,
        })
    }
}

/// `None` where there is no value. Operands are within 64 bits.
fn integers(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::MatMul
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or => None,
    }
}

/// One operation on floats of a type that holds both: halves compute in `f32`.
fn floats(scalar: ScalarType, op: BinaryOp, a: f64, b: f64) -> Option<f64> {
    if scalar == ScalarType::F64 {
        return arithmetic(op, a, b);
    }
    let answer = arithmetic(op, a as f32, b as f32)?;
    Some(rounded(scalar, answer.into()))
}

fn arithmetic<F>(op: BinaryOp, a: F, b: F) -> Option<F>
where
    F: std::ops::Add<Output = F>
        + std::ops::Sub<Output = F>
        + std::ops::Mul<Output = F>
        + std::ops::Div<Output = F>
        + std::ops::Rem<Output = F>,
{
    match op {
        BinaryOp::Add => Some(a + b),
        BinaryOp::Sub => Some(a - b),
        BinaryOp::Mul => Some(a * b),
        BinaryOp::Div => Some(a / b),
        BinaryOp::Rem => Some(a % b),
        BinaryOp::MatMul
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or => None,
    }
}

/// The nearest value of a float type.
fn rounded(scalar: ScalarType, value: f64) -> f64 {
    match scalar {
        ScalarType::F16 => through::<Half>(value),
        ScalarType::Bf16 => through::<BFloat>(value),
        ScalarType::F32 => f64::from(value as f32),
        _ => value,
    }
}

fn through<F: Float + FloatConvert<Double>>(value: f64) -> f64
where
    Double: FloatConvert<F>,
{
    let mut loses = false;
    let half: F = Double::from_bits(value.to_bits().into())
        .convert(&mut loses)
        .value;
    widened(half)
}

fn widened<F: FloatConvert<Double>>(half: F) -> f64 {
    let double: Double = half.convert(&mut false).value;
    f64::from_bits(double.to_bits() as u64)
}

/// An integer as the nearest value of a float type, rounded once.
fn nearest(scalar: ScalarType, value: i128) -> f64 {
    match scalar {
        ScalarType::F16 => widened(Half::from_i128(value).value),
        ScalarType::Bf16 => widened(BFloat::from_i128(value).value),
        ScalarType::F32 => f64::from(value as f32),
        _ => value as f64,
    }
}

/// The low bits of `value` as a `scalar` (numerics, §Element-wise).
fn wrap(value: i128, scalar: ScalarType) -> i128 {
    let bits = scalar.bytes() as u32 * 8;
    let low = value.rem_euclid(1 << bits);
    let high_bit_is_set = low >> (bits - 1) == 1;
    if scalar.is_signed() && high_bit_is_set {
        low - (1 << bits)
    } else {
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_keep_the_low_bits() {
        assert_eq!(wrap(300, ScalarType::U8), 44);
        assert_eq!(wrap(200, ScalarType::I8), -56);
        assert_eq!(wrap(-1, ScalarType::U64), i128::from(u64::MAX));
        assert_eq!(wrap(-1, ScalarType::I64), -1);
    }

    #[test]
    fn each_operation_rounds_once_to_its_type() {
        use BinaryOp::{Div, Mul, Rem};
        let third = floats(ScalarType::F32, Div, 1.0, 3.0);
        assert_eq!(third, Some(f64::from(1f32 / 3.0)));
        // The product rounds to 1 + 67 * 2^-10.
        let square = floats(ScalarType::F16, Mul, 1.0322265625, 1.0322265625);
        assert_eq!(square, Some(1.0654296875));
        assert_eq!(
            floats(ScalarType::Bf16, Mul, 1.5, 2f64.powi(-133)),
            Some(2f64.powi(-132))
        );
        assert_eq!(floats(ScalarType::F64, Rem, -7.5, 2.0), Some(-1.5));
        assert_eq!(nearest(ScalarType::F16, 2049), 2048.0);
        assert_eq!(nearest(ScalarType::F16, 65_520), f64::INFINITY);
        assert_eq!(nearest(ScalarType::F32, (1 << 24) + 1), 16_777_216.0);
        assert_eq!(rounded(ScalarType::Bf16, 1.00390625), 1.0);
    }
}
