//! What an expression names, and where that is kept.

use crate::{HirExpr, HirExprKind, HirType, LocalId, TensorOp};

/// What a place is: a local, or a part of what another expression stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HirPlace<'a> {
    Local(LocalId),
    Field {
        of: &'a HirExpr,
        name: &'a str,
    },
    Member {
        of: &'a HirExpr,
        index: usize,
    },
    Element {
        of: &'a HirExpr,
        indices: &'a [HirExpr],
    },
}

/// Where what a place names is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In a local.
    Local(LocalId),
    /// Behind references; mutable where all are.
    Reference { mutable: bool },
    /// Nowhere: the value was just made.
    Temporary,
}

impl HirExpr {
    /// The place that the expression is; none where it makes a value.
    pub fn place(&self) -> Option<HirPlace<'_>> {
        Some(match &self.kind {
            HirExprKind::Local(id) => HirPlace::Local(*id),
            HirExprKind::Field { operand: of, name } => HirPlace::Field { of, name },
            HirExprKind::TupleMember { operand: of, index } => {
                let index = *index;
                HirPlace::Member { of, index }
            }
            HirExprKind::Tensor(TensorOp::Element {
                tensor: of,
                indices,
            }) => HirPlace::Element { of, indices },
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
            | HirExprKind::Tensor(_) => return None,
        })
    }

    /// Where the value itself is kept: in the local at the root of its place, or behind the first
    /// reference on the way there.
    pub fn storage(&self) -> Storage {
        let mut expr = self;
        loop {
            expr = match expr.place() {
                Some(HirPlace::Local(id)) => return Storage::Local(id),
                Some(
                    HirPlace::Field { of, .. }
                    | HirPlace::Member { of, .. }
                    | HirPlace::Element { of, .. },
                ) => of,
                None => return Storage::Temporary,
            };
            if let Some(mutable) = behind(&expr.ty) {
                return Storage::Reference { mutable };
            }
        }
    }

    /// Where what the expression stands for is kept: behind its references where it is one.
    pub fn referent_storage(&self) -> Storage {
        match behind(&self.ty) {
            Some(mutable) => Storage::Reference { mutable },
            None => self.storage(),
        }
    }

    /// What a reborrow is to: `&operand`, where the operand is a reference itself, may be one to
    /// what that refers to. None for another expression.
    pub fn reborrowed(&self) -> Option<&HirType> {
        if let HirExprKind::Borrow { operand, .. } = &self.kind
            && let HirType::Reference { target: to, .. } = &self.ty
            && let HirType::Reference { target: of, .. } = &operand.ty
            && to.agrees(of)
        {
            Some(of)
        } else {
            None
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TensorType;
    use crate::build::{element, expr, integer, local};
    use shared_types::ScalarType::I32;

    fn member(operand: HirExpr, ty: HirType) -> HirExpr {
        let operand = Box::new(operand);
        expr(HirExprKind::TupleMember { operand, index: 0 }, ty)
    }

    #[test]
    fn a_place_leads_to_its_local_or_to_a_reference() {
        let tensor = || HirType::from(TensorType::new(I32, &[2]));
        let pair = |ty: HirType| local(LocalId(3), HirType::Tuple(vec![ty]));
        let of = |ty: HirType| element(member(pair(ty.clone()), ty), [integer(0, I32)]);
        assert_eq!(of(tensor()).storage(), Storage::Local(LocalId(3)));
        for (outer, inner) in [(true, true), (true, false), (false, true)] {
            let behind = HirType::reference(outer, HirType::reference(inner, tensor()));
            let mutable = outer && inner;
            assert_eq!(of(behind).storage(), Storage::Reference { mutable });
        }
        let made = expr(HirExprKind::Tuple(vec![]), HirType::Tuple(vec![]));
        assert_eq!(member(made, tensor()).storage(), Storage::Temporary);
    }

    #[test]
    fn a_reference_stands_for_what_is_behind_it() {
        let r = local(LocalId(0), HirType::reference(true, I32.into()));
        assert_eq!(r.storage(), Storage::Local(LocalId(0)));
        assert_eq!(r.referent_storage(), Storage::Reference { mutable: true });
    }
}
