use neuro_hir::{Callee, HirClosure, HirExpr};
use shared_types::Span;

use super::expr::unexpected;
use super::{At, Stop};
use crate::frame::Frame;
use crate::interpreter::internal;
use crate::value::{Code, Function};
use crate::{Failure, Interpreter, Value};

impl<'p> Interpreter<'p, '_> {
    /// The callee is evaluated first, then the arguments in order.
    pub(super) fn call_expr(
        &mut self,
        frame: &Frame<'p>,
        callee: &'p Callee,
        arguments: &'p [HirExpr],
        span: Span,
    ) -> Result<Value<'p>, Stop<'p>> {
        let function = match callee {
            Callee::Function(name) => self.function(name),
            Callee::Method { owner, name } => self.method(owner, name),
            Callee::Value(value) => {
                let function = self.function_value(frame, value)?;
                let arguments = self.exprs(frame, arguments)?;
                return Ok(self.apply(&function, arguments, span)?);
            }
        };
        let function = function
            .ok_or_else(|| internal(span, "a function is called that the program has not"))?;
        let arguments = self.exprs(frame, arguments)?;
        Ok(self.dispatch(function, arguments, span)?)
    }

    pub(super) fn closure(
        &mut self,
        frame: &Frame<'p>,
        closure: &'p HirClosure,
        span: Span,
    ) -> Result<Value<'p>, Stop<'p>> {
        let capture = |&local| Ok((local, frame.get(local).at(span)?));
        let captures = closure.captures.iter().map(capture);
        Ok(Value::Function(Function(Code::Closure {
            closure,
            captures: captures.collect::<Result<_, Failure>>()?,
            locals: frame.len(),
        })))
    }

    pub(super) fn function_value(
        &mut self,
        frame: &Frame<'p>,
        expr: &'p HirExpr,
    ) -> Result<Function<'p>, Stop<'p>> {
        match self.read(frame, expr)? {
            Value::Function(function) => Ok(function),
            other => Err(unexpected("a function", &other, expr.span).into()),
        }
    }

    /// Calls a function value.
    pub(crate) fn apply(
        &mut self,
        function: &Function<'p>,
        arguments: Vec<Value<'p>>,
        call: Span,
    ) -> Result<Value<'p>, Failure> {
        let (closure, captures, locals) = match &function.0 {
            Code::Named(function) => return self.dispatch(function, arguments, call),
            Code::Closure {
                closure,
                captures,
                locals,
            } => (closure, captures, *locals),
        };
        let frame = Frame::new(locals);
        let parameters = closure.parameters.iter().copied().zip(arguments);
        for (local, value) in captures.iter().cloned().chain(parameters) {
            frame.set(local, value).at(call)?;
        }
        self.in_frame(frame, call, |interpreter, frame| {
            interpreter.block(frame, &closure.body)
        })
    }
}
