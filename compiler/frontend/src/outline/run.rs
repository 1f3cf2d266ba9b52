use neuro_hir::{HirExpr, HirExprKind, HirType, SliceAxis, TensorOp};

/// What an operation takes in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// A tensor, or a scalar that stands for one of rank 0.
    Tensor,
    /// A scalar or a function, as it is.
    Value,
    /// A position of a slice, along an axis of this extent.
    Position { axis: usize, extent: u64 },
}

/// A loop over elements. What builds a tensor, copies one or reads one element is none.
pub(super) fn is_operation(expr: &HirExpr) -> bool {
    match &expr.kind {
        HirExprKind::Unary { .. }
        | HirExprKind::Binary { .. }
        | HirExprKind::Math { .. }
        | HirExprKind::Pow { .. } => matches!(expr.ty, HirType::Tensor(_)),
        HirExprKind::Tensor(op) => match op {
            TensorOp::Slice { .. }
            | TensorOp::Permute { .. }
            | TensorOp::Reshape(_)
            | TensorOp::Reduce { .. }
            | TensorOp::Sort { .. }
            | TensorOp::ArgSort { .. }
            | TensorOp::TopK { .. }
            | TensorOp::Einsum(_)
            | TensorOp::Map { .. }
            | TensorOp::Zip { .. }
            | TensorOp::Fold { .. } => true,
            TensorOp::Literal(_)
            | TensorOp::Fill(_)
            | TensorOp::Scalar(_)
            | TensorOp::Clone(_)
            | TensorOp::Element { .. }
            | TensorOp::ToDevice { .. } => false,
        },
        HirExprKind::Literal(_)
        | HirExprKind::Local(_)
        | HirExprKind::Constant(_)
        | HirExprKind::Function(_)
        | HirExprKind::Closure(_)
        | HirExprKind::Cast(_)
        | HirExprKind::Call { .. }
        | HirExprKind::Borrow { .. }
        | HirExprKind::Block(_)
        | HirExprKind::If { .. }
        | HirExprKind::Tuple(_)
        | HirExprKind::TupleMember { .. }
        | HirExprKind::Struct(_)
        | HirExprKind::Field { .. }
        | HirExprKind::Print(_)
        | HirExprKind::GridIndex { .. }
        | HirExprKind::CheckedPosition { .. } => false,
    }
}

/// An operation, or the one element of one: `t.sum()`.
pub(super) fn is_root(expr: &HirExpr) -> bool {
    is_operation(expr) || only_element(expr).is_some_and(is_operation)
}

/// The tensor of rank 0 whose element this is.
fn only_element(expr: &HirExpr) -> Option<&HirExpr> {
    if let HirExprKind::Tensor(TensorOp::Element { tensor, indices }) = &expr.kind
        && indices.is_empty()
    {
        Some(tensor)
    } else {
        None
    }
}

/// The operation of a root.
pub(super) fn operation_of(root: &mut HirExpr) -> &mut HirExpr {
    if only_element(root).is_none() {
        return root;
    }
    match root {
        HirExpr {
            kind: HirExprKind::Tensor(TensorOp::Element { tensor, .. }),
            ..
        } => tensor,
        operation => operation,
    }
}

/// Calls `visit` with what an expression of operations takes from outside, in order. Where
/// `shallow`, the operations that the first one takes are outside too.
pub(super) fn for_each_leaf(
    operation: &mut HirExpr,
    shallow: bool,
    visit: &mut dyn FnMut(&mut HirExpr, Operand),
) {
    for_each_operand(operation, &mut |slot, operand| match operand {
        Operand::Tensor => {
            unwrap(slot);
            if is_operation(slot) && !shallow {
                for_each_leaf(slot, shallow, visit);
            } else {
                visit(slot, operand);
            }
        }
        // A literal is checked already.
        Operand::Position { .. } if matches!(slot.kind, HirExprKind::Literal(_)) => {}
        Operand::Value | Operand::Position { .. } => visit(slot, operand),
    });
}

