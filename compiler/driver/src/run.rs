use std::time::{Duration, Instant};

use frontend::Options;
use gpu_emulator::Vendor as Emulated;
use interpreter::{Failure, Host, HostError, Interpreter, Value};
use mlir_backend::internal::Vendor;
use neuro_hir::{HirFunction, HirProgram};
use shared_types::{SourceMap, Span};

use crate::cli::{EngineName, Run};
use crate::engine::{Engine, Gpu, Jit, Ran};
use crate::output::{Results, note, print_line};
use crate::{Fault, arguments, dump, source};

/// `run`: calls a function of a program, and delivers its result.
pub fn run(options: &Run, sources: &mut SourceMap) -> Result<(), Fault> {
    let mut clock = Clock::new(options.time);
    let front_end = Options {
        tier: options.overflow.tier(),
        on_device: options.engine.has_device(),
    };
    let program = source::compile_with(&options.file, front_end, sources)?;
    clock.step("front end");
    let function = entry(&program, options, sources)?;
    let results = Results::of(function, options.out.as_deref())?;
    let mut arguments = arguments::read(function, &options.arguments)?;
    clock.step("arguments");
    let session = Session {
        engine: engine(options, &program)?,
        trace: options.trace,
    };
    clock.step("compile");
    let value = Interpreter::new(&program, &session).call(function, &mut arguments)?;
    clock.step("run");
    results.deliver(value, options.hash)?;
    clock.step("output");
    // All that is on a device goes back to it.
    drop((arguments, session));
    if let Some(error) = runtime::take_unreturned() {
        note(&format_args!(
            "warning: the device did not take back what the run had of it: {error}"
        ));
    }
    Ok(())
}

fn entry<'p>(
    program: &'p HirProgram,
    options: &Run,
    sources: &SourceMap,
) -> Result<&'p HirFunction, Fault> {
    let function = program.function(&options.entry);
    let written = function.filter(|function| source::is_written(function, sources));
    written.ok_or_else(|| {
        let file = options.file.display();
        let text = format!("`{file}` has no function `{}`", options.entry);
        Fault::wrong(None, text)
    })
}

fn engine(options: &Run, program: &HirProgram) -> Result<Engine, Fault> {
    let entries = [options.entry.as_str()];
    if options.engine != EngineName::Interpreter {
        dump::check_writable()?;
    }
    Ok(match options.engine {
        EngineName::Interpreter => Engine::Interpreter,
        EngineName::Jit => Engine::Jit(Jit::compile_shared(program, entries, options.threads)?),
        EngineName::EmulatedNvidia => {
            let gpu = Gpu::emulated(program, entries, Gpu::emulation(Emulated::Nvidia))?;
            Engine::Gpu("emulated-nvidia", gpu)
        }
        EngineName::EmulatedAmd => {
            let gpu = Gpu::emulated(program, entries, Gpu::emulation(Emulated::Amd))?;
            Engine::Gpu("emulated-amd", gpu)
        }
        EngineName::Cuda => Engine::Gpu("cuda", Gpu::real(program, entries, Vendor::Nvidia)?),
        EngineName::Hip => Engine::Gpu("hip", Gpu::real(program, entries, Vendor::Amd)?),
    })
}

/// What the program runs in: its lines go to standard output, its operations to the engine.
struct Session {
    engine: Engine,
    trace: bool,
}

impl Host for Session {
    fn print(&self, line: &str) -> Result<(), HostError> {
        Ok(print_line(line)?)
    }

    fn operation<'p>(
        &self,
        interpreter: &mut Interpreter<'p, '_>,
        function: &'p HirFunction,
        arguments: &mut [Value<'p>],
        call: Span,
    ) -> Result<Option<Value<'p>>, Failure> {
        let trace = |ran: Ran<'_>| {
            if self.trace {
                let (name, engine) = (&function.name, self.engine.name());
                note(&format_args!("trace: {name} {engine} {ran}"));
            }
        };
        self.engine
            .operation(interpreter, function, arguments, call, trace)
    }
}

/// Prints how long each step took, where that is wanted.
struct Clock {
    wanted: bool,
    last: Instant,
}

impl Clock {
    fn new(wanted: bool) -> Self {
        let last = Instant::now();
        Clock { wanted, last }
    }

    fn step(&mut self, name: &str) {
        let now = Instant::now();
        let took: Duration = now - std::mem::replace(&mut self.last, now);
        if self.wanted {
            let milliseconds = took.as_secs_f64() * 1e3;
            note(&format_args!("time: {name} {milliseconds:.3} ms"));
        }
    }
}
