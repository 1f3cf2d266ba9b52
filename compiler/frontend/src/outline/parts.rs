use neuro_hir::{
    Callee, HirBlock, HirExpr, HirExprKind, HirStatement, HirStatementKind, SliceAxis, TensorOp,
};

use super::run::{for_each_leaf, is_root, operation_of};

/// A part of a statement's expressions.
pub(super) enum Part<'a> {
    /// A maximal expression of tensor operations, evaluated once with the statement.
    Root(&'a mut HirExpr),
    /// An expression that is evaluated once, many times or never.
    Later(&'a mut HirExpr),
    Block(&'a mut HirBlock),
}

/// Calls `visit` with the parts of a statement, in order: a root, then what is within what it
/// takes. Where `visit` puts a call in place of a root, that is within the arguments.
pub(super) fn of_statement(statement: &mut HirStatement, visit: &mut dyn FnMut(Part<'_>)) {
    match &mut statement.kind {
        HirStatementKind::Bind { value, .. } | HirStatementKind::Return(Some(value)) => {
            of_expr(value, visit);
        }
        HirStatementKind::Expr(value) => of_expr(value, visit),
        HirStatementKind::Assign { place, value }
        | HirStatementKind::CompoundAssign { place, value, .. } => {
            of_expr(place, visit);
            of_expr(value, visit);
        }
        HirStatementKind::While { condition, body } => {
            visit(Part::Later(condition));
            visit(Part::Block(body));
        }
        HirStatementKind::Loop { body } => visit(Part::Block(body)),
        HirStatementKind::For {
            start, end, body, ..
        } => {
            of_expr(start, visit);
            of_expr(end, visit);
            visit(Part::Block(body));
        }
        HirStatementKind::Break | HirStatementKind::Continue | HirStatementKind::Return(None) => {}
    }
}

pub(super) fn of_expr(expr: &mut HirExpr, visit: &mut dyn FnMut(Part<'_>)) {
    if is_root(expr) {
        visit(Part::Root(expr));
        if is_root(expr) {
            for_each_leaf(operation_of(expr), false, &mut |leaf, _| {
                of_expr(leaf, visit)
            });
            return;
        }
    }
    match &mut expr.kind {
        HirExprKind::Literal(_)
        | HirExprKind::Local(_)
        | HirExprKind::Constant(_)
        | HirExprKind::Function(_)
        | HirExprKind::GridIndex { .. } => {}
        HirExprKind::Closure(closure) => visit(Part::Block(&mut closure.body)),
        HirExprKind::Unary { operand, .. }
        | HirExprKind::Cast(operand)
        | HirExprKind::Math { operand, .. }
        | HirExprKind::Borrow { operand, .. }
        | HirExprKind::TupleMember { operand, .. }
        | HirExprKind::Field { operand, .. }
        | HirExprKind::CheckedPosition {
            position: operand, ..
        } => of_expr(operand, visit),
        HirExprKind::Binary { op, left, right } if op.is_logical() => {
            of_expr(left, visit);
            visit(Part::Later(right));
        }
        HirExprKind::Binary { left, right, .. }
        | HirExprKind::Pow {
            base: left,
            exponent: right,
        } => {
            of_expr(left, visit);
            of_expr(right, visit);
        }
        HirExprKind::Call { callee, arguments } => {
            match callee {
                Callee::Function(_) | Callee::Method { .. } => {}
                Callee::Value(value) => of_expr(value, visit),
            }
            arguments
                .iter_mut()
                .for_each(|argument| of_expr(argument, visit));
        }
        HirExprKind::Block(block) => visit(Part::Block(block)),
        HirExprKind::If {
            condition,
            then,
            otherwise,
        } => {
            of_expr(condition, visit);
            visit(Part::Block(then));
            if let Some(otherwise) = otherwise {
                visit(Part::Block(otherwise));
            }
        }
        HirExprKind::Tuple(members)
        | HirExprKind::Struct(members)
        | HirExprKind::Print(members) => {
            members.iter_mut().for_each(|member| of_expr(member, visit));
        }
        HirExprKind::Tensor(op) => of_tensor_op(op, visit),
    }
}

fn of_tensor_op(op: &mut TensorOp, visit: &mut dyn FnMut(Part<'_>)) {
    match op {
        TensorOp::Fill(_) => {}
        TensorOp::Literal(members) => {
            members.iter_mut().for_each(|member| of_expr(member, visit));
        }
        TensorOp::Scalar(operand)
        | TensorOp::Clone(operand)
        | TensorOp::Reshape(operand)
        | TensorOp::ToDevice { operand, .. }
        | TensorOp::Permute { operand, .. }
        | TensorOp::Reduce { operand, .. }
        | TensorOp::Sort { operand, .. }
        | TensorOp::ArgSort { operand, .. }
        | TensorOp::TopK { operand, .. } => of_expr(operand, visit),
        TensorOp::Element { tensor, indices } => {
            of_expr(tensor, visit);
            indices.iter_mut().for_each(|index| of_expr(index, visit));
        }
        TensorOp::Slice { tensor, axes } => {
            of_expr(tensor, visit);
            for axis in axes {
                if let SliceAxis::Position(position) = axis {
                    of_expr(position, visit);
                }
            }
        }
        TensorOp::Einsum(einsum) => {
            einsum
                .operands
                .iter_mut()
                .for_each(|operand| of_expr(operand, visit));
        }
        TensorOp::Map { operand, function } => {
            of_expr(operand, visit);
            of_expr(function, visit);
        }
        TensorOp::Zip {
            left,
            right,
            function,
        } => {
            of_expr(left, visit);
            of_expr(right, visit);
            of_expr(function, visit);
        }
        TensorOp::Fold {
            operand,
            initial,
            function,
        } => {
            of_expr(operand, visit);
            of_expr(initial, visit);
            of_expr(function, visit);
        }
    }
}
