use neuro_hir::{HirExpr, HirPlace, LocalId};
use shared_types::Span;

use super::expr::{check_index, unexpected};
use super::{At, Stop};
use crate::frame::Frame;
use crate::interpreter::internal;
use crate::operation::position_of;
use crate::value::{Reference, Step};
use crate::{Failure, Interpreter, Value};

impl<'p> Interpreter<'p, '_> {
    /// `&mut operand`; `expr` is the borrow.
    pub(super) fn borrow_mutably(
        &mut self,
        frame: &Frame<'p>,
        expr: &HirExpr,
        operand: &'p HirExpr,
    ) -> Result<Value<'p>, Stop<'p>> {
        let place = self.place(frame, operand)?;
        Ok(Value::Reference(match expr.reborrowed() {
            Some(_) => self.referent(place, operand.span)?,
            None => place,
        }))
    }

    /// Where the value of an expression is kept: a new place for one that was just made.
    pub(super) fn place(
        &mut self,
        frame: &Frame<'p>,
        expr: &'p HirExpr,
    ) -> Result<Reference<'p>, Stop<'p>> {
        self.nested(expr.span, |interpreter| interpreter.place_here(frame, expr))
    }

    fn place_here(
        &mut self,
        frame: &Frame<'p>,
        expr: &'p HirExpr,
    ) -> Result<Reference<'p>, Stop<'p>> {
        match expr.place() {
            Some(HirPlace::Local(local)) => Ok(frame.reference(local)),
            Some(HirPlace::Member { of, index }) => {
                Ok(self.place_behind(frame, of)?.part(Step::Member(index)))
            }
            Some(HirPlace::Field { of, name }) => {
                let index = self.field_index(of, name)?;
                Ok(self.place_behind(frame, of)?.part(Step::Member(index)))
            }
            Some(HirPlace::Element { of, indices }) => {
                let place = self.place_behind(frame, of)?;
                let position = match place.load().at(expr.span)?.at_hand(expr.span)? {
                    Value::Tensor(tensor) => {
                        self.position(frame, tensor.shape(), indices, expr.span)?
                    }
                    other => return Err(unexpected("a tensor", &other, expr.span).into()),
                };
                // An element is a place of its own only where the elements are here.
                if let remote @ Value::Remote(_) = place.load().at(expr.span)? {
                    let tensor = remote.at_hand(expr.span)?;
                    place.replace(tensor).at(expr.span)?;
                }
                Ok(place.part(Step::Element(position)))
            }
            None => {
                let value = self.expr(frame, expr)?;
                Ok(Frame::holding([value]).reference(LocalId(0)))
            }
        }
    }

    /// The place of what an expression stands for, behind its references.
    fn place_behind(
        &mut self,
        frame: &Frame<'p>,
        expr: &'p HirExpr,
    ) -> Result<Reference<'p>, Stop<'p>> {
        let place = self.place(frame, expr)?;
        Ok(self.referent(place, expr.span)?)
    }

    /// Where the references in a place lead.
    pub(super) fn referent(
        &self,
        mut place: Reference<'p>,
        span: Span,
    ) -> Result<Reference<'p>, Failure> {
        while let Some(behind) = place.followed().at(span)? {
            place = behind;
        }
        Ok(place)
    }

    /// The row-major position of an element. All indices are evaluated before one is checked.
    pub(super) fn position(
        &mut self,
        frame: &Frame<'p>,
        shape: &[u64],
        indices: &'p [HirExpr],
        span: Span,
    ) -> Result<usize, Stop<'p>> {
        if indices.len() != shape.len() {
            return Err(internal(span, "an index an axis was expected").into());
        }
        let mut values = Vec::with_capacity(indices.len());
        for index in indices {
            values.push(self.integer(frame, index)?);
        }
        match position_of(&values, shape) {
            Ok(position) => Ok(position),
            Err(axis) => {
                let span = indices[axis].span;
                check_index(values[axis], axis, shape[axis], span)?;
                Err(internal(span, "an index is in range, and is not").into())
            }
        }
    }
}
