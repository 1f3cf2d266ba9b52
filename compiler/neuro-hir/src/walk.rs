use crate::{
    Callee, HirBlock, HirExpr, HirExprKind, HirStatement, HirStatementKind, SliceAxis, TensorOp,
};

/// A part of a body.
#[derive(Clone, Copy, Debug)]
pub enum HirNode<'a> {
    Block(&'a HirBlock),
    Statement(&'a HirStatement),
    Expr(&'a HirExpr),
}

impl<'a> HirNode<'a> {
    /// Calls `visit` with each node directly below this one, in source order.
    pub fn for_each_child(self, mut visit: impl FnMut(HirNode<'a>)) {
        match self {
            HirNode::Block(block) => {
                block.statements.iter().for_each(|s| visit(s.into()));
                block
                    .value
                    .iter()
                    .for_each(|value| visit((&**value).into()));
            }
            HirNode::Statement(statement) => statement_children(statement, &mut visit),
            HirNode::Expr(expr) => expr_children(expr, &mut visit),
        }
    }

    /// This node and all below it, each before those below it, in source order. Deep trees are
    /// walked without recursion.
    pub fn descendants(self) -> impl Iterator<Item = HirNode<'a>> {
        let mut pending = vec![self];
        std::iter::from_fn(move || {
            let node = pending.pop()?;
            let first = pending.len();
            node.for_each_child(|child| pending.push(child));
            pending[first..].reverse();
            Some(node)
        })
    }

    /// How many nodes deep this one nests, itself included.
    pub fn depth(self) -> usize {
        let mut deepest = 0;
        let mut pending = vec![(self, 1)];
        while let Some((node, depth)) = pending.pop() {
            deepest = deepest.max(depth);
            node.for_each_child(|child| pending.push((child, depth + 1)));
        }
        deepest
    }
}

impl<'a> From<&'a HirBlock> for HirNode<'a> {
    fn from(block: &'a HirBlock) -> Self {
        HirNode::Block(block)
    }
}

impl<'a> From<&'a HirStatement> for HirNode<'a> {
    fn from(statement: &'a HirStatement) -> Self {
        HirNode::Statement(statement)
    }
}

impl<'a> From<&'a HirExpr> for HirNode<'a> {
    fn from(expr: &'a HirExpr) -> Self {
        HirNode::Expr(expr)
    }
}

fn statement_children<'a>(statement: &'a HirStatement, visit: &mut impl FnMut(HirNode<'a>)) {
    match &statement.kind {
        HirStatementKind::Bind { pattern: _, value } => visit(value.into()),
        HirStatementKind::Assign { place, value }
        | HirStatementKind::CompoundAssign {
            op: _,
            place,
            value,
        } => {
            visit(place.into());
            visit(value.into());
        }
        HirStatementKind::Expr(expr) => visit(expr.into()),
        HirStatementKind::While { condition, body } => {
            visit(condition.into());
            visit(body.into());
        }
        HirStatementKind::Loop { body } => visit(body.into()),
        HirStatementKind::For {
            local: _,
            start,
            end,
            inclusive: _,
            body,
        } => {
            visit(start.into());
            visit(end.into());
            visit(body.into());
        }
        HirStatementKind::Break | HirStatementKind::Continue => {}
        HirStatementKind::Return(value) => value.iter().for_each(|value| visit(value.into())),
    }
}

