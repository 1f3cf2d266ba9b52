use std::collections::BTreeMap;

use neuro_hir::{
    HirBlock, HirExpr, HirExprKind, HirFunction, HirNode, HirPattern, HirStatement,
    HirStatementKind, HirType, LocalId, SliceAxis, TensorOp,
};
use shared_types::{Literal, ScalarType};

use super::whole::{assigned_parameter, is_operand, may_be_parameter};

/// Whether a body is tensor operations throughout, the tensors that it makes and the tuple that it
/// gives back included: what a body to link holds (backend specification, §Tensor Arithmetic).
pub(super) fn is_tensor_code(function: &HirFunction, literals: &BTreeMap<String, Literal>) -> bool {
    let fits = function
        .parameters()
        .iter()
        .all(|p| may_be_parameter(&p.ty));
    let parameters = (0..function.parameter_count as u32).map(LocalId);
    let known = parameters.map(|id| {
        let value = match function.local(id).ty.as_tensor() {
            Some(_) => Value::Given,
            None => Value::Scalar,
        };
        (id, value)
    });
    let mut code = TensorCode {
        known: known.collect(),
        literals,
    };
    fits && code.is_body(function)
}

/// Whether a slice stands at a position that only a caller can check: no body for a GPU does.
pub(super) fn reads_at_positions(function: &HirFunction) -> bool {
    HirNode::from(&function.body).descendants().any(|node| {
        matches!(node, HirNode::Expr(expr) if matches!(
            &expr.kind,
            HirExprKind::Tensor(TensorOp::Slice { axes, .. }) if !axes.iter().all(is_checked)
        ))
    })
}

fn is_checked(axis: &SliceAxis) -> bool {
    match axis {
        SliceAxis::Position(position) => matches!(position.kind, HirExprKind::Literal(_)),
        SliceAxis::Range { .. } => true,
    }
}

/// What a value of such a body is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// A number, a bool or a function.
    Scalar,
    /// A parameter's tensor.
    Given,
    /// A tensor that the body makes, or a tuple of such.
    Made,
}

struct TensorCode<'l> {
    known: BTreeMap<LocalId, Value>,
    literals: &'l BTreeMap<String, Literal>,
}

