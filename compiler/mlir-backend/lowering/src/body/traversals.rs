//! The traversals of a body.

use std::rc::Rc;

use neuro_hir::{HirExpr, TensorType};
use shared_types::Span;

use super::{Body, Lowered, result_tensor, tensor};
use crate::at::Built;
use crate::elementwise::Operand;
use crate::function_value::FunctionValue;
use crate::traversal::{self, Traversal};
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
        self.calls_back(&function, result, expr.span);
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
        self.calls_back(&function, &ty, expr.span);
        let (at, checks) = (self.at(expr.span), &mut self.checks);
        let operand = (value, &ty);
        let value = traversal::fold(at, checks, &function, operand, &initial, result, expr.span)?;
        Ok(tensor(value, result))
    }

    fn calls_back(&mut self, function: &FunctionValue<'_, '_>, walked: &TensorType, span: Span) {
        if function.is_called_back() {
            let calls = walked.elements().unwrap_or(0);
            self.traversals.push(Traversal { span, calls });
        }
    }

    fn function_value(&mut self, expr: &HirExpr) -> Built<FunctionValue<'c, 'b>> {
        match self.expression(expr)? {
            Lowered::Function(function) => Ok(function),
            Lowered::Operand(_) | Lowered::Tuple(_) => {
                Unlowered::refused("a value in a function's place", expr.span)
            }
        }
    }

    /// A closure or a function's name, in bodies that find such.
    pub(super) fn scalar_function(&mut self, expr: &HirExpr) -> Built<Lowered<'c, 'b>> {
        let Some(find) = self.functions else {
            return Unlowered::refused("a function value", expr.span);
        };
        let function = Rc::new(find(self.function, expr)?);
        let mut captured = Vec::new();
        for capture in &function.captures {
            match self.locals.get(&capture.local) {
                Some(Lowered::Operand(Operand::Scalar(value, scalar)))
                    if *scalar == capture.scalar =>
                {
                    captured.push(*value);
                }
                _ => return Unlowered::refused("a captured value", expr.span),
            }
        }
        self.called.push(function.clone());
        Ok(Lowered::Function(FunctionValue::known(function, captured)))
    }
}
