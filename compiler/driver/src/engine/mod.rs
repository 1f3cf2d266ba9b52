//! What runs a program's tensor operations, while the interpreter runs the rest.

mod calls;
mod code;
mod gpu;
mod jit;
mod kernel;
mod memory;
mod resident;
mod silent;
mod status;

use std::fmt;

use interpreter::{Failure, Interpreter, Value};
use neuro_hir::HirFunction;
use shared_types::Span;

pub use gpu::Gpu;
pub use jit::{Jit, not_lowered, signature};
pub use mlir_backend::internal::Sharing;
pub use silent::Silent;

/// The engine of a run.
pub enum Engine {
    /// The interpreter itself: it runs operations too.
    Interpreter,
    Jit(Jit),
    /// By the name on the command line: a device of some driver, or an emulated one.
    Gpu(&'static str, Gpu),
}

/// Where an operation runs, and what of it shows in a trace.
pub enum Ran<'e> {
    /// With the reason, where the engine has a device.
    OnHost(Option<&'e str>),
    /// With so many launches.
    OnDevice(u64),
}

/// As a trace has it: where, how many launches, and why on the host.
impl fmt::Display for Ran<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ran::OnHost(None) => f.write_str("host 0"),
            Ran::OnHost(Some(reason)) => write!(f, "host 0 {reason}"),
            Ran::OnDevice(launches) => write!(f, "device {launches}"),
        }
    }
}

impl Engine {
    /// The name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Engine::Interpreter => "interpreter",
            Engine::Jit(_) => "jit",
            Engine::Gpu(name, _) => name,
        }
    }

    /// Runs an operation as [`interpreter::Host::operation`] asks. `trace` is told where: of the
    /// host before the operation runs, since it may call others, of a device after.
    pub fn operation<'p>(
        &self,
        interpreter: &mut Interpreter<'p, '_>,
        function: &HirFunction,
        arguments: &mut [Value<'p>],
        call: Span,
        trace: impl FnOnce(Ran<'_>),
    ) -> Result<Option<Value<'p>>, Failure> {
        match self {
            Engine::Interpreter => {
                trace(Ran::OnHost(None));
                Ok(None)
            }
            Engine::Jit(jit) => {
                jit::require_host(function, call)?;
                trace(Ran::OnHost(None));
                Ok(Some(jit.run(interpreter, function, arguments)?))
            }
            Engine::Gpu(_, gpu) => match gpu.why_on_host(function) {
                Some(reason) => {
                    trace(Ran::OnHost(Some(reason)));
                    let (value, _) = gpu.run(interpreter, function, arguments)?;
                    Ok(Some(value))
                }
                None => {
                    let (value, launches) = gpu.run(interpreter, function, arguments)?;
                    trace(Ran::OnDevice(launches));
                    Ok(Some(value))
                }
            },
        }
    }
}