/// An operation behind a borrow, or read as its one element, is the operation.
fn unwrap(slot: &mut HirExpr) {
    let inner = if let HirExprKind::Borrow {
        mutable: false,
        operand,
    } = &mut slot.kind
        && is_root(operand)
    {
        operand
    } else if let HirExprKind::Tensor(TensorOp::Element { tensor, indices }) = &mut slot.kind
        && indices.is_empty()
        && is_operation(tensor)
    {
        tensor
    } else {
        return;
    };
    let inner = std::mem::replace(&mut **inner, placeholder());
    *slot = inner;
    unwrap(slot);
}

/// Stands where an expression was taken from.
pub(super) fn placeholder() -> HirExpr {
    HirExpr {
        kind: HirExprKind::Tuple(Vec::new()),
        ty: HirType::Void,
        span: Default::default(),
    }
}

fn for_each_operand(operation: &mut HirExpr, visit: &mut dyn FnMut(&mut HirExpr, Operand)) {
    match &mut operation.kind {
        HirExprKind::Unary { operand, .. } | HirExprKind::Math { operand, .. } => {
            visit(operand, Operand::Tensor);
        }
        HirExprKind::Binary { left, right, .. }
        | HirExprKind::Pow {
            base: left,
            exponent: right,
        } => {
            visit(left, Operand::Tensor);
            visit(right, Operand::Tensor);
        }
        HirExprKind::Tensor(op) => for_each_tensor_operand(op, visit),
        HirExprKind::Literal(_)
        | HirExprKind::Local(_)
        | HirExprKind::Constant(_)
        | HirExprKind::Function(_)
        | HirExprKind::Closure(_)
        | HirExprKind::Cast(_)
        | HirExprKind::Call { .. }
        | HirExprKind::Borrow { .. }
        | HirExprKind::Block(_)
        | HirExprKind::If { .. }
        | HirExprKind::Tuple(_)
        | HirExprKind::TupleMember { .. }
        | HirExprKind::Struct(_)
        | HirExprKind::Field { .. }
        | HirExprKind::Print(_)
        | HirExprKind::GridIndex { .. }
        | HirExprKind::CheckedPosition { .. } => {}
    }
}

fn for_each_tensor_operand(op: &mut TensorOp, visit: &mut dyn FnMut(&mut HirExpr, Operand)) {
    match op {
        TensorOp::Slice { tensor, axes } => {
            let shape = tensor.ty.as_tensor().cloned();
            visit(tensor, Operand::Tensor);
            for (axis, entry) in axes.iter_mut().enumerate() {
                if let SliceAxis::Position(position) = entry {
                    let axes = shape.as_ref().map(|shape| &shape.axes[..]);
                    let extent = axes.and_then(|axes| axes.get(axis)?.extent.known());
                    let extent = extent.unwrap_or(0);
                    visit(position, Operand::Position { axis, extent });
                }
            }
        }
        TensorOp::Permute { operand, .. }
        | TensorOp::Reshape(operand)
        | TensorOp::Reduce { operand, .. }
        | TensorOp::Sort { operand, .. }
        | TensorOp::ArgSort { operand, .. }
        | TensorOp::TopK { operand, .. } => visit(operand, Operand::Tensor),
        TensorOp::Einsum(einsum) => {
            for operand in &mut einsum.operands {
                visit(operand, Operand::Tensor);
            }
        }
        TensorOp::Map { operand, function } => {
            visit(operand, Operand::Tensor);
            visit(function, Operand::Value);
        }
        TensorOp::Zip {
            left,
            right,
            function,
        } => {
            visit(left, Operand::Tensor);
            visit(right, Operand::Tensor);
            visit(function, Operand::Value);
        }
        TensorOp::Fold {
            operand,
            initial,
            function,
        } => {
            visit(operand, Operand::Tensor);
            visit(initial, Operand::Value);
            visit(function, Operand::Value);
        }
        TensorOp::Literal(_)
        | TensorOp::Fill(_)
        | TensorOp::Scalar(_)
        | TensorOp::Clone(_)
        | TensorOp::Element { .. }
        | TensorOp::ToDevice { .. } => {}
    }
}
