use ast_types::BinaryOp;
use neuro_hir::{HirBlock, HirExpr, HirPattern, HirStatement, HirStatementKind, LocalId};

use super::expr::{scalar_type, unexpected};
use super::{At, Stop};
use crate::frame::Frame;
use crate::{Interpreter, Value, operation};

/// What a loop does after its body.
enum Next {
    Again,
    Leave,
}

impl<'p> Interpreter<'p, '_> {
    pub(crate) fn block(
        &mut self,
        frame: &Frame<'p>,
        block: &'p HirBlock,
    ) -> Result<Value<'p>, Stop<'p>> {
        self.nested(block.span, |interpreter| {
            interpreter.block_here(frame, block)
        })
    }

    fn block_here(
        &mut self,
        frame: &Frame<'p>,
        block: &'p HirBlock,
    ) -> Result<Value<'p>, Stop<'p>> {
        for statement in &block.statements {
            self.statement(frame, statement)?;
        }
        match &block.value {
            Some(value) => self.expr(frame, value),
            None => Ok(Value::Void),
        }
    }

    fn statement(
        &mut self,
        frame: &Frame<'p>,
        statement: &'p HirStatement,
    ) -> Result<(), Stop<'p>> {
        match &statement.kind {
            HirStatementKind::Bind { pattern, value } => self.bind(frame, pattern, value),
            // The value comes first: it is what a failure of both is reported for.
            HirStatementKind::Assign { place, value } => {
                let value = self.expr(frame, value)?;
                self.place(frame, place)?.replace(value).at(place.span)?;
                Ok(())
            }
            HirStatementKind::CompoundAssign { op, place, value } => {
                self.compound_assign(frame, *op, place, value, statement)
            }
            HirStatementKind::Expr(expr) => {
                self.expr(frame, expr)?;
                Ok(())
            }
            HirStatementKind::While { condition, body } => {
                while self.condition(frame, condition)? {
                    if let Next::Leave = self.iteration(frame, body)? {
                        break;
                    }
                }
                Ok(())
            }
            HirStatementKind::Loop { body } => {
                while let Next::Again = self.iteration(frame, body)? {}
                Ok(())
            }
            HirStatementKind::For {
                local,
                start,
                end,
                inclusive,
                body,
            } => self.count(frame, *local, (start, end, *inclusive), body),
            HirStatementKind::Break => Err(Stop::Break),
            HirStatementKind::Continue => Err(Stop::Continue),
            HirStatementKind::Return(None) => Err(Stop::Return(Value::Void)),
            HirStatementKind::Return(Some(value)) => Err(Stop::Return(self.expr(frame, value)?)),
        }
    }

    fn bind(
        &mut self,
        frame: &Frame<'p>,
        pattern: &HirPattern,
        value: &'p HirExpr,
    ) -> Result<(), Stop<'p>> {
        let span = value.span;
        match (pattern, self.expr(frame, value)?) {
            (HirPattern::Local(local), value) => frame.set(*local, value).at(span)?,
            (HirPattern::Tuple(locals), Value::Tuple(members)) if locals.len() == members.len() => {
                for (&local, member) in locals.iter().zip(members) {
                    frame.set(local, member).at(span)?;
                }
            }
            (HirPattern::Tuple(_), other) => {
                return Err(unexpected("a tuple of the pattern's length", &other, span).into());
            }
        }
        Ok(())
    }

    /// `place = place op value`, the place being evaluated once, after the value.
    fn compound_assign(
        &mut self,
        frame: &Frame<'p>,
        op: BinaryOp,
        place: &'p HirExpr,
        value: &'p HirExpr,
        statement: &HirStatement,
    ) -> Result<(), Stop<'p>> {
        let value = self.read(frame, value)?;
        let target = self.place(frame, place)?;
        let target = self.referent(target, place.span)?;
        let old = target.load().at(place.span)?.at_hand(place.span)?;
        let new = self.arithmetic(op, old, value, statement.span)?;
        target.replace(new).at(place.span)?;
        Ok(())
    }

    fn count(
        &mut self,
        frame: &Frame<'p>,
        local: LocalId,
        (start, end, inclusive): (&'p HirExpr, &'p HirExpr, bool),
        body: &'p HirBlock,
    ) -> Result<(), Stop<'p>> {
        let span = start.span;
        let ty = scalar_type(&start.ty, span)?;
        let first = self.integer(frame, start)?;
        let last = self.integer(frame, end)? - i128::from(!inclusive);
        for index in first..=last {
            let index = operation::literal_integer(index, ty).at(span)?;
            frame.set(local, index.into()).at(span)?;
            if let Next::Leave = self.iteration(frame, body)? {
                break;
            }
        }
        Ok(())
    }

    fn iteration(&mut self, frame: &Frame<'p>, body: &'p HirBlock) -> Result<Next, Stop<'p>> {
        match self.block(frame, body) {
            Ok(_) | Err(Stop::Continue) => Ok(Next::Again),
            Err(Stop::Break) => Ok(Next::Leave),
            Err(stop @ (Stop::Return(_) | Stop::Fail(_))) => Err(stop),
        }
    }
}
