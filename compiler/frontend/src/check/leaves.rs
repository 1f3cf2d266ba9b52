use neuro_hir::{HirBlock, HirExpr, HirExprKind, HirNode, HirStatement, HirStatementKind};

/// Whether control leaves the block, and never comes to what follows it: it returns, ends or
/// repeats a loop, or is in a `loop` without `break`.
pub(super) fn leaves(block: &HirBlock) -> bool {
    block.statements.iter().any(statement_leaves)
        || block.value.as_ref().is_some_and(|value| leaves_expr(value))
}

fn statement_leaves(statement: &HirStatement) -> bool {
    match &statement.kind {
        HirStatementKind::Return(_) | HirStatementKind::Break | HirStatementKind::Continue => true,
        HirStatementKind::Loop { body } => !breaks(body),
        HirStatementKind::Expr(expr) | HirStatementKind::Bind { value: expr, .. } => {
            leaves_expr(expr)
        }
        HirStatementKind::Assign { .. }
        | HirStatementKind::CompoundAssign { .. }
        | HirStatementKind::While { .. }
        | HirStatementKind::For { .. } => false,
    }
}

pub(super) fn leaves_expr(expr: &HirExpr) -> bool {
    if let HirExprKind::Block(block) = &expr.kind {
        leaves(block)
    } else if let HirExprKind::If {
        then,
        otherwise: Some(otherwise),
        ..
    } = &expr.kind
    {
        leaves(then) && leaves(otherwise)
    } else {
        false
    }
}

/// Whether a `break` of this loop stands in its body.
fn breaks(body: &HirBlock) -> bool {
    let mut pending = vec![HirNode::from(body)];
    while let Some(node) = pending.pop() {
        match node {
            HirNode::Statement(statement) => match &statement.kind {
                HirStatementKind::Break => return true,
                // Another loop's body has breaks of its own.
                HirStatementKind::Loop { .. }
                | HirStatementKind::While { .. }
                | HirStatementKind::For { .. } => continue,
                HirStatementKind::Bind { .. }
                | HirStatementKind::Assign { .. }
                | HirStatementKind::CompoundAssign { .. }
                | HirStatementKind::Expr(_)
                | HirStatementKind::Continue
                | HirStatementKind::Return(_) => {}
            },
            HirNode::Expr(HirExpr {
                kind: HirExprKind::Closure(_),
                ..
            }) => continue,
            HirNode::Block(_) | HirNode::Expr(_) => {}
        }
        node.for_each_child(|child| pending.push(child));
    }
    false
}
