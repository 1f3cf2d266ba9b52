use shared_types::Span;

use super::{HirError, types};
use crate::{
    HirBlock, HirClosure, HirExpr, HirExprKind, HirFunction, HirNode, HirPattern, HirStatement,
    HirStatementKind, HirType, LocalId, Storage,
};

/// - A local is bound in one place, before it is read; what a block binds ends with it.
/// - A body, a block and a branch give a value of their type, or leave: they return, end or
///   repeat a loop, or are in a `loop` without `break`. A loop's body gives none.
/// - `break` and `continue` stand in a loop of their function or closure; `return` gives its
///   result.
/// - A closure captures each local that it reads from outside, once, and no other. Captures are
///   copies, and are not written.
pub(super) fn check(function: &HirFunction, errors: &mut Vec<HirError>) {
    let mut flow = Flow {
        function,
        errors,
        seen: vec![false; function.locals.len()],
        frame: Box::new(Frame::new(function, &function.result)),
    };
    for (index, parameter) in function.parameters().iter().enumerate() {
        flow.bind(LocalId(index as u32), parameter.span);
    }
    flow.gives(&function.body, &function.result, "the body");
}

/// Locals out of range are passed over here: each node that names one is refused by itself.
struct Flow<'a> {
    function: &'a HirFunction,
    errors: &'a mut Vec<HirError>,
    /// The locals whose binding was met.
    seen: Vec<bool>,
    frame: Box<Frame<'a>>,
}

/// What a closure's body has of its own.
struct Frame<'a> {
    result: &'a HirType,
    /// The locals that may be read.
    bound: Vec<bool>,
    /// Those of them that blocks around here bind, innermost last.
    visible: Vec<LocalId>,
    captures: &'a [LocalId],
    read: Vec<bool>,
    /// The loops around, innermost last: whether a `break` ends them.
    loops: Vec<bool>,
}

impl<'a> Frame<'a> {
    fn new(function: &HirFunction, result: &'a HirType) -> Self {
        Frame {
            result,
            bound: vec![false; function.locals.len()],
            visible: Vec::new(),
            captures: &[],
            read: vec![false; function.locals.len()],
            loops: Vec::new(),
        }
    }
}

/// Whether control leaves a node, and never comes to what follows it.
type Leaves = bool;

