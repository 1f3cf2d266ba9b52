use std::collections::{BTreeMap, BTreeSet};

use neuro_hir::LocalId;
use shared_types::Span;

use super::locals::Locals;
use crate::place::Place;

/// What is known where control stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State {
    /// Control does not come here.
    pub unreachable: bool,
    /// The places of each local that may be moved out of, and where.
    moved: Locals<BTreeMap<Place, Span>>,
    /// What each reference may refer to.
    loans: Locals<Loans>,
    /// The references that each local lends a part to, as `&mut` or not.
    lent: Locals<BTreeSet<(bool, LocalId)>>,
    /// The references that may not be used any more, and why.
    stale: Locals<(Place, Span)>,
}

/// What an expression's value refers to.
pub(super) type Loans = BTreeSet<Loan>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Loan {
    pub place: Place,
    pub mutable: bool,
}

impl Loan {
    /// Whether using `place`, to change it or not, ends the loan.
    pub fn ends_by(&self, place: &Place, changes: bool) -> bool {
        (changes || self.mutable) && self.place.overlaps(place)
    }
}

impl State {
    pub fn unreachable() -> Self {
        State {
            unreachable: true,
            ..State::default()
        }
    }

    /// What is known where two ways meet: what holds on either.
    pub fn join(&mut self, other: State) {
        if other.unreachable {
            return;
        }
        if self.unreachable {
            *self = other;
            return;
        }
        self.moved.join(&other.moved, |moved, more| {
            for (place, &span) in more {
                moved.entry(place.clone()).or_insert(span);
            }
        });
        self.loans.join(&other.loans, |loans, more| {
            loans.extend(more.iter().cloned())
        });
        self.lent.join(&other.lent, |lent, more| lent.extend(more));
        self.stale.join(&other.stale, |_, _| {});
    }

    /// Nothing may be known of a loop's second turn that is not known of its first.
    pub fn covers(&self, other: &State) -> bool {
        let mut joined = self.clone();
        joined.join(other.clone());
        joined == *self
    }

    /// A local that is bound anew, or ends.
    pub fn forget(&mut self, local: LocalId) {
        self.moved.remove(local);
        self.refer(local, Loans::new());
        self.revive(local);
    }

    pub fn moves(&mut self, place: &Place, span: Span) {
        let moved = self.moved.entry(place.local).or_default();
        moved.entry(place.clone()).or_insert(span);
    }

    /// The places that have been moved out of, and where.
    pub fn moved(&self) -> impl Iterator<Item = (&Place, Span)> {
        let moved = self.moved.values().flatten();
        moved.map(|(place, &span)| (place, span))
    }

    pub fn is_moved(&self, place: &Place) -> bool {
        let moved = self.moved.get(place.local);
        moved.is_some_and(|moved| moved.contains_key(place))
    }

    /// Where the first place that shares something with this one has been moved out of, which is
    /// then forgotten.
    pub fn take_moved(&mut self, place: &Place) -> Option<Span> {
        let mut moved = self.moved.get(place.local)?.iter();
        let (first, &span) = moved.find(|(moved, _)| moved.overlaps(place))?;
        let first = first.clone();
        self.keep_moved(place.local, |moved| *moved != first);
        Some(span)
    }

    /// Nothing that the place holds is moved any more.
    pub fn unmove(&mut self, place: &Place) {
        self.keep_moved(place.local, |moved| !place.holds(moved));
    }

    fn keep_moved(&mut self, local: LocalId, keeps: impl Fn(&Place) -> bool) {
        if let Some(mut moved) = self.moved.remove(local) {
            moved.retain(|place, _| keeps(place));
            if !moved.is_empty() {
                self.moved.entry(local).or_insert(moved);
            }
        }
    }

    pub fn loans(&self, local: LocalId) -> Loans {
        self.loans.get(local).cloned().unwrap_or_default()
    }

    /// A local refers to these.
    pub fn refer(&mut self, local: LocalId, loans: Loans) {
        for loan in self.loans.remove(local).into_iter().flatten() {
            let lender = loan.place.local;
            let lent = self.lent.entry(lender).or_default();
            lent.remove(&(loan.mutable, local));
            if lent.is_empty() {
                self.lent.remove(lender);
            }
        }
        for loan in &loans {
            let lent = self.lent.entry(loan.place.local).or_default();
            lent.insert((loan.mutable, local));
        }
        if !loans.is_empty() {
            self.loans.entry(local).or_insert(loans);
        }
    }

    /// References to the place that its use ends.
    pub fn end_loans(&mut self, place: &Place, changes: bool, span: Span) {
        let Some(lent) = self.lent.get(place.local) else {
            return;
        };
        let ends = |local: &LocalId| {
            let loans = self.loans.get(*local);
            *local != place.local
                && loans.is_some_and(|loans| loans.iter().any(|loan| loan.ends_by(place, changes)))
        };
        // Reading ends what may change.
        let lent = lent.range((!changes, LocalId(0))..);
        let ended: Vec<LocalId> = lent.map(|&(_, local)| local).filter(ends).collect();
        for local in ended {
            let why = self.stale.entry(local);
            why.or_insert_with(|| (place.clone(), span));
        }
    }

    /// Why a reference may not be used, which is then forgotten.
    pub fn revive(&mut self, local: LocalId) -> Option<(Place, Span)> {
        self.stale.remove(local)
    }
}
