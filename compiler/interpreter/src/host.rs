use std::error::Error;

use neuro_hir::HirFunction;
use shared_types::Span;

use crate::{Failure, Interpreter, Value};

/// What a host's own failure is.
pub type HostError = Box<dyn Error + Send + Sync>;

/// What the interpreter runs in. It is shared: an operation that calls a function of the program
/// may meet another one there, and a `print`.
pub trait Host {
    /// Takes a line that the program prints, without its end.
    fn print(&self, line: &str) -> Result<(), HostError>;

    /// Runs `function` on an engine of the host's own, or gives `None`: then the interpreter runs
    /// it. Asked at every call of a function whose target is another than
    /// [`neuro_hir::FunctionTarget::Host`].
    ///
    /// `arguments[i]` is what parameter `i` stands for: for a reference, the value that it refers
    /// to. What is left there of a `&mut` one is the new value; nothing else holds its data, so
    /// that a tensor is written in place. A tensor there may be [`Value::Remote`], if the host made
    /// such a one: [`Value::at_hand`] brings it here. A function value among them is for
    /// [`Interpreter::call_value`] on `interpreter`. `call` is where the call stands, or for what
    /// [`Interpreter::call`] calls the function.
    fn operation<'p>(
        &self,
        interpreter: &mut Interpreter<'p, '_>,
        function: &'p HirFunction,
        arguments: &mut [Value<'p>],
        call: Span,
    ) -> Result<Option<Value<'p>>, Failure> {
        let _ = (interpreter, function, arguments, call);
        Ok(None)
    }
}