fn expr_children<'a>(expr: &'a HirExpr, visit: &mut impl FnMut(HirNode<'a>)) {
    match &expr.kind {
        HirExprKind::Literal(_)
        | HirExprKind::Local(_)
        | HirExprKind::Constant(_)
        | HirExprKind::Function(_)
        | HirExprKind::GridIndex { of: _, axis: _ } => {}
        HirExprKind::Closure(closure) => visit((&closure.body).into()),
        HirExprKind::Unary { op: _, operand }
        | HirExprKind::Cast(operand)
        | HirExprKind::Math {
            function: _,
            operand,
        }
        | HirExprKind::Borrow {
            mutable: _,
            operand,
        }
        | HirExprKind::TupleMember { operand, index: _ }
        | HirExprKind::Field { operand, name: _ }
        | HirExprKind::CheckedPosition {
            position: operand,
            axis: _,
            extent: _,
        } => visit((&**operand).into()),
        HirExprKind::Binary { op: _, left, right }
        | HirExprKind::Pow {
            base: left,
            exponent: right,
        } => {
            visit((&**left).into());
            visit((&**right).into());
        }
        HirExprKind::Call { callee, arguments } => {
            match callee {
                Callee::Function(_) | Callee::Method { owner: _, name: _ } => {}
                Callee::Value(value) => visit((&**value).into()),
            }
            arguments.iter().for_each(|argument| visit(argument.into()));
        }
        HirExprKind::Block(block) => visit(block.into()),
        HirExprKind::If {
            condition,
            then,
            otherwise,
        } => {
            visit((&**condition).into());
            visit(then.into());
            otherwise.iter().for_each(|block| visit(block.into()));
        }
        HirExprKind::Tuple(members)
        | HirExprKind::Struct(members)
        | HirExprKind::Print(members) => {
            members.iter().for_each(|member| visit(member.into()));
        }
        HirExprKind::Tensor(op) => op.for_each_operand(|operand| visit(operand.into())),
    }
}

impl TensorOp {
    /// Calls `visit` with each expression that the operation takes, in source order.
    pub fn for_each_operand<'a>(&'a self, mut visit: impl FnMut(&'a HirExpr)) {
        match self {
            TensorOp::Fill(_) => {}
            TensorOp::Literal(elements) => elements.iter().for_each(visit),
            TensorOp::Scalar(operand)
            | TensorOp::Clone(operand)
            | TensorOp::Reshape(operand)
            | TensorOp::Permute { operand, axes: _ }
            | TensorOp::Reduce {
                op: _,
                operand,
                axis: _,
            }
            | TensorOp::Sort {
                operand,
                axis: _,
                descending: _,
            }
            | TensorOp::ArgSort {
                operand,
                axis: _,
                descending: _,
            }
            | TensorOp::TopK {
                operand,
                axis: _,
                k: _,
            }
            | TensorOp::ToDevice { operand, device: _ } => visit(operand),
            TensorOp::Element { tensor, indices } => {
                visit(tensor);
                indices.iter().for_each(visit);
            }
            TensorOp::Slice { tensor, axes } => {
                visit(tensor);
                for axis in axes {
                    match axis {
                        SliceAxis::Position(position) => visit(position),
                        SliceAxis::Range { .. } => {}
                    }
                }
            }
            TensorOp::Einsum(einsum) => einsum.operands.iter().for_each(visit),
            TensorOp::Map { operand, function } => {
                visit(operand);
                visit(function);
            }
            TensorOp::Zip {
                left,
                right,
                function,
            } => {
                visit(left);
                visit(right);
                visit(function);
            }
            TensorOp::Fold {
                operand,
                initial,
                function,
            } => {
                visit(operand);
                visit(initial);
                visit(function);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;
    use ast_types::BinaryOp;
    use shared_types::ScalarType;

    #[test]
    fn nodes_come_in_source_order() {
        let number = |value| build::integer(value, ScalarType::I32);
        let sum = build::binary(BinaryOp::Add, number(1), number(2));
        let block = build::block([HirStatementKind::Expr(sum)], Some(number(3)));
        let seen: Vec<String> = HirNode::from(&block)
            .descendants()
            .map(|node| match node {
                HirNode::Block(_) => "block".into(),
                HirNode::Statement(_) => "statement".into(),
                HirNode::Expr(expr) => match &expr.kind {
                    HirExprKind::Literal(value) => value.to_string(),
                    other => format!("{other:?}").chars().take(6).collect(),
                },
            })
            .collect();
        assert_eq!(seen, ["block", "statement", "Binary", "1", "2", "3"]);
        assert_eq!(HirNode::from(&block).depth(), 4);
    }
}
