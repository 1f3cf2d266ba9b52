use std::collections::{BTreeMap, BTreeSet};

use neuro_hir::LocalId;
use shared_types::Span;

use crate::place::Place;

/// What is known where control stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State {
    /// Control does not come here.
    pub unreachable: bool,
    /// The places that may be moved out of, and where.
    pub moved: BTreeMap<Place, Span>,
    /// What each reference may refer to.
    pub loans: BTreeMap<LocalId, Loans>,
    /// The references that may not be used any more, and why.
    pub stale: BTreeMap<LocalId, (Place, Span)>,
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
        for (place, span) in other.moved {
            self.moved.entry(place).or_insert(span);
        }
        for (local, loans) in other.loans {
            self.loans.entry(local).or_default().extend(loans);
        }
        for (local, why) in other.stale {
            self.stale.entry(local).or_insert(why);
        }
    }

    /// Nothing may be known of a loop's second turn that is not known of its first.
    pub fn covers(&self, other: &State) -> bool {
        let mut joined = self.clone();
        joined.join(other.clone());
        joined == *self
    }

    /// A local that is bound anew, or ends.
    pub fn forget(&mut self, local: LocalId) {
        self.moved.retain(|place, _| place.local != local);
        self.loans.remove(&local);
        self.stale.remove(&local);
    }

    /// A local refers to these.
    pub fn refer(&mut self, local: LocalId, loans: Loans) {
        if loans.is_empty() {
            self.loans.remove(&local);
        } else {
            self.loans.insert(local, loans);
        }
    }

    /// References to the place that its use ends.
    pub fn end_loans(&mut self, place: &Place, changes: bool, span: Span) {
        for (local, loans) in &self.loans {
            if *local != place.local && loans.iter().any(|loan| loan.ends_by(place, changes)) {
                self.stale.entry(*local).or_insert((place.clone(), span));
            }
        }
    }
}
