use ast_types::{Argument, Expr, Name};
use neuro_hir::{HirExpr, HirExprKind, HirType, MathFunction};
use shared_types::Span;

use super::arguments::Arguments;
use super::body::Body;
use super::literals::is_open;
use crate::Diagnostic;
use crate::faults::Checked;

impl Body<'_, '_> {
    pub fn method_call(
        &mut self,
        receiver: &Expr,
        method: &Name,
        arguments: &[Argument],
        expected: Option<&HirType>,
        span: Span,
    ) -> Checked<HirExpr> {
        // `2.0.sqrt()` has the type that the context asks for.
        let expected = expected.filter(|_| is_open(receiver));
        let receiver = self.value(receiver, expected)?;
        if receiver.ty.as_tensor().is_some() {
            return self.tensor_method(receiver, method, arguments, span);
        }
        if let HirType::Nominal(_) = receiver.ty.referent() {
            return self.call_method(receiver, method, arguments, span);
        }
        if let Some(function) = math_function(&method.text) {
            let Arguments { .. } = self.arguments::<0, 0>(method, arguments, [])?;
            return self.math(function, receiver, method, span);
        }
        if method.text == "pow" {
            return self.pow(receiver, method, arguments, span);
        }
        let message = format!("a `{}` has no method `{method}`", receiver.ty);
        Err(self.fault(method.span, message))
    }

    /// `.exp()` and the like, on a float or a tensor of them (numerics, §Mathematics).
    pub fn math(
        &mut self,
        function: MathFunction,
        operand: HirExpr,
        method: &Name,
        span: Span,
    ) -> Checked<HirExpr> {
        self.require_floats(&operand, method)?;
        self.require_operable(&operand)?;
        let ty = operand.ty.referent().clone();
        let operand = Box::new(operand);
        let kind = HirExprKind::Math { function, operand };
        Ok(HirExpr { kind, ty, span })
    }

    /// `.pow(e)`; the exponent of a tensor is a scalar or a tensor that broadcasts.
    pub fn pow(
        &mut self,
        base: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments {
            positional: [exponent],
            ..
        } = self.arguments::<1, 0>(method, arguments, [])?;
        self.require_floats(&base, method)?;
        let hint = base.ty.element().map(HirType::from);
        let exponent = self.operand(exponent, hint.as_ref())?;
        self.require_operable(&base)?;
        self.require_operable(&exponent)?;
        let refused = |base: &HirType, exponent: &HirType| {
            Diagnostic::new(span, format!("a `{base}` to the power of a `{exponent}`"))
                .label("expected one element type, and a scalar to the power of a scalar")
        };
        if exponent.ty.element() != base.ty.element() {
            return Err(self.items.report(refused(&base.ty, &exponent.ty)));
        }
        let ty = match (base.ty.as_tensor(), exponent.ty.as_tensor()) {
            (_, None) => base.ty.referent().clone(),
            (Some(a), Some(b)) => self.broadcast("to the power of", a, b, span)?.into(),
            (None, Some(_)) => return Err(self.items.report(refused(&base.ty, &exponent.ty))),
        };
        let (base, exponent) = (Box::new(base), Box::new(exponent));
        let kind = HirExprKind::Pow { base, exponent };
        Ok(HirExpr { kind, ty, span })
    }

    fn require_floats(&mut self, operand: &HirExpr, method: &Name) -> Checked<()> {
        match operand.ty.element() {
            Some(scalar) if scalar.is_float() => Ok(()),
            _ => {
                let message = format!("`{method}` takes floats, not `{}`", operand.ty);
                Err(self.fault(method.span, message))
            }
        }
    }
}

pub(super) fn math_function(name: &str) -> Option<MathFunction> {
    MathFunction::ALL
        .into_iter()
        .find(|function| function.name() == name)
}
