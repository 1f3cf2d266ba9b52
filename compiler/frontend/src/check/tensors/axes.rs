use ast_types::{Expr, ExprKind};
use neuro_hir::TensorType;
use shared_types::{Literal, ScalarType};

use crate::Diagnostic;
use crate::check::body::Body;
use crate::faults::Checked;

impl Body<'_, '_> {
    /// The value of `axis:`: a position, a negative one from the end, or an axis's name.
    pub(super) fn axis(&mut self, axis: &Expr, tensor: &TensorType) -> Checked<usize> {
        if let ExprKind::Name(name) = &axis.kind
            && let Some(at) = tensor
                .axes
                .iter()
                .position(|a| a.name.as_ref() == Some(name))
        {
            return Ok(at);
        }
        if let ExprKind::Name(name) = &axis.kind
            && !self.items.constants.contains_key(name.as_str())
        {
            let message = format!("`{tensor}` has no axis `{name}`");
            return Err(self.fault(axis.span, message));
        }
        let position = self.constant_integer(axis)?;
        let rank = tensor.rank() as i128;
        let from_start = if position < 0 {
            position + rank
        } else {
            position
        };
        if (0..rank).contains(&from_start) {
            return Ok(from_start as usize);
        }
        let fault = Diagnostic::new(axis.span, format!("`{tensor}` has no axis {position}"));
        Err(self.items.report(fault))
    }

    /// `axis:` where it is written, else the last axis.
    pub(super) fn axis_or_last(
        &mut self,
        axis: Option<&Expr>,
        tensor: &TensorType,
        method: &ast_types::Name,
    ) -> Checked<usize> {
        match (axis, tensor.rank()) {
            (Some(axis), _) => self.axis(axis, tensor),
            (None, 0) => {
                let message = format!("`{method}` needs an axis, and `{tensor}` has none");
                Err(self.fault(method.span, message))
            }
            (None, rank) => Ok(rank - 1),
        }
    }

    /// An integer that is known here.
    pub(super) fn constant_integer(&mut self, expr: &Expr) -> Checked<i128> {
        self.items.require_constant(expr)?;
        let i64 = ScalarType::I64.into();
        let value = self.expr(expr, Some(&i64))?;
        match self.items.fold(&value)? {
            Some(Literal::Integer(value)) => Ok(value),
            _ => {
                let message = format!("expected a whole number, found `{}`", value.ty);
                Err(self.fault(expr.span, message))
            }
        }
    }

    /// `[1, 0]`: whole numbers that are known here.
    pub(super) fn constant_integers(&mut self, list: &Expr) -> Checked<Vec<i128>> {
        let ExprKind::Array(members) = &list.kind else {
            let fault = Diagnostic::new(list.span, "expected a list").label("expected `[…]`");
            return Err(self.items.report(fault));
        };
        members
            .iter()
            .map(|member| self.constant_integer(member))
            .collect()
    }

    /// `true` or `false`, known here.
    pub(super) fn constant_bool(&mut self, expr: &Expr) -> Checked<bool> {
        self.items.require_constant(expr)?;
        let value = self.expr(expr, None)?;
        match self.items.fold(&value)? {
            Some(Literal::Bool(value)) => Ok(value),
            _ => Err(self.fault(expr.span, "expected `true` or `false`")),
        }
    }
}
