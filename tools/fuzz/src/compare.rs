//! Runs generated functions on each engine, and holds what they give to one another.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use driver::Fault;
use driver::engine::{Engine, Gpu, Jit, Sharing};
use frontend::Options;
use gpu_emulator::{Placement, Vendor};
use interpreter::{Failure, Host, HostError, Interpreter, Value};
use neuro_hir::{FunctionTarget, HirFunction, HirProgram, HirType, Tier};
use serde::{Deserialize, Serialize};
use shared_types::{SourceFile, SourceMap, Span};
use tensor::Tensor;

use crate::contents::Contents;
use crate::generate::Domain;
use crate::share::Share;

/// Functions that are compiled together, and what each is called with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub setting: Setting,
    /// The first one says what is right.
    pub engines: Vec<EngineName>,
    pub calls: Vec<Call>,
}

/// How a job's functions are compiled and run.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Setting {
    pub wrapping: bool,
    /// The order of blocks and threads on an emulated device.
    pub order: u64,
    /// Whether the start of an emulated device's buffers is at an inaccessible page, and not the end.
    pub guards_start: bool,
}

impl Setting {
    /// Of jobs by their number: each has its order, and the others take turns.
    pub fn of_turn(number: u64) -> Setting {
        Setting {
            wrapping: number % 2 == 1,
            order: number,
            guards_start: number % 4 >= 2,
        }
    }
}

/// A function of a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Call {
    pub name: String,
    /// Empty where an earlier call has it.
    pub source: String,
    /// What its parameters hold.
    pub contents: Vec<Contents>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
pub enum EngineName {
    Interpreter,
    Jit,
    /// The JIT without schedules and fusion.
    Plain,
    /// The JIT, whose threads share the loops of contractions however small.
    JitThreads,
    EmulatedNvidia,
    EmulatedAmd,
}

/// What shares a loop: more than the steps of some, and no divisor of most.
const THREADS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(2);

/// What came of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The engines agree; where `panicked`, on a panic. Where it needs a GPU, without those that have
    /// none.
    Same { panicked: bool, needs_gpu: bool },
    /// They do not, or one of them fails.
    Different(String),
}

/// What came of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// On each call.
    pub verdicts: Vec<Verdict>,
    /// Of the engines that have a device, by name.
    pub shares: BTreeMap<String, Share>,
}

/// Runs the functions of a job.
///
/// # Errors
/// Why the functions do not compile, some of them or together.
pub fn run(job: &Job) -> Result<Compared, String> {
    let mut sources = SourceMap::default();
    let has_device = domain(&job.engines) == Domain::Device;
    let on_host = compile(job, Domain::Host, &mut sources)?;
    let on_device = has_device.then(|| compile(job, Domain::Device, &mut sources));
    let on_device = on_device.transpose()?;
    let entries: Vec<&str> = job.calls.iter().map(|call| call.name.as_str()).collect();
    let mut sides = Vec::new();
    for &name in &job.engines {
        let program = match (name.domain(), &on_device) {
            (Domain::Device, Some(program)) => program,
            _ => &on_host,
        };
        let engine = name.engine(program, &entries, job.setting);
        let engine = engine.map_err(|fault| format!("{name:?}: {fault}"))?;
        let share = RefCell::default();
        sides.push(Side {
            name,
            program,
            engine,
            share,
        });
    }
    let verdict = |call| verdict(&sources, &sides, call).unwrap_or_else(Verdict::Different);
    let verdicts = job.calls.iter().map(verdict).collect();
    let sides = sides.into_iter();
    let shares = sides
        .filter(|side| side.name.domain() == Domain::Device)
        .map(|side| (side.engine.name().to_string(), side.share.into_inner()));
    Ok(Compared {
        verdicts,
        shares: shares.collect(),
    })
}

/// Of the functions that some engines are compared by.
pub fn domain(engines: &[EngineName]) -> Domain {
    let has_device = |name: &EngineName| name.domain() == Domain::Device;
    match engines.iter().any(has_device) {
        true => Domain::Device,
        false => Domain::Host,
    }
}

/// The program of a job's functions for an engine of the domain, its file being called `f.nr`.
pub fn compile(job: &Job, domain: Domain, sources: &mut SourceMap) -> Result<HirProgram, String> {
    let text: String = job.calls.iter().map(|call| call.source.as_str()).collect();
    let file = sources.add(SourceFile::new("f.nr", text));
    let options = Options {
        tier: if job.setting.wrapping {
            Tier::Wrapping
        } else {
            Tier::Checked
        },
        on_device: domain == Domain::Device,
    };
    let program = frontend::compile(sources, file, options).map_err(|faults| {
        let faults = faults.iter().map(|fault| fault.render(sources));
        faults.collect::<String>()
    })?;
    program
        .verify()
        .map_err(|errors| format!("not verified: {errors:?}"))?;
    Ok(program)
}

