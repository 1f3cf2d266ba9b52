use ast_types::{BinaryOp, UnaryOp};
use neuro_hir::{HirExpr, HirExprKind, HirNode, HirStatementKind, HirType, SliceAxis, TensorOp};

use super::run::{Operand, for_each_leaf, is_operation};

/// Whether what stands within a node may change a local: a `&mut` is taken or handed on, or a
/// block assigns. A statement's own assignment comes last, and does not count.
pub(super) fn may_write(node: HirNode<'_>) -> bool {
    let within = match node {
        HirNode::Expr(_) => 0,
        HirNode::Statement(_) | HirNode::Block(_) => 1,
    };
    node.descendants().skip(within).any(|node| match node {
        HirNode::Statement(statement) => matches!(
            statement.kind,
            HirStatementKind::Assign { .. } | HirStatementKind::CompoundAssign { .. }
        ),
        HirNode::Expr(expr) => hands_on_mut(expr),
        HirNode::Block(_) => false,
    })
}

fn hands_on_mut(expr: &HirExpr) -> bool {
    if let HirExprKind::Call { arguments, .. } = &expr.kind {
        let is_mut = |ty: &HirType| matches!(ty, HirType::Reference { mutable: true, .. });
        arguments.iter().any(|argument| is_mut(&argument.ty))
    } else {
        matches!(expr.kind, HirExprKind::Borrow { mutable: true, .. })
    }
}

/// Whether a traversal stands within a node: it calls a function, which may do anything.
pub(super) fn traverses(node: HirNode<'_>) -> bool {
    any_evaluated(node, |expr| {
        matches!(
            expr.kind,
            HirExprKind::Tensor(
                TensorOp::Map { .. } | TensorOp::Zip { .. } | TensorOp::Fold { .. }
            )
        )
    })
}

/// Whether scalar code within a node may be noticed when it runs: it calls, prints or fails.
pub(super) fn may_act(node: HirNode<'_>) -> bool {
    let is_integer = |ty: &HirType| matches!(ty, HirType::Scalar(scalar) if scalar.is_integer());
    let is_literal = |expr: &HirExpr| matches!(expr.kind, HirExprKind::Literal(_));
    any_evaluated(node, |expr| match &expr.kind {
        HirExprKind::Call { .. } | HirExprKind::Print(_) | HirExprKind::CheckedPosition { .. } => {
            true
        }
        HirExprKind::Binary { op, .. } => is_integer(&expr.ty) && *op != BinaryOp::MatMul,
        HirExprKind::Unary { op, .. } => is_integer(&expr.ty) && *op == UnaryOp::Neg,
        HirExprKind::Tensor(TensorOp::Element { indices, .. }) => !indices.iter().all(is_literal),
        HirExprKind::Tensor(TensorOp::Slice { axes, .. }) => axes.iter().any(|axis| match axis {
            SliceAxis::Position(position) => !is_literal(position),
            SliceAxis::Range { .. } => false,
        }),
        _ => false,
    })
}

/// Whether what a leaf does must be done where it stands, and not before all operations: it writes,
/// or a function is called before it. The operations then go by themselves.
pub(super) fn keeps_its_place(operation: &mut HirExpr) -> bool {
    let (mut writes, mut acts, mut calls) = (false, false, false);
    for_each_leaf(operation, false, &mut |leaf, operand| {
        let node = HirNode::from(&*leaf);
        writes |= may_write(node);
        acts |= may_act(node) || matches!(operand, Operand::Position { .. });
    });
    // The operation itself comes last.
    for_each_leaf(operation, true, &mut |operand, _| {
        calls |= is_operation(operand) && traverses(HirNode::from(&*operand));
    });
    writes || acts && calls
}

/// Whether `is` holds of an expression that is evaluated with a node; a closure's body is not.
fn any_evaluated(node: HirNode<'_>, is: impl Fn(&HirExpr) -> bool) -> bool {
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        if let HirNode::Expr(expr) = node {
            if is(expr) {
                return true;
            }
            if let HirExprKind::Closure(_) = expr.kind {
                continue;
            }
        }
        node.for_each_child(|child| pending.push(child));
    }
    false
}
