use ast_types::{Block, Expr, ExprKind, Number, UnaryOp};
use neuro_hir::{HirExpr, HirExprKind, HirType};
use rustc_apfloat::ieee::{BFloat, Double, Half};
use rustc_apfloat::{Float, FloatConvert, Round};
use shared_types::{Literal, ScalarType, Span};

use super::body::Body;
use crate::Diagnostic;
use crate::faults::Checked;

/// Whether an expression is made of numbers without a suffix: its type comes from the context.
pub(super) fn is_open(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(Number::Integer { suffix, .. } | Number::Float { suffix, .. }) => {
            suffix.is_none()
        }
        ExprKind::Unary {
            op: UnaryOp::Neg,
            operand,
        } => is_open(operand),
        ExprKind::Binary { op, left, right } => {
            op.is_arithmetic() && is_open(left) && is_open(right)
        }
        ExprKind::If {
            branches,
            otherwise: Some(otherwise),
        } => branches.iter().all(|(_, block)| is_open_block(block)) && is_open_block(otherwise),
        ExprKind::Block(block) => is_open_block(block),
        _ => false,
    }
}

pub(super) fn is_open_block(block: &Block) -> bool {
    block.value.as_ref().is_some_and(|value| is_open(value))
}

/// Whether an open expression has a float in it, and so is one.
pub(super) fn has_float(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Number(Number::Float { .. }) => true,
        ExprKind::Unary { operand, .. } => has_float(operand),
        ExprKind::Binary { left, right, .. } => has_float(left) || has_float(right),
        _ => false,
    }
}

impl Body<'_, '_> {
    /// A number, of its suffix's type, else of the type that the context gives, else of `i32` or
    /// `f64`.
    pub fn number(
        &mut self,
        number: &Number,
        negative: bool,
        expected: Option<&HirType>,
        span: Span,
    ) -> Checked<HirExpr> {
        let hint = expected
            .and_then(HirType::element)
            .filter(|s| s.is_number());
        let (default, suffix) = match number {
            Number::Integer { suffix, .. } => (ScalarType::I32, suffix),
            Number::Float { suffix, .. } => (ScalarType::F64, suffix),
        };
        let scalar = suffix.or(hint).unwrap_or(default);
        let value = read(number, negative, scalar).map_err(|message| {
            let mut fault = Diagnostic::new(span, message);
            if suffix.is_none() && hint.is_none() && default == ScalarType::I32 {
                fault = fault.help("write its type after it, as in `5000000000i64`");
            }
            self.items.report(fault)
        })?;
        Ok(HirExpr {
            kind: HirExprKind::Literal(value),
            ty: scalar.into(),
            span,
        })
    }
}

/// The value of a number as a `scalar`, rounded once.
fn read(number: &Number, negative: bool, scalar: ScalarType) -> Result<Literal, String> {
    let sign = if negative { "-" } else { "" };
    match (number, scalar.integer_range()) {
        (Number::Integer { value, .. }, Some((low, high))) => {
            if negative && !scalar.is_signed() {
                return Err(format!("`-` does not apply to a `{scalar}`"));
            }
            let value = i128::try_from(*value).map(|value| if negative { -value } else { value });
            match value {
                Ok(value) if (low..=high).contains(&value) => Ok(Literal::Integer(value)),
                _ => Err(format!("the number does not fit in `{scalar}`")),
            }
        }
        (Number::Float { .. }, Some(_)) => Err(format!(
            "expected `{scalar}`, found a number with a fraction"
        )),
        (Number::Integer { value, .. }, None) => float(&format!("{sign}{value}"), scalar),
        (Number::Float { digits, .. }, None) => float(&format!("{sign}{digits}"), scalar),
    }
}

fn float(digits: &str, scalar: ScalarType) -> Result<Literal, String> {
    let value = match scalar {
        ScalarType::F32 => digits.parse::<f32>().map(f64::from).ok(),
        ScalarType::F16 => half::<Half>(digits),
        ScalarType::Bf16 => half::<BFloat>(digits),
        _ => digits.parse::<f64>().ok(),
    };
    match value {
        Some(value) if value.is_finite() => Ok(Literal::Float(value)),
        _ => Err(format!("the number does not fit in `{scalar}`")),
    }
}

/// Decimal digits as a half type: through `f64` they would round twice.
fn half<F: Float + FloatConvert<Double>>(digits: &str) -> Option<f64> {
    let half = F::from_str_r(digits, Round::NearestTiesToEven).ok()?.value;
    let mut loses = false;
    let double: Double = half.convert(&mut loses).value;
    Some(f64::from_bits(double.to_bits() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float_of(digits: &str, scalar: ScalarType) -> Option<f64> {
        match float(digits, scalar) {
            Ok(Literal::Float(value)) => Some(value),
            _ => None,
        }
    }

    #[test]
    fn floats_round_once() {
        // Just above the middle of 1 and the next half: through an `f64` it would be a tie.
        let digits = "1.00048828125000000000000000001";
        assert_eq!(float_of(digits, ScalarType::F16), Some(1.0009765625));
        assert_eq!(float_of("1.00048828125", ScalarType::F16), Some(1.0));
        let digits = "1.00390625000000000000000000001";
        assert_eq!(float_of(digits, ScalarType::Bf16), Some(1.0078125));
        assert_eq!(float_of("0.1", ScalarType::F32), Some(f64::from(0.1f32)));
        assert_eq!(
            float_of("1e-7", ScalarType::F16),
            Some(2f64.powi(-24) * 2.0)
        );
        assert_eq!(
            float_of("-0.0", ScalarType::F16).map(f64::to_bits),
            Some((-0f64).to_bits())
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(float_of("65504", ScalarType::F16), Some(65504.0));
        assert_eq!(float_of("65520", ScalarType::F16), None);
        assert_eq!(float_of("1e39", ScalarType::F32), None);
        assert_eq!(float_of("1e309", ScalarType::F64), None);
        assert_eq!(float_of("1e99999999999999999999", ScalarType::Bf16), None);
        let integer = |value, negative, scalar| {
            let number = Number::Integer {
                value,
                suffix: None,
            };
            read(&number, negative, scalar)
        };
        assert_eq!(
            integer(128, true, ScalarType::I8),
            Ok(Literal::Integer(-128))
        );
        assert!(integer(128, false, ScalarType::I8).is_err());
        assert!(integer(1, true, ScalarType::U8).is_err());
        assert!(integer(u128::MAX, false, ScalarType::U64).is_err());
        assert_eq!(integer(3, false, ScalarType::F32), Ok(Literal::Float(3.0)));
    }
}
