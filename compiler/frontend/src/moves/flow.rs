use neuro_hir::{
    HirBlock, HirExpr, HirExprKind, HirFunction, HirNode, HirPattern, HirStatement,
    HirStatementKind, HirType, LocalId, TensorOp,
};
use shared_types::Span;

use super::Types;
use super::state::{Loan, Loans, State};
use super::uses::Use;
use crate::Diagnostic;
use crate::faults::Faults;
use crate::place::Place;

/// A loop is walked a second time where its first turn moves something, which doubles at each
/// loop around it: past this many the first turn must leave everything as it was.
const MOST_LOOPS_WALKED_TWICE: usize = 4;

/// A function as control goes through it.
pub(super) struct Flow<'a> {
    pub function: &'a HirFunction,
    types: &'a mut Types,
    pub faults: &'a mut Faults,
    pub state: State,
    loops: Vec<Loop>,
    /// What the operands before the one that is walked have borrowed.
    pub held: Vec<(Loan, Span)>,
}

/// What is known where a loop is left, and where it starts again.
struct Loop {
    broken: State,
    repeated: State,
}

impl<'a> Flow<'a> {
    pub fn new(function: &'a HirFunction, types: &'a mut Types, faults: &'a mut Faults) -> Self {
        Flow {
            function,
            types,
            faults,
            state: State::default(),
            loops: Vec::new(),
            held: Vec::new(),
        }
    }

    pub fn function(mut self) {
        let body = &self.function.body;
        for statement in &body.statements {
            self.statement(statement);
        }
        if let Some(value) = &body.value {
            let loans = self.value(value);
            self.escapes(loans, value.span);
        }
    }

    /// What the block's value refers to. What it binds ends with it.
    fn block(&mut self, block: &HirBlock) -> Loans {
        for statement in &block.statements {
            self.statement(statement);
        }
        let mut loans = match &block.value {
            Some(value) => self.value(value),
            None => Loans::new(),
        };
        for local in block.statements.iter().flat_map(bound) {
            let place = Place::local(local);
            if !self.is_reference(local) {
                if loans.iter().any(|loan| loan.place.local == local) && !self.state.unreachable {
                    let name = self.name(&place);
                    let message = format!("`{name}` ends with this block, and is borrowed past it");
                    self.faults.report(Diagnostic::new(block.span, message));
                }
                self.state.end_loans(&place, true, block.span);
            }
            loans.retain(|loan| loan.place.local != local);
            self.state.forget(local);
        }
        loans
    }

    fn statement(&mut self, statement: &HirStatement) {
        match &statement.kind {
            HirStatementKind::Bind { pattern, value } => {
                let loans = self.value(value);
                for &local in locals(pattern) {
                    self.state.forget(local);
                }
                if let HirPattern::Local(id) = pattern {
                    self.state.refer(*id, loans);
                }
            }
            HirStatementKind::Assign { place, value } => {
                let loans = self.value(value);
                self.assign(place, loans);
            }
            HirStatementKind::CompoundAssign { place, value, .. } => {
                self.value(value);
                self.change(place);
            }
            HirStatementKind::Expr(expr) => {
                self.value(expr);
            }
            HirStatementKind::While { condition, body } => self.turns(|flow| {
                flow.value(condition);
                let left = flow.state.clone();
                flow.block(body);
                left
            }),
            HirStatementKind::Loop { body } => self.turns(|flow| {
                flow.block(body);
                State::unreachable()
            }),
            HirStatementKind::For {
                start, end, body, ..
            } => {
                self.value(start);
                self.value(end);
                self.turns(|flow| {
                    let left = flow.state.clone();
                    flow.block(body);
                    left
                });
            }
            HirStatementKind::Break => self.leave(|innermost| &mut innermost.broken),
            HirStatementKind::Continue => self.leave(|innermost| &mut innermost.repeated),
            HirStatementKind::Return(value) => {
                if let Some(value) = value {
                    let loans = self.value(value);
                    self.escapes(loans, value.span);
                }
                self.state = State::unreachable();
            }
        }
    }

    fn leave(&mut self, to: impl FnOnce(&mut Loop) -> &mut State) {
        let state = std::mem::replace(&mut self.state, State::unreachable());
        if let Some(innermost) = self.loops.last_mut() {
            to(innermost).join(state);
        }
    }

    /// A loop. `turn` walks it once, and gives what is known where it ends without `break`.
    fn turns(&mut self, mut turn: impl FnMut(&mut Self) -> State) {
        let entry = self.state.clone();
        let mut left = self.turn(&mut turn);
        if !entry.covers(&self.state) {
            if self.loops.len() < MOST_LOOPS_WALKED_TWICE {
                self.state.join(entry);
                left = self.turn(&mut turn);
            } else {
                self.first_turn_moves(&entry);
            }
        }
        self.state = left;
    }

