use neuro_hir::{HirExpr, HirExprKind, HirType, LocalId};

/// A local, or a part of what it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub local: LocalId,
    pub path: Vec<Step>,
    /// A reference stands on the way: the local does not own the part.
    pub behind_reference: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Field(String),
    Member(usize),
}

impl Place {
    pub fn local(local: LocalId) -> Self {
        Place {
            local,
            path: Vec::new(),
            behind_reference: false,
        }
    }

    /// The place that an expression names, where it names one.
    pub fn of(expr: &HirExpr) -> Option<Self> {
        let (operand, step) = match &expr.kind {
            HirExprKind::Local(id) => return Some(Place::local(*id)),
            HirExprKind::Field { operand, name } => (operand, Step::Field(name.clone())),
            HirExprKind::TupleMember { operand, index } => (operand, Step::Member(*index)),
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
        };
        let mut place = Place::of(operand)?;
        place.path.push(step);
        place.behind_reference |= matches!(operand.ty, HirType::Reference { .. });
        Some(place)
    }

    /// One of the two is a part of the other.
    pub fn overlaps(&self, other: &Place) -> bool {
        let shared = self.path.len().min(other.path.len());
        self.local == other.local && self.path[..shared] == other.path[..shared]
    }

    /// `part` is this place or a part of it.
    pub fn holds(&self, part: &Place) -> bool {
        self.local == part.local && part.path.starts_with(&self.path)
    }
}
