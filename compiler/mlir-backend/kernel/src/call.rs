//! Calls of the program's functions, which run in place.

use neuro_hir::{Callee as Called, HirExpr, HirFunction, HirProgram};
use shared_types::Span;

use crate::body::{Body, Local, Written, refused};
use crate::callee::Callee;
use crate::text::Value;

/// The functions that a body may call.
pub(crate) struct Calls<'p> {
    program: &'p HirProgram,
    /// Those that the text is within.
    within: Vec<&'p HirFunction>,
    count: usize,
}

/// What runs in place is written at each call, and again at each call of what calls it.
const MOST_CALLS: usize = 256;

impl<'p> Calls<'p> {
    pub(crate) fn of(program: &'p HirProgram) -> Self {
        Calls {
            program,
            within: Vec::new(),
            count: 0,
        }
    }
}

impl<'p> Body<'p> {
    pub(crate) fn call(
        &mut self,
        called: &Called,
        arguments: &[HirExpr],
        span: Span,
    ) -> Written<Value> {
        let (Some(calls), Called::Function(name)) = (&mut self.calls, called) else {
            return refused(span, "a function call");
        };
        calls.count += 1;
        if calls.count > MOST_CALLS {
            return refused(span, format!("more than {MOST_CALLS} function calls"));
        }
        if calls.within.iter().any(|function| function.name == *name) {
            return refused(span, "a function that calls itself");
        }
        let callee = Callee::named(calls.program, name, span)?;
        let arguments = arguments.iter().map(|argument| self.value(argument));
        let arguments = arguments.collect::<Written<Vec<_>>>()?;
        self.run(&callee, &arguments)
    }

    /// Runs a function of the program with locals of its own.
    fn run(&mut self, callee: &Callee<'p>, arguments: &[Value]) -> Written<Value> {
        let locals = vec![Local::Other; callee.owner.locals.len()];
        let locals = std::mem::replace(&mut self.locals, locals);
        let function = std::mem::replace(&mut self.function, callee.owner);
        let loops = std::mem::take(&mut self.loops);
        self.within(|within| within.push(callee.owner));
        let value = self.apply(callee, arguments, callee.span)?;
        self.within(|within| {
            within.pop();
        });
        (self.locals, self.function, self.loops) = (locals, function, loops);
        Ok(value)
    }

    fn within(&mut self, change: impl FnOnce(&mut Vec<&'p HirFunction>)) {
        if let Some(calls) = &mut self.calls {
            change(&mut calls.within);
        }
    }
}
