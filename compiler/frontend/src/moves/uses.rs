use neuro_hir::{HirExpr, HirExprKind, HirType, LocalId, TensorOp};
use shared_types::Span;

use super::flow::Flow;
use super::state::{Loan, Loans};
use crate::Diagnostic;
use crate::place::Place;

/// What is done with what a place holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Change,
    Move,
}

impl Flow<'_> {
    pub fn name(&self, place: &Place) -> &str {
        &self.function.local(place.local).name
    }

    pub fn is_reference(&self, local: LocalId) -> bool {
        matches!(self.function.local(local).ty, HirType::Reference { .. })
    }

    /// Reads what an expression names, where it names something.
    pub fn read(&mut self, expr: &HirExpr) {
        match Place::of(expr) {
            Some(place) => self.use_place(&place, Use::Read, expr.span),
            None => {
                self.value(expr);
            }
        }
    }

    pub fn assign(&mut self, target: &HirExpr, loans: Loans) {
        let Some(place) = Place::of(target) else {
            return self.change(target);
        };
        if place.behind_reference {
            return self.use_place(&place, Use::Change, target.span);
        }
        self.check_held(&place, true, target.span);
        self.state.unmove(&place);
        self.state.end_loans(&place, true, target.span);
        if place.path.is_empty() {
            self.state.revive(place.local);
            self.state.refer(place.local, loans);
        }
    }

    /// Changes a part of what a place holds.
    pub fn change(&mut self, place: &HirExpr) {
        if let HirExprKind::Tensor(TensorOp::Element { tensor, indices }) = &place.kind {
            for index in indices {
                self.value(index);
            }
            return self.change(tensor);
        }
        match Place::of(place) {
            Some(found) => self.use_place(&found, Use::Change, place.span),
            None => {
                self.value(place);
            }
        }
    }

    pub fn use_place(&mut self, place: &Place, how: Use, span: Span) {
        if self.state.unreachable {
            return;
        }
        self.check_usable(place, span);
        let changes = how != Use::Read;
        self.check_held(place, changes, span);
        self.state.end_loans(place, changes, span);
        if how != Use::Move {
            return;
        }
        if place.behind_reference {
            let name = self.name(place);
            let fault = Diagnostic::new(
                span,
                format!("this cannot be moved out of `{name}`, which is borrowed"),
            )
            .help("borrow it with `&`, or copy it with `.clone()`");
            self.faults.report(fault);
            return;
        }
        self.state.moves(place, span);
    }

    /// Reports a place that cannot be used any more; once, since the rest follows from it.
    fn check_usable(&mut self, place: &Place, span: Span) {
        if let Some(at) = self.state.take_moved(place) {
            let name = self.name(place);
            let mut fault = Diagnostic::new(span, format!("`{name}` is used after it was moved"));
            if at == span {
                fault = fault.help("it is moved in an earlier turn of the loop");
            } else {
                fault = fault.note(at, "it was moved here");
            }
            let fault = fault.help("borrow it there with `&`, or copy it with `.clone()`");
            self.faults.report(fault);
        }
        if let Some((other, at)) = self.state.revive(place.local) {
            let (name, other) = (self.name(place), self.name(&other));
            let message = format!("`{name}` refers to `{other}`, which has changed since");
            let fault = Diagnostic::new(span, message).note(at, "it was moved or used here");
            self.faults.report(fault);
        }
    }

    fn check_held(&mut self, place: &Place, changes: bool, span: Span) {
        let held = self
            .held
            .iter()
            .find(|(loan, _)| loan.ends_by(place, changes));
        if let Some((loan, at)) = held {
            let name = self.name(place);
            let how = if loan.mutable { "`&mut`" } else { "`&`" };
            let message = format!("`{name}` is used here, and taken as {how} beside it");
            let fault = Diagnostic::new(span, message).note(*at, "it is taken here");
            self.faults.report(fault);
        }
    }

    /// A reference that is returned must come from a parameter that is one.
    pub fn escapes(&mut self, loans: Loans, span: Span) {
        for loan in loans {
            if !self.is_reference(loan.place.local) && !self.state.unreachable {
                let name = self.name(&loan.place);
                let message = format!("`{name}` ends with this function, and is borrowed past it");
                self.faults.report(Diagnostic::new(span, message));
            }
        }
    }

    /// What a reference to a place refers to: the place, and what a reference there was made of.
    pub fn loans_through(&self, place: Place, mutable: bool) -> Loans {
        let mut loans = self.state.loans(place.local);
        loans.insert(Loan { place, mutable });
        loans
    }
}
