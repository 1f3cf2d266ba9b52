//! The traversals of a body.

use neuro_hir::HirExpr;

use super::{Body, Lowered, result_tensor, tensor};
use crate::at::Built;
use crate::traversal::{self, FunctionValue, Traversal};
use crate::unlowered::Unlowered;

impl<'c: 'b, 'b> Body<'c, 'b, '_> {
    /// `.map` and `.zip`.
    pub(super) fn map(
        &mut self,
        operands: &[&HirExpr],
        function: &HirExpr,
        expr: &HirExpr,
    ) -> Built<Lowered<'c, 'b>> {
        let result = result_tensor(expr)?;
        let operands = operands.iter().map(|operand| self.tensor_operand(operand));
        let operands = operands.collect::<Built<Vec<_>>>()?;
        let function = self.function_value(function)?;
        self.traversals.push(Traversal {
            span: expr.span,
            calls: result.elements().unwrap_or(0),
        });
        let (at, checks) = (self.at(expr.span), &mut self.checks);
        let value = traversal::map(at, checks, &function, &operands, result, expr.span)?;
        Ok(tensor(value, result))
    }

    /// `.reduce`.
    pub(super) fn fold(
        &mut self,
        operand: &HirExpr,
        initial: &HirExpr,
        function: &HirExpr,
        expr: &HirExpr,
    ) -> Built<Lowered<'c, 'b>> {
        let result = result_tensor(expr)?;
        let (value, ty) = self.tensor_operand(operand)?;
        let initial = self.operand(initial)?;
        let function = self.function_value(function)?;
        self.traversals.push(Traversal {
            span: expr.span,
            calls: ty.elements().unwrap_or(0),
        });
        let (at, checks) = (self.at(expr.span), &mut self.checks);
        let operand = (value, &ty);
        let value = traversal::fold(at, checks, &function, operand, &initial, result, expr.span)?;
        Ok(tensor(value, result))
    }

    fn function_value(&mut self, expr: &HirExpr) -> Built<FunctionValue<'c, 'b>> {
        match self.expression(expr)? {
            Lowered::Function(function) => Ok(function),
            Lowered::Operand(_) | Lowered::Tuple(_) => {
                Unlowered::refused("a value in a function's place", expr.span)
            }
        }
    }
}
