use ast_types::{BinaryOp, Const, Expr, ExprKind, ItemKind, Module, UnaryOp};
use neuro_hir::{FunctionTarget, HirConst, HirExpr, HirExprKind, HirType};
use shared_types::{Literal, ScalarType, Span};

use super::body::Body;
use super::items::{Constant, Items, Lazy, Signature};
use crate::Diagnostic;
use crate::faults::{Checked, Failed};

impl Items<'_> {
    pub fn constant(&mut self, name: &str, span: Span) -> Checked<Constant> {
        let Some((item, state)) = self.constants.get_mut(name) else {
            let message = format!("there is no constant `{name}`");
            return Err(self.report(Diagnostic::new(span, message)));
        };
        let item = *item;
        match std::mem::replace(state, Lazy::InProgress) {
            Lazy::Unresolved => {}
            Lazy::InProgress => {
                let message = format!("constant `{name}` refers to itself");
                return Err(self.report(Diagnostic::new(item.name.span, message)));
            }
            Lazy::Done(constant) => {
                *state = Lazy::Done(constant.clone());
                return Ok(constant);
            }
            Lazy::Failed => {
                *state = Lazy::Failed;
                return Err(Failed);
            }
        }
        let resolved = self.deeper(item.name.span, |items| items.evaluate(item));
        if let Some((_, state)) = self.constants.get_mut(name) {
            *state = match &resolved {
                Ok(constant) => Lazy::Done(constant.clone()),
                Err(Failed) => Lazy::Failed,
            };
        }
        resolved
    }

    fn evaluate(&mut self, item: &Const) -> Checked<Constant> {
        let ty = self.resolve(&item.ty)?;
        self.require_constant(&item.value)?;
        let value = Body::new(self, &nowhere(item)).expr_of(&item.value, &ty)?;
        let folded = self.fold(&value)?;
        self.resolved_constants.push(HirConst {
            name: item.name.text.clone(),
            value,
            span: item.name.span,
        });
        Ok(Constant { ty, value: folded })
    }

    /// Literals, constants, operators, casts, tuples and tensors made of them.
    pub fn require_constant(&mut self, expr: &Expr) -> Checked<()> {
        match &expr.kind {
            ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::String(_)
            | ExprKind::Path { .. } => Ok(()),
            ExprKind::Name(name) if self.constants.contains_key(name.as_str()) => Ok(()),
            ExprKind::Tuple(members) | ExprKind::Array(members) => {
                members.iter().try_for_each(|m| self.require_constant(m))
            }
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => {
                self.require_constant(operand)
            }
            ExprKind::Binary { left, right, .. } => {
                self.require_constant(left)?;
                self.require_constant(right)
            }
            ExprKind::Call { callee, arguments }
                if matches!(callee.kind, ExprKind::Path { .. }) =>
            {
                let mut values = arguments.iter().map(|argument| &argument.value);
                values.try_for_each(|value| self.require_constant(value))
            }
            _ => {
                let fault = Diagnostic::new(expr.span, "this is not constant")
                    .label("expected literals, constants and operators");
                Err(self.report(fault))
            }
        }
    }

    /// The value of a constant expression where it is an integer or a literal.
    pub fn fold(&mut self, expr: &HirExpr) -> Checked<Option<Literal>> {
        if let HirExprKind::Literal(value) = &expr.kind {
            return Ok(Some(value.clone()));
        }
        if let HirExprKind::Constant(name) = &expr.kind {
            return Ok(self.constant(name, expr.span)?.value);
        }
        Ok(self.fold_integer(expr)?.map(Literal::Integer))
    }

    fn fold_integer(&mut self, expr: &HirExpr) -> Checked<Option<i128>> {
        let HirType::Scalar(scalar) = expr.ty else {
            return Ok(None);
        };
        let Some(range) = scalar.integer_range() else {
            return Ok(None);
        };
        let value = if let HirExprKind::Unary {
            op: UnaryOp::Neg,
            operand,
        } = &expr.kind
        {
            self.integer(operand)?.map(|value| Some(-value))
        } else if let HirExprKind::Binary { op, left, right } = &expr.kind {
            let (left, right) = (self.integer(left)?, self.integer(right)?);
            left.zip(right).map(|(a, b)| arithmetic(*op, a, b))
        } else if let HirExprKind::Cast(operand) = &expr.kind {
            self.integer(operand)?
                .map(|value| Some(wrap(value, scalar)))
        } else {
            None
        };
        match value {
            None => Ok(None),
            Some(Some(value)) if (range.0..=range.1).contains(&value) => Ok(Some(value)),
            Some(_) => {
                let message = format!("the value of this constant is no `{scalar}`");
                Err(self.report(Diagnostic::new(expr.span, message)))
            }
        }
    }

    fn integer(&mut self, expr: &HirExpr) -> Checked<Option<i128>> {
        Ok(match self.fold(expr)? {
            Some(Literal::Integer(value)) => Some(value),
            _ => None,
        })
    }

    /// All constants, each after those that it needs.
    pub fn take_constants(&mut self, module: &Module) -> Vec<HirConst> {
        for item in &module.items {
            if let ItemKind::Const(item) = &item.kind {
                // A fault is reported where it is found.
                let _ = self.constant(&item.name.text, item.name.span);
            }
        }
        std::mem::take(&mut self.resolved_constants)
    }
}

/// `None` where there is no value. Operands are within 64 bits.
fn arithmetic(op: BinaryOp, a: i128, b: i128) -> Option<i128> {
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

/// Where a constant's expression stands: in no function.
fn nowhere(item: &Const) -> Signature {
    Signature {
        name: item.name.text.clone(),
        target: FunctionTarget::Host,
        parameters: Vec::new(),
        has_receiver: false,
        result: HirType::Void,
        span: item.name.span,
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
}