impl TensorCode<'_> {
    fn is_body(&mut self, function: &HirFunction) -> bool {
        let body = &function.body;
        if let Some((at, value)) = assigned_parameter(function) {
            return self.bindings(&body.statements[..at]) && self.value(value).is_some();
        }
        let (bindings, value) = match (&body.value, body.statements.split_last()) {
            (Some(value), _) => (&body.statements[..], &**value),
            (None, Some((last, before))) => match &last.kind {
                HirStatementKind::Return(Some(value)) => (before, value),
                _ => return false,
            },
            (None, None) => return false,
        };
        // An argument is not handed back.
        is_result(&function.result)
            && self.bindings(bindings)
            && self.value(value) == Some(Value::Made)
    }

    fn bindings(&mut self, statements: &[HirStatement]) -> bool {
        statements.iter().all(|statement| {
            let HirStatementKind::Bind { pattern, value } = &statement.kind else {
                return false;
            };
            let Some(bound) = self.value(value) else {
                return false;
            };
            let ids = match pattern {
                HirPattern::Local(id) => std::slice::from_ref(id),
                HirPattern::Tuple(ids) => ids,
            };
            self.known.extend(ids.iter().map(|&id| (id, bound)));
            true
        })
    }

    /// What the value is; none for what no such body computes.
    fn value(&mut self, expr: &HirExpr) -> Option<Value> {
        match &expr.kind {
            HirExprKind::Literal(_) => is_element(&expr.ty).then_some(Value::Scalar),
            HirExprKind::Constant(name) => {
                let known = self.literals.contains_key(name) && is_element(&expr.ty);
                known.then_some(Value::Scalar)
            }
            HirExprKind::Local(id) => self.known.get(id).copied(),
            HirExprKind::Borrow {
                mutable: false,
                operand,
            }
            | HirExprKind::TupleMember { operand, .. } => self.value(operand),
            HirExprKind::Block(HirBlock {
                statements,
                value: Some(value),
                ..
            }) => self.bindings(statements).then(|| self.value(value))?,
            HirExprKind::Tuple(members) => {
                let made = |member| self.value(member) == Some(Value::Made);
                members.iter().all(made).then_some(Value::Made)
            }
            HirExprKind::Unary { operand, .. } | HirExprKind::Math { operand, .. } => {
                self.made(&expr.ty, [&**operand])
            }
            HirExprKind::Binary { left, right, .. }
            | HirExprKind::Pow {
                base: left,
                exponent: right,
            } => self.made(&expr.ty, [&**left, right]),
            HirExprKind::Tensor(op) => self.tensor(op, expr),
            HirExprKind::Borrow { mutable: true, .. }
            | HirExprKind::Block(HirBlock { value: None, .. })
            | HirExprKind::Function(_)
            | HirExprKind::Closure(_)
            | HirExprKind::Cast(_)
            | HirExprKind::Call { .. }
            | HirExprKind::If { .. }
            | HirExprKind::Struct(_)
            | HirExprKind::Field { .. }
            | HirExprKind::Print(_)
            | HirExprKind::GridIndex { .. }
            | HirExprKind::CheckedPosition { .. } => None,
        }
    }

    fn tensor(&mut self, op: &TensorOp, expr: &HirExpr) -> Option<Value> {
        let ty = &expr.ty;
        match op {
            TensorOp::Fill(_) => self.made(ty, []),
            TensorOp::Scalar(scalar) => self.scalar(scalar)?.made(ty, []),
            TensorOp::Clone(operand) => self.value(operand),
            // The tensor of rank 0 does for its one element.
            TensorOp::Element { tensor, indices } => {
                indices.is_empty().then(|| self.value(tensor))?
            }
            TensorOp::Slice { tensor, axes } => {
                let checked = axes.iter().all(is_checked);
                checked.then(|| self.made(ty, [&**tensor]))?
            }
            TensorOp::Permute { operand, .. }
            | TensorOp::Reshape(operand)
            | TensorOp::Reduce { operand, .. }
            | TensorOp::Sort { operand, .. }
            | TensorOp::ArgSort { operand, .. }
            | TensorOp::TopK { operand, .. } => self.made(ty, [&**operand]),
            TensorOp::Einsum(einsum) => self.made(ty, &einsum.operands),
            TensorOp::Map { operand, function } => self.scalar(function)?.made(ty, [&**operand]),
            TensorOp::Zip {
                left,
                right,
                function,
            } => self.scalar(function)?.made(ty, [&**left, right]),
            TensorOp::Fold {
                operand,
                initial,
                function,
            } => {
                let given = self.scalar(function)?.scalar(initial)?;
                given.made(ty, [&**operand])
            }
            TensorOp::Literal(_) | TensorOp::ToDevice { .. } => None,
        }
    }

    /// Of a tensor of elements, or a tuple of them, made of such operands.
    fn made<'e>(
        &mut self,
        ty: &HirType,
        operands: impl IntoIterator<Item = &'e HirExpr>,
    ) -> Option<Value> {
        let known = |operand| self.value(operand).is_some();
        (is_result(ty) && operands.into_iter().all(known)).then_some(Value::Made)
    }

    /// Goes on where the value is a scalar, or a function, that was given.
    fn scalar(&mut self, expr: &HirExpr) -> Option<&mut Self> {
        (self.value(expr)? == Value::Scalar).then_some(self)
    }
}

fn is_element(ty: &HirType) -> bool {
    matches!(ty, HirType::Scalar(scalar) if ScalarType::is_element(*scalar))
}

fn is_result(ty: &HirType) -> bool {
    match ty {
        HirType::Tensor(tensor) => is_operand(tensor),
        HirType::Tuple(members) => members.iter().all(is_result),
        HirType::Void
        | HirType::Scalar(_)
        | HirType::Reference { .. }
        | HirType::Function(_)
        | HirType::String
        | HirType::Nominal(_) => false,
    }
}
