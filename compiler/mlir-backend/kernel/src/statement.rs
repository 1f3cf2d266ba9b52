//! Statements: a local is a slot, and control flow is branches between blocks.

use ast_types::BinaryOp;
use neuro_hir::{HirBlock, HirExpr, HirPattern, HirStatement, HirStatementKind, LocalId};
use shared_types::{ScalarType, Span};

use crate::body::{Body, Local, Loop, Outcome, Written, computed, refused};
use crate::callee::Callee;
use crate::text::Value;

impl Body<'_> {
    /// The value of a block, where it has one and control comes to its end.
    pub(crate) fn block(&mut self, block: &HirBlock) -> Written<Option<Value>> {
        for statement in &block.statements {
            self.statement(statement)?;
        }
        match &block.value {
            Some(value) => self.expression(value),
            None => Ok(None),
        }
    }

    fn statement(&mut self, statement: &HirStatement) -> Written<()> {
        let span = statement.span;
        match &statement.kind {
            HirStatementKind::Bind { pattern, value } => self.bind(pattern, value),
            HirStatementKind::Assign { place, value } => {
                let value = self.value(value)?;
                let place = self.place(place)?;
                self.write(&place, &value, span)
            }
            HirStatementKind::CompoundAssign { op, place, value } => {
                let value = self.value(value)?;
                let place = self.place(place)?;
                let old = self.read(&place, span);
                let new = self.arithmetic(*op, &old, &value, span)?;
                self.write(&place, &new, span)
            }
            HirStatementKind::Expr(expr) => self.expression(expr).map(|_| ()),
            HirStatementKind::While { condition, body } => self.while_(condition, body, span),
            HirStatementKind::Loop { body } => self.loop_(body, span),
            HirStatementKind::For {
                local,
                start,
                end,
                inclusive,
                body,
            } => self.for_(*local, (start, end, *inclusive), body, span),
            HirStatementKind::Break => match self.loops.last_mut() {
                Some(innermost) => {
                    innermost.breaks |= !self.left;
                    let end = innermost.end.clone();
                    self.leave(span, &end);
                    Ok(())
                }
                None => refused(span, "a `break` outside of a loop"),
            },
            HirStatementKind::Continue => match self.loops.last() {
                Some(innermost) => {
                    let next = innermost.next.clone();
                    self.leave(span, &next);
                    Ok(())
                }
                None => refused(span, "a `continue` outside of a loop"),
            },
            HirStatementKind::Return(value) => self.return_(value.as_ref(), span),
        }
    }

    fn bind(&mut self, pattern: &HirPattern, value: &HirExpr) -> Written<()> {
        let HirPattern::Local(id) = pattern else {
            return refused(value.span, "a tuple");
        };
        let span = value.span;
        let value = self.value(value)?;
        self.set(*id, &value, span)
    }

    fn return_(&mut self, value: Option<&HirExpr>, span: Span) -> Written<()> {
        let to = match (self.result.clone(), value) {
            (None, None) => self.end.clone(),
            (Some(outcome), Some(value)) => {
                let value = self.value(value)?;
                self.give(&value, &outcome, span)?;
                outcome.after
            }
            (None, Some(_)) | (Some(_), None) => return refused(span, "another `return`"),
        };
        self.leave(span, &to);
        Ok(())
    }

    fn give(&mut self, value: &Value, outcome: &Outcome, span: Span) -> Written<()> {
        if value.scalar != outcome.scalar {
            return refused(span, "a value of another type than the function's");
        }
        self.store(value, &outcome.slot, span);
        Ok(())
    }

    /// Runs a function in place.
    pub(crate) fn apply(
        &mut self,
        callee: &Callee<'_>,
        arguments: &[Value],
        span: Span,
    ) -> Written<Value> {
        if callee.parameters.len() != arguments.len() {
            return refused(span, "another number of arguments");
        }
        for (&parameter, argument) in callee.parameters.iter().zip(arguments) {
            self.set(parameter, argument, span)?;
        }
        let outcome = Outcome {
            slot: self.slot(callee.result, span),
            scalar: callee.result,
            after: self.text.label(),
        };
        let left = self.left;
        let outer = self.result.replace(outcome.clone());
        match self.block(callee.body)? {
            Some(value) => self.give(&value, &outcome, span)?,
            None if self.left => {}
            None => return refused(callee.body.span, "a function without a value"),
        }
        self.result = outer;
        self.jump(span, &outcome.after);
        self.come_to(&outcome.after, left);
        Ok(self.load(&outcome.slot, outcome.scalar, span))
    }

    /// Puts a value into the slot of a local, which is made where there is none yet.
    pub(crate) fn set(&mut self, id: LocalId, value: &Value, span: Span) -> Written<()> {
        if let Local::Other = self.local(id, span)? {
            let declared = &self.function.locals[id.0 as usize].ty;
            let scalar = computed(declared, span)?;
            let name = self.slot(scalar, span);
            self.locals[id.0 as usize] = Local::Slot { name, scalar };
        }
        match self.local(id, span)?.clone() {
            Local::Slot { name, scalar } if scalar == value.scalar => {
                self.store(value, &name, span);
                Ok(())
            }
            Local::Slot { .. } | Local::Tensor(_) | Local::Other => {
                refused(span, "a value of another type than its local")
            }
        }
    }

    fn while_(&mut self, condition: &HirExpr, body: &HirBlock, span: Span) -> Written<()> {
        let (next, again, end) = (self.text.label(), self.text.label(), self.text.label());
        let left = self.left;
        self.jump(span, &next);
        self.come_to(&next, left);
        self.may_not_end(span);
        let condition = self.condition(condition)?;
        self.branch(span, &condition, &again, &end);
        self.come_to(&again, self.left);
        self.body(&next, &end, body, span)?;
        self.come_to(&end, left);
        Ok(())
    }

    fn loop_(&mut self, body: &HirBlock, span: Span) -> Written<()> {
        let (next, end) = (self.text.label(), self.text.label());
        let left = self.left;
        self.jump(span, &next);
        self.come_to(&next, left);
        self.may_not_end(span);
        let breaks = self.body(&next, &end, body, span)?;
        self.come_to(&end, left || !breaks);
        Ok(())
    }

    /// Keeps a loop that does nothing else: MLIR erases a launch without effects, and with it that the
    /// program never ends. No instruction comes of it.
    fn may_not_end(&mut self, span: Span) {
        let effect = "llvm.call_intrinsic \"llvm.sideeffect\"() : () -> ()";
        self.text.act(span, effect);
    }

    /// The bounds are evaluated once, and the last position is not passed: it may be the type's.
    fn for_(
        &mut self,
        local: LocalId,
        (start, end, inclusive): (&HirExpr, &HirExpr, bool),
        body: &HirBlock,
        span: Span,
    ) -> Written<()> {
        let start = self.value(start)?;
        let mut last = self.value(end)?;
        let scalar = start.scalar;
        if !scalar.is_integer() || last.scalar != scalar {
            return refused(span, "a `for` over other than integers of one type");
        }
        let left = self.left;
        let (first, again) = (self.text.label(), self.text.label());
        let (next, step, end) = (self.text.label(), self.text.label(), self.text.label());
        let op = if inclusive {
            BinaryOp::Le
        } else {
            BinaryOp::Lt
        };
        let some = self.compare(op, &start, &last, span)?;
        self.branch(span, &some, &first, &end);
        self.come_to(&first, left);
        let one = self.constant(span, scalar, 1);
        if !inclusive {
            last = self.integers("subi", &last, &one, span);
        }
        let counter = self.slot(scalar, span);
        self.store(&start, &counter, span);
        self.jump(span, &again);
        self.come_to(&again, left);
        let position = self.load(&counter, scalar, span);
        self.set(local, &position, span)?;
        self.body(&next, &end, body, span)?;
        self.come_to(&next, left);
        let position = self.load(&counter, scalar, span);
        let more = self.compare(BinaryOp::Ne, &position, &last, span)?;
        self.branch(span, &more, &step, &end);
        self.come_to(&step, left);
        let position = self.integers("addi", &position, &one, span);
        self.store(&position, &counter, span);
        self.jump(span, &again);
        self.come_to(&end, left);
        Ok(())
    }

    /// The body of a loop, which goes to `next` at its end; whether it breaks.
    fn body(&mut self, next: &str, end: &str, body: &HirBlock, span: Span) -> Written<bool> {
        self.loops.push(Loop {
            end: end.to_string(),
            next: next.to_string(),
            breaks: false,
        });
        let done = self.block(body);
        let breaks = self.loops.pop().is_some_and(|innermost| innermost.breaks);
        done?;
        self.jump(span, next);
        Ok(breaks)
    }

    pub(crate) fn condition(&mut self, condition: &HirExpr) -> Written<Value> {
        let value = self.value(condition)?;
        match value.scalar {
            ScalarType::Bool => Ok(value),
            _ => refused(condition.span, "a condition that is no `bool`"),
        }
    }
}
