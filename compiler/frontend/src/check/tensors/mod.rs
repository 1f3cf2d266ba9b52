//! What only a tensor has, one file a family of operations.

mod axes;
mod construct;
mod device;
mod einsum;
mod index;
mod reductions;
mod sorts;
mod traversals;
mod views;

use ast_types::{Argument, Name};
use neuro_hir::{Device, HirExpr, HirExprKind, HirType, Reduction, TensorOp, TensorType};
use shared_types::Span;

use super::arguments::Arguments;
use super::body::Body;
use super::calls::is_place;
use super::methods::math_function;
use super::operators::borrowed;
use crate::faults::Checked;

impl Body<'_, '_> {
    /// A method of a tensor. It reads its receiver where that is kept.
    pub fn tensor_method(
        &mut self,
        receiver: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let receiver = if is_place(&receiver) {
            borrowed(receiver)
        } else {
            receiver
        };
        let name = method.text.as_str();
        if let Some(function) = math_function(name) {
            let Arguments { .. } = self.arguments::<0, 0>(method, arguments, [])?;
            return self.math(function, receiver, method, span);
        }
        if let Some(op) = Reduction::ALL.into_iter().find(|op| op.name() == name) {
            return self.reduction(op, receiver, method, arguments, span);
        }
        match name {
            "pow" => self.pow(receiver, method, arguments, span),
            "clone" => {
                let Arguments { .. } = self.arguments::<0, 0>(method, arguments, [])?;
                let ty = receiver.ty.referent().clone();
                Ok(tensor_op(TensorOp::Clone(Box::new(receiver)), ty, span))
            }
            "to" => self.move_to(receiver, method, arguments, span),
            "t" => self.transpose(receiver, method, arguments, span),
            "permute" => self.permute(receiver, method, arguments, span),
            "reshape" => self.reshape(receiver, method, arguments, span),
            "flatten" => self.flatten(receiver, method, arguments, span),
            "sort" | "argsort" => self.sort(receiver, method, arguments, span),
            "topk" => self.top_k(receiver, method, arguments, span),
            "map" => self.map(receiver, method, arguments, span),
            "zip" => self.zip(receiver, method, arguments, span),
            "reduce" => self.fold_elements(receiver, method, arguments, span),
            _ => {
                let message = format!("a tensor has no method `{method}`");
                Err(self.fault(method.span, message))
            }
        }
    }

    /// The tensor that an operand is, its extents known.
    fn static_tensor(&mut self, operand: &HirExpr) -> Checked<TensorType> {
        self.require_operable(operand)?;
        match operand.ty.as_tensor() {
            Some(tensor) => Ok(tensor.clone()),
            None => {
                let message = format!("expected a tensor, found `{}`", operand.ty);
                Err(self.fault(operand.span, message))
            }
        }
    }
}

fn tensor_op(op: TensorOp, ty: impl Into<HirType>, span: Span) -> HirExpr {
    HirExpr {
        kind: HirExprKind::Tensor(op),
        ty: ty.into(),
        span,
    }
}

/// The one element of a tensor of rank 0 that an operation gives: the scalar that it stands for.
fn only_element(op: TensorOp, tensor: TensorType, span: Span) -> HirExpr {
    let element = (*tensor.element).clone();
    let read = TensorOp::Element {
        tensor: Box::new(tensor_op(op, tensor, span)),
        indices: Vec::new(),
    };
    tensor_op(read, element, span)
}
