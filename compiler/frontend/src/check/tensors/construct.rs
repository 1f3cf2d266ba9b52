use ast_types::{Argument, Expr, ExprKind, Name, TensorShape};
use neuro_hir::{Extent, Fill, HirExpr, HirType, TensorOp, TensorType};
use shared_types::{ScalarType, Span};

use super::tensor_op;
use crate::Diagnostic;
use crate::check::arguments::Arguments;
use crate::check::body::Body;
use crate::faults::Checked;

impl Body<'_, '_> {
    /// `[[1.0, 2.0], [3.0, 4.0]]`, of the tensor type that the context asks for.
    pub fn tensor_literal(
        &mut self,
        literal: &Expr,
        expected: Option<&HirType>,
    ) -> Checked<HirExpr> {
        let Some(HirType::Tensor(ty)) = expected else {
            let message = match expected {
                Some(other) => format!("expected `{other}`, found a tensor's elements"),
                None => "the type of this tensor is not known".to_string(),
            };
            let fault = Diagnostic::new(literal.span, message)
                .help("write it: `val a: Tensor<f32, [2]> = …`, or `Tensor::<f32, [2]>::from(…)`");
            return Err(self.items.report(fault));
        };
        let mut elements = Vec::new();
        self.elements(literal, ty, 0, &mut elements)?;
        Ok(tensor_op(
            TensorOp::Literal(elements),
            ty.clone(),
            literal.span,
        ))
    }

    /// The elements of one level of a literal, row-major.
    fn elements(
        &mut self,
        literal: &Expr,
        ty: &TensorType,
        axis: usize,
        elements: &mut Vec<HirExpr>,
    ) -> Checked<()> {
        let Some(level) = ty.axes.get(axis) else {
            elements.push(self.expr_of(literal, &ty.element)?);
            return Ok(());
        };
        let ExprKind::Array(members) = &literal.kind else {
            let message = format!("expected the elements of axis {axis} of `{ty}`");
            let fault = Diagnostic::new(literal.span, message).label("expected `[…]`");
            return Err(self.items.report(fault));
        };
        match level.extent {
            Extent::Dynamic => {
                let message = format!("`{ty}` has an extent that is not known");
                Err(self.fault(literal.span, message))
            }
            Extent::Static(extent) if extent != members.len() as u64 => {
                let message = format!(
                    "axis {axis} of `{ty}` has {extent} positions, not {}",
                    members.len()
                );
                Err(self.fault(literal.span, message))
            }
            Extent::Static(_) => members
                .iter()
                .try_for_each(|member| self.elements(member, ty, axis + 1, elements)),
        }
    }

    /// `Tensor::<T, S>::zeros()` and the like, `Tensor::scalar(x)`; an alias may stand for the
    /// type, and so may the type that the context asks for.
    pub fn constructor(
        &mut self,
        owner: &Name,
        generics: Option<&TensorShape>,
        member: &Name,
        arguments: &[Argument],
        expected: Option<&HirType>,
        span: Span,
    ) -> Checked<HirExpr> {
        let written = match generics {
            Some(shape) if owner.text == "Tensor" => {
                Some(self.items.tensor(shape, owner.span)?.into())
            }
            Some(_) => return Err(self.fault(owner.span, format!("`{owner}` takes no types"))),
            None if owner.text == "Tensor" => None,
            None => Some(self.items.alias(&owner.text, owner.span)?),
        };
        if member.text == "scalar" {
            return self.scalar_tensor(member, arguments, written.as_ref().or(expected), span);
        }
        let fill = match member.text.as_str() {
            "zeros" => Some(Fill::Zeros),
            "ones" => Some(Fill::Ones),
            "identity" => Some(Fill::Identity),
            "from" => None,
            other => {
                let fault = Diagnostic::new(member.span, format!("there is no `{owner}::{other}`"))
                    .label("expected `zeros`, `ones`, `identity`, `from` or `scalar`");
                return Err(self.items.report(fault));
            }
        };
        let ty = match written.as_ref().or(expected) {
            Some(HirType::Tensor(ty)) => ty.clone(),
            Some(other) if written.is_some() => {
                return Err(self.fault(owner.span, format!("`{other}` is no tensor")));
            }
            _ => {
                let fault = Diagnostic::new(owner.span, "the type of this tensor is not known")
                    .help(format!("write it: `Tensor::<f32, [2]>::{member}()`"));
                return Err(self.items.report(fault));
            }
        };
        let Some(fill) = fill else {
            let Arguments {
                positional: [elements],
                ..
            } = self.arguments::<1, 0>(member, arguments, [])?;
            let ty = HirType::from(ty);
            return self.expr_of(elements, &ty);
        };
        let Arguments { .. } = self.arguments::<0, 0>(member, arguments, [])?;
        self.check_fill(fill, &ty, owner.span.to(member.span))?;
        Ok(tensor_op(TensorOp::Fill(fill), ty, span))
    }

    fn check_fill(&mut self, fill: Fill, ty: &TensorType, span: Span) -> Checked<()> {
        if ty.elements().is_none() {
            let message = format!("`{ty}` has an extent that is not known");
            return Err(self.fault(span, message));
        }
        if ty.scalar() == Some(ScalarType::Char) {
            return Err(self.fault(
                span,
                "numbers and `bool` have a zero and a one, `char` has not",
            ));
        }
        if fill == Fill::Identity && ty.rank() != 2 {
            return Err(self.fault(span, format!("an identity has two axes, `{ty}` has not")));
        }
        Ok(())
    }

    fn scalar_tensor(
        &mut self,
        member: &Name,
        arguments: &[Argument],
        expected: Option<&HirType>,
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments {
            positional: [value],
            ..
        } = self.arguments::<1, 0>(member, arguments, [])?;
        let element = expected.and_then(HirType::element).map(HirType::from);
        let value = self.operand(value, element.as_ref())?;
        let HirType::Scalar(scalar) = value.ty else {
            let message = format!("expected a scalar, found `{}`", value.ty);
            return Err(self.fault(value.span, message));
        };
        let ty = TensorType::new(scalar, &[]);
        Ok(tensor_op(TensorOp::Scalar(Box::new(value)), ty, span))
    }
}