impl EngineName {
    /// What is compared where nothing else is asked for.
    pub const HOST: [EngineName; 4] = [
        EngineName::Interpreter,
        EngineName::Jit,
        EngineName::Plain,
        EngineName::JitThreads,
    ];

    fn domain(self) -> Domain {
        match self {
            EngineName::Interpreter
            | EngineName::Jit
            | EngineName::Plain
            | EngineName::JitThreads => Domain::Host,
            EngineName::EmulatedNvidia | EngineName::EmulatedAmd => Domain::Device,
        }
    }

    fn engine(
        self,
        program: &HirProgram,
        entries: &[&str],
        setting: Setting,
    ) -> Result<Engine, Fault> {
        let emulated = |name, vendor| {
            let options = gpu_emulator::Options {
                seed: setting.order,
                placement: match setting.guards_start {
                    true => Placement::Start,
                    false => Placement::End,
                },
                ..Gpu::emulation(vendor)
            };
            let gpu = Gpu::emulated(program, entries.iter().copied(), options)?;
            Ok(Engine::Gpu(name, gpu))
        };
        let entries = entries.iter().copied();
        match self {
            EngineName::Interpreter => Ok(Engine::Interpreter),
            EngineName::Jit => Ok(Engine::Jit(Jit::compile(program, entries)?)),
            EngineName::Plain => Ok(Engine::Jit(Jit::compile_plain(program, entries)?)),
            EngineName::JitThreads => Ok(Engine::Jit(Jit::compile_sharing(
                program,
                entries,
                THREADS,
                Sharing::All,
            )?)),
            EngineName::EmulatedNvidia => emulated("emulated-nvidia", Vendor::Nvidia),
            EngineName::EmulatedAmd => emulated("emulated-amd", Vendor::Amd),
        }
    }
}

/// An engine with the program that it runs.
struct Side<'p> {
    name: EngineName,
    program: &'p HirProgram,
    engine: Engine,
    share: RefCell<Share>,
}

/// What a call leaves, to be compared.
pub struct Outcome {
    /// What the function gives, then what is left of its `&mut` arguments; or the line of a panic.
    pub values: Result<Vec<Tensor>, String>,
    /// The lines that it printed.
    pub printed: Vec<String>,
    pub share: Share,
}

