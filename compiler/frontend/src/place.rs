use neuro_hir::{HirExpr, HirPlace, HirType, LocalId};

/// A local, or a part of what it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub local: LocalId,
    pub path: Vec<Step>,
    /// A reference stands on the way: the local does not own the part.
    pub behind_reference: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
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

    /// The place that an expression names, where it names one. An element is no place of its own:
    /// it does not move out of its tensor.
    pub fn of(expr: &HirExpr) -> Option<Self> {
        let (operand, step) = match expr.place()? {
            HirPlace::Local(id) => return Some(Place::local(id)),
            HirPlace::Field { of, name } => (of, Step::Field(name.to_string())),
            HirPlace::Member { of, index } => (of, Step::Member(index)),
            HirPlace::Element { .. } => return None,
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
