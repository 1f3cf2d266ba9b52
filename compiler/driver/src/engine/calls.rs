use std::cell::RefCell;

use interpreter::{Failure, Function, Interpreter};
use mlir_backend::internal::Body;
use shared_types::Span;
use tensor::Scalar;

/// The calls that one run of a body makes of the program's functions: the interpreter runs them.
pub struct Calls<'i, 'p, 'h> {
    state: RefCell<State<'i, 'p, 'h>>,
}

struct State<'i, 'p, 'h> {
    interpreter: &'i mut Interpreter<'p, 'h>,
    /// The traversal that makes each call, in order.
    sites: Box<dyn Iterator<Item = Span> + 'i>,
    failure: Option<Failure>,
}

impl<'i, 'p, 'h> Calls<'i, 'p, 'h> {
    pub fn new(interpreter: &'i mut Interpreter<'p, 'h>, body: &'i Body) -> Self {
        let sites = body
            .traversals
            .iter()
            .flat_map(|traversal| (0..traversal.calls).map(|_| traversal.span));
        let state = State {
            interpreter,
            sites: Box::new(sites),
            failure: None,
        };
        Calls {
            state: RefCell::new(state),
        }
    }

    /// Calls a function; `None` where it fails.
    pub fn call(&self, function: &Function<'p>, arguments: &[Scalar]) -> Option<Scalar> {
        let mut state = self.state.borrow_mut();
        let span = state.sites.next().unwrap_or_default();
        match state.interpreter.call_value(function, arguments, span) {
            Ok(answer) => Some(answer),
            Err(failure) => {
                state.failure = Some(failure);
                None
            }
        }
    }

    /// What the call that failed failed with. No earlier check of the body has failed: after one,
    /// a body makes no call.
    pub fn failure(&self) -> Option<Failure> {
        self.state.borrow_mut().failure.take()
    }
}