fn verdict(sources: &SourceMap, sides: &[Side<'_>], call: &Call) -> Result<Verdict, String> {
    let mut expected: Option<Outcome> = None;
    let mut needs_gpu = false;
    for side in sides {
        let name = side.name;
        if matches!(side.engine, Engine::Jit(_)) && self::needs_gpu(side.program, &call.name) {
            needs_gpu = true;
            continue;
        }
        let function = side.program.function(&call.name);
        let function = function.ok_or("the function is gone")?;
        let found = outcome(
            side.program,
            sources,
            function,
            &side.engine,
            &call.contents,
        );
        let found = found.map_err(|fault| format!("{name:?}: {fault}"))?;
        side.share.borrow_mut().merge(&found.share);
        match &expected {
            None => expected = Some(found),
            Some(expected) => {
                if let Some(difference) = difference(expected, &found) {
                    let first = sides[0].name;
                    return Ok(Verdict::Different(format!(
                        "{first:?} and {name:?}: {difference}"
                    )));
                }
            }
        }
    }
    let panicked = expected.is_some_and(|expected| expected.values.is_err());
    Ok(Verdict::Same {
        panicked,
        needs_gpu,
    })
}

/// Whether a function comes to one that the host runs by the interpreter alone.
pub fn needs_gpu(program: &HirProgram, function: &str) -> bool {
    let reachable = program.reachable_from([function]);
    let mut functions = program.functions();
    functions.any(|function| {
        let is_gpu = match function.target {
            FunctionTarget::Kernel { .. } => true,
            FunctionTarget::Gpu { fallback } => !fallback,
            FunctionTarget::Host
            | FunctionTarget::HostOperation
            | FunctionTarget::FollowsOperands => false,
        };
        is_gpu && reachable.contains(function.name.as_str())
    })
}

/// Calls a function.
///
/// # Errors
/// A failure that is not the program's.
pub fn outcome(
    program: &HirProgram,
    sources: &SourceMap,
    function: &HirFunction,
    engine: &Engine,
    contents: &[Contents],
) -> Result<Outcome, String> {
    let mut arguments = Vec::new();
    for (parameter, contents) in function.parameters().iter().zip(contents) {
        arguments.push(argument(&parameter.name, &parameter.ty, contents)?);
    }
    let host = Keeping {
        engine,
        printed: RefCell::default(),
        places: RefCell::default(),
    };
    let result = Interpreter::new(program, &host).call(function, &mut arguments);
    let (printed, places) = (host.printed.into_inner(), host.places.into_inner());
    let mut share = Share::default();
    places.values().for_each(|place| share.add(place));
    let value = match result {
        Ok(value) => value,
        Err(failure) => match Fault::from(failure) {
            Fault::Panic(panic) => {
                let values = Err(format!("{}: {panic}", sources.locate(panic.span)));
                return Ok(Outcome {
                    values,
                    printed,
                    share,
                });
            }
            fault => return Err(fault.to_string()),
        },
    };
    let mut tensors = Vec::new();
    flatten(value, &mut tensors)?;
    for (parameter, argument) in function.parameters().iter().zip(arguments) {
        if let HirType::Reference { mutable: true, .. } = parameter.ty {
            flatten(argument, &mut tensors)?;
        }
    }
    let values = Ok(tensors);
    Ok(Outcome {
        values,
        printed,
        share,
    })
}

fn argument<'p>(name: &str, ty: &HirType, contents: &Contents) -> Result<Value<'p>, String> {
    let failed = |error: tensor::TensorError| error.to_string();
    if let Some(scalar) = ty.as_scalar() {
        let tensor = contents.tensor(name, scalar, &[]).map_err(failed)?;
        return Ok(Value::Scalar(tensor.get(0).map_err(failed)?));
    }
    let tensor = ty
        .as_tensor()
        .and_then(|tensor| Some((tensor.scalar()?, tensor.static_extents()?)));
    let (scalar, shape) = tensor.ok_or_else(|| format!("no argument is a {ty}"))?;
    Ok(Value::Tensor(
        contents.tensor(name, scalar, &shape).map_err(failed)?,
    ))
}

fn flatten(value: Value<'_>, into: &mut Vec<Tensor>) -> Result<(), String> {
    match value {
        Value::Void => {}
        Value::Scalar(scalar) => {
            into.push(Tensor::from_scalar(scalar).map_err(|error| error.to_string())?)
        }
        Value::Tensor(tensor) => into.push(tensor),
        Value::Tuple(members) => {
            for member in members {
                flatten(member, into)?;
            }
        }
        Value::Remote(_)
        | Value::Struct(_)
        | Value::Function(_)
        | Value::String(_)
        | Value::Reference(_) => {
            return Err("a result that cannot be compared".into());
        }
    }
    Ok(())
}

/// Where two outcomes differ; two NaNs do not.
fn difference(expected: &Outcome, found: &Outcome) -> Option<String> {
    if expected.printed != found.printed {
        return Some(format!(
            "{:?} and {:?} are printed",
            expected.printed, found.printed
        ));
    }
    match (&expected.values, &found.values) {
        (Ok(expected), Ok(found)) if expected.len() == found.len() => {
            let pairs = expected.iter().zip(found).enumerate();
            pairs.into_iter().find_map(|(at, (expected, found))| {
                let place = different_element(expected, found)?;
                Some(format!("value {at}: {place}"))
            })
        }
        (Err(expected), Err(found)) if expected == found => None,
        _ => Some(format!("{} and {}", shown(expected), shown(found))),
    }
}

fn different_element(expected: &Tensor, found: &Tensor) -> Option<String> {
    if expected.same_bits(found) {
        return None;
    }
    let element = |tensor: &Tensor, at| tensor.get(at).and_then(Tensor::from_scalar).ok();
    let differs = |at: &usize| match (element(expected, *at), element(found, *at)) {
        (Some(a), Some(b)) => !a.same_bits(&b),
        _ => true,
    };
    let at = (0..expected.len().max(found.len())).find(differs);
    Some(match at {
        Some(at) => format!(
            "element {at} is {:?} and {:?}",
            expected.get(at),
            found.get(at)
        ),
        None => format!("{:?} and {:?}", expected.shape(), found.shape()),
    })
}

fn shown(outcome: &Outcome) -> String {
    match &outcome.values {
        Ok(values) => format!("{} values", values.len()),
        Err(panic) => format!("`{panic}`"),
    }
}

/// Keeps what a program prints, and where its operations run.
struct Keeping<'e> {
    engine: &'e Engine,
    printed: RefCell<Vec<String>>,
    /// By the operation's name, as a trace says it.
    places: RefCell<BTreeMap<String, String>>,
}

impl Host for Keeping<'_> {
    fn print(&self, line: &str) -> Result<(), HostError> {
        self.printed.borrow_mut().push(line.to_string());
        Ok(())
    }

    fn operation<'p>(
        &self,
        interpreter: &mut Interpreter<'p, '_>,
        function: &'p HirFunction,
        arguments: &mut [Value<'p>],
        call: Span,
    ) -> Result<Option<Value<'p>>, Failure> {
        self.engine
            .operation(interpreter, function, arguments, call, |ran| {
                let mut places = self.places.borrow_mut();
                places.insert(function.name.clone(), ran.to_string());
            })
    }
}
