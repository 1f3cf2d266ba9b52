use crate::{HirExpr, HirExprKind, HirType, LocalId, TensorOp};

/// Where what a place names is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// In a local.
    Local(LocalId),
    /// Behind references; mutable where all are.
    Reference { mutable: bool },
    /// Nowhere: the value was just made.
    Temporary,
}

/// Where the value of `place` itself is kept: in the local at its root, or behind the first
/// reference on the way there.
pub(super) fn of_value(mut place: &HirExpr) -> Storage {
    loop {
        place = match &place.kind {
            HirExprKind::Local(id) => return Storage::Local(*id),
            HirExprKind::Field { operand, name: _ }
            | HirExprKind::TupleMember { operand, index: _ }
            | HirExprKind::Tensor(TensorOp::Element {
                tensor: operand,
                indices: _,
            }) => operand,
            HirExprKind::Literal(_)
            | HirExprKind::Constant(_)
            | HirExprKind::Function(_)
            | HirExprKind::Closure(_)
            | HirExprKind::Unary { .. }
            | HirExprKind::Binary { .. }
            | HirExprKind::Cast(_)
            | HirExprKind::Math { .. }
            | HirExprKind::Pow { .. }
            | HirExprKind::Call { .. }
            | HirExprKind::Borrow { .. }
            | HirExprKind::Block(_)
            | HirExprKind::If { .. }
            | HirExprKind::Tuple(_)
            | HirExprKind::Struct(_)
            | HirExprKind::Print(_)
            | HirExprKind::GridIndex { .. }
            | HirExprKind::CheckedPosition { .. }
            | HirExprKind::Tensor(_) => return Storage::Temporary,
        };
        if let Some(mutable) = behind(&place.ty) {
            return Storage::Reference { mutable };
        }
    }
}

/// Where what `place` stands for is kept: behind its references where it is one.
pub(super) fn of_referent(place: &HirExpr) -> Storage {
    match behind(&place.ty) {
        Some(mutable) => Storage::Reference { mutable },
        None => of_value(place),
    }
}

/// Whether all references are mutable, where there are any.
fn behind(mut ty: &HirType) -> Option<bool> {
    let mut all = None;
    while let HirType::Reference { mutable, target } = ty {
        all = Some(all.unwrap_or(true) && *mutable);
        ty = target;
    }
    all
}

/// What a reborrow is to: `&operand`, where the operand is a reference itself, may be one to what
/// that refers to.
pub(super) fn reborrowed<'a>(borrow: &HirExpr, operand: &'a HirExpr) -> Option<&'a HirType> {
    if let HirType::Reference { target: to, .. } = &borrow.ty
        && let HirType::Reference { target: of, .. } = &operand.ty
        && to.agrees(of)
    {
        Some(of)
    } else {
        None
    }
}