impl<'a> Flow<'a> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(HirError::new(span, message));
    }

    fn name(&self, id: LocalId) -> String {
        match self.function.locals.get(id.0 as usize) {
            Some(local) => format!("`{}` (local {})", local.name, id.0),
            None => format!("local {}", id.0),
        }
    }

    fn bind(&mut self, id: LocalId, span: Span) {
        let Some(seen) = self.seen.get_mut(id.0 as usize) else {
            return;
        };
        if std::mem::replace(seen, true) {
            self.error(span, format!("{} is bound twice", self.name(id)));
        }
        self.frame.bound[id.0 as usize] = true;
        self.frame.visible.push(id);
    }

    fn read(&mut self, id: LocalId, span: Span) {
        match self.frame.bound.get(id.0 as usize) {
            Some(false) => {
                self.error(span, format!("{} is not bound here", self.name(id)));
            }
            Some(true) => self.frame.read[id.0 as usize] = true,
            None => {}
        }
    }

    /// `block` gives a value of type `ty`, or leaves.
    fn gives(&mut self, block: &'a HirBlock, ty: &HirType, what: &str) -> Leaves {
        let leaves = self.block(block);
        if !leaves {
            self.gave(block, ty, what);
        }
        leaves
    }

    fn gave(&mut self, block: &HirBlock, ty: &HirType, what: &str) {
        let found = block.ty();
        if !types::accepts(ty, found) {
            let span = block.value.as_ref().map_or(block.span, |value| value.span);
            self.error(span, format!("{what} gives `{found}`, not `{ty}`"));
        }
    }

    fn block(&mut self, block: &'a HirBlock) -> Leaves {
        let outer = self.frame.visible.len();
        let mut leaves = false;
        for statement in &block.statements {
            leaves |= self.statement(statement);
        }
        if let Some(value) = &block.value {
            leaves |= self.expr(value);
        }
        self.unbind(outer);
        leaves
    }

    /// Ends the bindings after the first `outer`.
    fn unbind(&mut self, outer: usize) {
        for id in self.frame.visible.drain(outer..) {
            self.frame.bound[id.0 as usize] = false;
        }
    }

    fn statement(&mut self, statement: &'a HirStatement) -> Leaves {
        match &statement.kind {
            HirStatementKind::Bind { pattern, value } => {
                let leaves = self.expr(value);
                let locals = match pattern {
                    HirPattern::Local(local) => std::slice::from_ref(local),
                    HirPattern::Tuple(locals) => locals,
                };
                for &local in locals {
                    self.bind(local, statement.span);
                }
                leaves
            }
            HirStatementKind::Assign { place, value } => {
                self.writes(place, place.storage());
                self.expr(place) | self.expr(value)
            }
            HirStatementKind::CompoundAssign {
                op: _,
                place,
                value,
            } => {
                self.writes(place, place.referent_storage());
                self.expr(place) | self.expr(value)
            }
            HirStatementKind::Expr(expr) => self.expr(expr),
            HirStatementKind::While { condition, body } => {
                let leaves = self.expr(condition);
                self.loop_body(body);
                leaves
            }
            HirStatementKind::Loop { body } => !self.loop_body(body),
            HirStatementKind::For {
                local,
                start,
                end,
                inclusive: _,
                body,
            } => {
                let leaves = self.expr(start) | self.expr(end);
                let outer = self.frame.visible.len();
                self.bind(*local, statement.span);
                self.loop_body(body);
                self.unbind(outer);
                leaves
            }
            HirStatementKind::Break => {
                match self.frame.loops.last_mut() {
                    Some(broken) => *broken = true,
                    None => self.error(statement.span, "`break` outside of a loop"),
                }
                true
            }
            HirStatementKind::Continue => {
                if self.frame.loops.is_empty() {
                    self.error(statement.span, "`continue` outside of a loop");
                }
                true
            }
            HirStatementKind::Return(value) => {
                self.returns(value.as_ref(), statement.span);
                if let Some(value) = value {
                    self.expr(value);
                }
                true
            }
        }
    }

    fn returns(&mut self, value: Option<&HirExpr>, span: Span) {
        let found = value.map_or(&HirType::Void, |value| &value.ty);
        let expected = self.frame.result;
        if !types::accepts(expected, found) {
            self.error(span, format!("`return` gives `{found}`, not `{expected}`"));
        }
    }

    /// Whether a `break` ends the loop.
    fn loop_body(&mut self, body: &'a HirBlock) -> bool {
        self.frame.loops.push(false);
        self.gives(body, &HirType::Void, "a loop's body");
        self.frame.loops.pop().unwrap_or(false)
    }

    fn expr(&mut self, expr: &'a HirExpr) -> Leaves {
        let mut leaves = false;
        // With each node, whether it is evaluated whenever `expr` is.
        let mut pending = vec![(HirNode::Expr(expr), true)];
        while let Some((node, always)) = pending.pop() {
            let node_leaves = match node {
                HirNode::Block(block) => self.block(block),
                HirNode::Statement(statement) => self.statement(statement),
                HirNode::Expr(expr) => self.control(expr).unwrap_or_else(|| {
                    let first = pending.len();
                    node.for_each_child(|child| pending.push((child, always)));
                    pending[first..].reverse();
                    if let HirExprKind::Binary { op, .. } = &expr.kind
                        && op.is_logical()
                    {
                        // The right side, which comes last.
                        pending[first].1 = false;
                    }
                    false
                }),
            };
            leaves |= always && node_leaves;
        }
        leaves
    }

    /// `None` for what does no more than evaluate its parts in order: their depth costs no stack.
    fn control(&mut self, expr: &'a HirExpr) -> Option<Leaves> {
        let leaves = match &expr.kind {
            HirExprKind::Local(id) => {
                self.read(*id, expr.span);
                false
            }
            HirExprKind::Closure(closure) => {
                self.closure(closure, expr.span);
                false
            }
            HirExprKind::Borrow {
                mutable: true,
                operand,
            } => {
                self.borrows(expr, operand);
                return None;
            }
            HirExprKind::Block(block) => self.gives(block, &expr.ty, "the block"),
            HirExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                let leaves = self.expr(condition);
                leaves | self.branches(then, otherwise.as_ref(), expr)
            }
            HirExprKind::Literal(_)
            | HirExprKind::Constant(_)
            | HirExprKind::Function(_)
            | HirExprKind::Unary { .. }
            | HirExprKind::Binary { .. }
            | HirExprKind::Cast(_)
            | HirExprKind::Math { .. }
            | HirExprKind::Pow { .. }
            | HirExprKind::Call { .. }
            | HirExprKind::Borrow { .. }
            | HirExprKind::Tuple(_)
            | HirExprKind::TupleMember { .. }
            | HirExprKind::Struct(_)
            | HirExprKind::Field { .. }
            | HirExprKind::Print(_)
            | HirExprKind::GridIndex { .. }
            | HirExprKind::CheckedPosition { .. }
            | HirExprKind::Tensor(_) => return None,
        };
        Some(leaves)
    }

    fn branches(
        &mut self,
        then: &'a HirBlock,
        otherwise: Option<&'a HirBlock>,
        expr: &HirExpr,
    ) -> Leaves {
        let then_leaves = self.gives(then, &expr.ty, "the branch");
        let Some(otherwise) = otherwise else {
            if expr.ty != HirType::Void {
                let message = format!("an `if` of type `{}` has no `else`", expr.ty);
                self.error(expr.span, message);
            }
            return false;
        };
        self.gives(otherwise, &expr.ty, "the branch") & then_leaves
    }

    fn closure(&mut self, closure: &'a HirClosure, span: Span) {
        let outer = self.enter(closure, span);
        self.gives(&closure.body, &closure.signature.result, "the closure");
        self.leave(closure, outer, span);
    }

    /// Puts a frame of the closure's in place of the one around, which it gives.
    fn enter(&mut self, closure: &'a HirClosure, span: Span) -> Box<Frame<'a>> {
        let mut inner = Frame::new(self.function, &closure.signature.result);
        inner.captures = &closure.captures;
        for &capture in &closure.captures {
            self.read(capture, span);
            if let Some(bound) = inner.bound.get_mut(capture.0 as usize)
                && std::mem::replace(bound, true)
            {
                self.error(span, format!("{} is captured twice", self.name(capture)));
            }
        }
        let outer = std::mem::replace(&mut self.frame, Box::new(inner));
        for &parameter in &closure.parameters {
            self.bind(parameter, span);
        }
        outer
    }

    fn leave(&mut self, closure: &HirClosure, outer: Box<Frame<'a>>, span: Span) {
        let inner = std::mem::replace(&mut self.frame, outer);
        for &capture in &closure.captures {
            if inner.read.get(capture.0 as usize) == Some(&false) {
                self.error(
                    span,
                    format!("{} is captured but not read", self.name(capture)),
                );
            }
        }
    }

    /// A `&mut` is to what may be written, or to a value just made.
    fn borrows(&mut self, borrow: &HirExpr, operand: &HirExpr) {
        let storage = match borrow.reborrowed() {
            Some(_) => operand.referent_storage(),
            None => operand.storage(),
        };
        if storage != Storage::Temporary {
            self.writes(operand, storage);
        }
    }

    fn writes(&mut self, place: &HirExpr, storage: Storage) {
        let reason = match storage {
            Storage::Local(id) if self.frame.captures.contains(&id) => {
                format!("{} is a captured copy", self.name(id))
            }
            Storage::Local(id) => match self.function.locals.get(id.0 as usize) {
                Some(local) if !local.mutable => format!("{} is not mutable", self.name(id)),
                Some(_) | None => return,
            },
            Storage::Reference { mutable: true } => return,
            Storage::Reference { mutable: false } => "it is behind a `&`".into(),
            Storage::Temporary => "it is not a place".into(),
        };
        self.error(place.span, format!("this cannot be written: {reason}"));
    }
}