    /// Leaves in the state what is known where the loop starts again.
    fn turn(&mut self, turn: &mut impl FnMut(&mut Self) -> State) -> State {
        self.loops.push(Loop {
            broken: State::unreachable(),
            repeated: State::unreachable(),
        });
        let mut left = turn(self);
        if let Some(done) = self.loops.pop() {
            left.join(done.broken);
            self.state.join(done.repeated);
        }
        left
    }

    fn first_turn_moves(&mut self, entry: &State) {
        for (place, span) in self.state.moved() {
            if !entry.is_moved(place) {
                let message = format!("`{}` is moved in a loop", self.name(place));
                self.faults.report(Diagnostic::new(span, message));
            }
        }
    }

    /// An expression whose value is taken; what that refers to.
    pub fn value(&mut self, expr: &HirExpr) -> Loans {
        if let Some(place) = Place::of(expr) {
            let how = if self.types.moves(&expr.ty) {
                Use::Move
            } else {
                Use::Read
            };
            self.use_place(&place, how, expr.span);
            return if let HirType::Reference { mutable, .. } = expr.ty {
                self.loans_through(place, mutable)
            } else {
                Loans::new()
            };
        }
        match &expr.kind {
            HirExprKind::Borrow { mutable, operand } => match Place::of(operand) {
                Some(place) => {
                    let how = if *mutable { Use::Change } else { Use::Read };
                    self.use_place(&place, how, expr.span);
                    self.loans_through(place, *mutable)
                }
                None => self.value(operand),
            },
            HirExprKind::Tensor(TensorOp::Element { tensor, indices }) => {
                for index in indices {
                    self.value(index);
                }
                self.read(tensor);
                Loans::new()
            }
            HirExprKind::Block(block) => self.block(block),
            HirExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.value(condition);
                let before = self.state.clone();
                let mut loans = self.block(then);
                let after = std::mem::replace(&mut self.state, before);
                if let Some(otherwise) = otherwise {
                    loans.extend(self.block(otherwise));
                }
                self.state.join(after);
                loans
            }
            HirExprKind::Binary { op, left, right } if op.is_logical() => {
                self.value(left);
                let before = self.state.clone();
                self.value(right);
                self.state.join(before);
                Loans::new()
            }
            // A closure captures scalars only, and what it binds ends with each call.
            HirExprKind::Closure(closure) => {
                let before = self.state.clone();
                let loops = std::mem::take(&mut self.loops);
                self.block(&closure.body);
                self.loops = loops;
                self.state = before;
                Loans::new()
            }
            HirExprKind::Call { .. } => {
                let loans = self.operands(expr);
                if let HirType::Reference { .. } = expr.ty {
                    loans
                } else {
                    Loans::new()
                }
            }
            HirExprKind::Literal(_)
            | HirExprKind::Local(_)
            | HirExprKind::Constant(_)
            | HirExprKind::Function(_)
            | HirExprKind::Unary { .. }
            | HirExprKind::Binary { .. }
            | HirExprKind::Cast(_)
            | HirExprKind::Math { .. }
            | HirExprKind::Pow { .. }
            | HirExprKind::Tuple(_)
            | HirExprKind::TupleMember { .. }
            | HirExprKind::Struct(_)
            | HirExprKind::Field { .. }
            | HirExprKind::Print(_)
            | HirExprKind::GridIndex { .. }
            | HirExprKind::CheckedPosition { .. }
            | HirExprKind::Tensor(_) => {
                self.operands(expr);
                Loans::new()
            }
        }
    }

    /// What the operands refer to: each is held while those after it are evaluated. What is no call
    /// and no aggregate only reads, through a `&mut` too.
    fn operands(&mut self, expr: &HirExpr) -> Loans {
        let keeps = matches!(
            expr.kind,
            HirExprKind::Call { .. } | HirExprKind::Tuple(_) | HirExprKind::Struct(_)
        );
        let held = self.held.len();
        let mut operands = Vec::new();
        HirNode::from(expr).for_each_child(|child| {
            if let HirNode::Expr(operand) = child {
                operands.push(operand);
            }
        });
        for operand in operands {
            let loans = self.value(operand);
            self.held.extend(loans.into_iter().map(|loan| {
                let mutable = loan.mutable && keeps;
                (Loan { mutable, ..loan }, operand.span)
            }));
        }
        self.held.drain(held..).map(|(loan, _)| loan).collect()
    }
}

fn locals(pattern: &HirPattern) -> &[LocalId] {
    match pattern {
        HirPattern::Local(id) => std::slice::from_ref(id),
        HirPattern::Tuple(ids) => ids,
    }
}

fn bound(statement: &HirStatement) -> Vec<LocalId> {
    match &statement.kind {
        HirStatementKind::Bind { pattern, .. } => locals(pattern).to_vec(),
        HirStatementKind::Assign { .. }
        | HirStatementKind::CompoundAssign { .. }
        | HirStatementKind::Expr(_)
        | HirStatementKind::While { .. }
        | HirStatementKind::Loop { .. }
        | HirStatementKind::For { .. }
        | HirStatementKind::Break
        | HirStatementKind::Continue
        | HirStatementKind::Return(_) => Vec::new(),
    }
}
