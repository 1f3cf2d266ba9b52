use ast_types::{Const, Expr, ExprKind, ItemKind, Module};
use neuro_hir::{FunctionTarget, HirConst, HirExprKind, HirType};
use shared_types::Span;

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
        let mut value = Body::new(self, &nowhere(item)).expr_of(&item.value, &ty)?;
        let folded = self.fold(&value)?;
        if let Some(folded) = &folded {
            value.kind = HirExprKind::Literal(folded.clone());
        }
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
