//! What runs a program's tensor operations, while the interpreter runs the rest.

mod calls;
mod jit;
mod memory;
mod status;

use interpreter::{Failure, Interpreter, Value};
use neuro_hir::HirFunction;

pub use jit::{Jit, not_lowered, signature};

/// The engine of a run.
pub enum Engine {
    /// The interpreter itself: it runs operations too.
    Interpreter,
    Jit(Jit),
}

impl Engine {
    /// The name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Engine::Interpreter => "interpreter",
            Engine::Jit(_) => "jit",
        }
    }

    /// Runs an operation as [`interpreter::Host::operation`] asks.
    pub fn operation<'p>(
        &self,
        interpreter: &mut Interpreter<'p, '_>,
        function: &HirFunction,
        arguments: &mut [Value<'p>],
    ) -> Result<Option<Value<'p>>, Failure> {
        match self {
            Engine::Interpreter => Ok(None),
            Engine::Jit(jit) => Ok(Some(jit.run(interpreter, function, arguments)?)),
        }
    }
}
