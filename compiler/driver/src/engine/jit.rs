#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::num::NonZeroUsize;

use clap::ValueEnum;
use frontend::Note;
use interpreter::{Interpreter, Value};
use mlir_backend::BodyParameter;
use mlir_backend::internal::{self, Body, Cause, LinkOptions, Refusal, Sharing, Target};
use neuro_hir::{FunctionTarget, HirFunction, HirProgram, HirType};
use runtime::{Argument, Callback, FunctionSignature, Parameter, RuntimeError, Signature, Threads};
use shared_types::Span;
use tensor::{Tensor, TensorError};

use super::calls::Calls;
use super::code::Code;
use super::memory;
use super::status::{NOTHING_FAILED, passed};
use crate::Fault;
use crate::cli::{EngineName, name_of};
use crate::fault::Message;

/// A program's operations, compiled for the host.
pub struct Jit {
    code: Code<runtime::Jit>,
    /// What shares the loops of the bodies.
    threads: Threads,
}

impl Jit {
    /// Compiles the operations that a run of `entries` may come to.
    pub fn compile<'p>(
        program: &'p HirProgram,
        entries: impl IntoIterator<Item = &'p str>,
    ) -> Result<Jit, Fault> {
        Jit::compile_without(program, entries, &HashSet::new())
    }

    /// The same but for the functions of these names, which something else runs.
    pub fn compile_without<'p>(
        program: &'p HirProgram,
        entries: impl IntoIterator<Item = &'p str>,
        without: &HashSet<&str>,
    ) -> Result<Jit, Fault> {
        let takes = |function: &HirFunction| !without.contains(function.name.as_str());
        let options = LinkOptions {
            takes: &takes,
            ..LinkOptions::default()
        };
        Jit::compile_with(program, entries, &options, Threads::one())
    }

    /// The same for `count` threads, which share loops: no bit depends on it.
    pub fn compile_shared<'p>(
        program: &'p HirProgram,
        entries: impl IntoIterator<Item = &'p str>,
        count: NonZeroUsize,
    ) -> Result<Jit, Fault> {
        Jit::compile_sharing(program, entries, count, (count.get() > 1).into())
    }

    /// The same for `count` threads that share the loops of these contractions.
    pub fn compile_sharing<'p>(
        program: &'p HirProgram,
        entries: impl IntoIterator<Item = &'p str>,
        count: NonZeroUsize,
        sharing: Sharing,
    ) -> Result<Jit, Fault> {
        let options = LinkOptions {
            threads: sharing,
            ..LinkOptions::default()
        };
        let threads =
            Threads::new(count).map_err(|error| Fault::failed(None, error.to_string()))?;
        Jit::compile_with(program, entries, &options, threads)
    }

    /// The same without schedules and fusion: the loops of each operation as they are lowered.
    pub fn compile_plain<'p>(
        program: &'p HirProgram,
        entries: impl IntoIterator<Item = &'p str>,
    ) -> Result<Jit, Fault> {
        let options = LinkOptions {
            plain: true,
            ..LinkOptions::default()
        };
        Jit::compile_with(program, entries, &options, Threads::one())
    }

    fn compile_with<'p>(
        program: &'p HirProgram,
        entries: impl IntoIterator<Item = &'p str>,
        options: &LinkOptions<'_>,
        threads: Threads,
    ) -> Result<Jit, Fault> {
        let reachable = program.reachable_from(entries);
        let takes = |function: &HirFunction| {
            reachable.contains(function.name.as_str()) && (options.takes)(function)
        };
        let options = LinkOptions {
            takes: &takes,
            target: Target::native(),
            ..*options
        };
        let linked =
            internal::link(program, &options).map_err(|error| Fault::of_backend(&error))?;
        let code = Code::load(linked.bodies, linked.refused, |signatures| {
            runtime::Jit::load(&linked.llvm_ir, signatures)
        })?;
        Ok(Jit { code, threads })
    }

    /// Runs an operation; what is left of its `&mut` arguments is their new value. The functions
    /// that it calls run in the interpreter.
    pub fn run<'p>(
        &self,
        interpreter: &mut Interpreter<'p, '_>,
        function: &HirFunction,
        values: &mut [Value<'p>],
    ) -> Result<Value<'p>, Fault> {
        let (Some(code), Some(body)) = (&self.code.jit, self.code.bodies.get(&function.name))
        else {
            // What no memory holds is past a limit of the backend's too.
            return Err(match memory::first_without(function) {
                Some(panic) => Fault::Panic(Box::new(panic)),
                None => self.no_body(function),
            });
        };
        let mut results = results(function, body)?;
        let mut status = NOTHING_FAILED;
        let calls = Calls::new(interpreter, body);
        let callbacks = callbacks(values, &calls);
        let mut callbacks = callbacks.iter();
        let mut arguments = Vec::new();
        for (parameter, value) in body.parameters.iter().zip(values) {
            let argument = match (parameter, value) {
                (
                    BodyParameter::Scalar(_) | BodyParameter::Position { .. },
                    Value::Scalar(scalar),
                ) => Some(Argument::Scalar(*scalar)),
                (BodyParameter::Operand { .. }, Value::Tensor(tensor)) => {
                    Some(Argument::Operand(tensor))
                }
                (BodyParameter::Target { .. }, Value::Tensor(tensor)) => {
                    Some(Argument::Result(tensor))
                }
                (BodyParameter::Function { .. }, Value::Function(_)) => callbacks
                    .next()
                    .map(|callback| Argument::Function(callback)),
                _ => None,
            };
            arguments.push(argument.ok_or_else(|| {
                let text = format!("`{}` was called with another argument", function.name);
                Fault::internal(Some(function.span), text)
            })?);
        }
        if !body.checks.is_empty() {
            arguments.push(Argument::Status(&mut status));
        }
        arguments.extend(results.iter_mut().map(Argument::Result));
        if body.shares_loops() {
            arguments.push(Argument::Threads(&self.threads));
        }
        let called = code.call(&body.symbol, &mut arguments);
        if let Some(failure) = calls.failure() {
            return Err(failure.into());
        }
        called.map_err(|error| match error {
            RuntimeError::Tensor(error) => out_of_memory(function, error),
            error => Fault::internal(Some(function.span), error.to_string()),
        })?;
        passed(function, body, status)?;
        let mut results = results.into_iter().map(Value::Tensor);
        Ok(match function.result {
            HirType::Tuple(_) => Value::Tuple(results.collect()),
            _ => results.next().unwrap_or(Value::Void),
        })
    }

    fn no_body(&self, function: &HirFunction) -> Fault {
        match self.code.refused.get(&function.name) {
            Some(refused) => not_lowered(function, refused),
            None => {
                let text = format!("`{}` was not compiled", function.name);
                Fault::internal(Some(function.span), text)
            }
        }
    }
}

/// That a function has a body for the host; `call` is where it is called.
pub(super) fn require_host(function: &HirFunction, call: Span) -> Result<(), Fault> {
    let what = match function.target {
        FunctionTarget::Gpu { fallback: false } => "`@gpu` function",
        FunctionTarget::Kernel { .. } => "kernel",
        FunctionTarget::Host
        | FunctionTarget::HostOperation
        | FunctionTarget::FollowsOperands
        | FunctionTarget::Gpu { fallback: true } => return Ok(()),
    };
    let name = &function.name;
    let mut notes = Vec::new();
    // What is called from the command line has no other place than its own.
    if call != function.span {
        notes.push(Note {
            span: Some(function.span),
            text: format!("`{name}` is here"),
        });
    }
    let engines = EngineName::value_variants().iter().copied();
    let engines = engines.filter(|engine| engine.runs_kernels()).map(name_of);
    let engines: Vec<String> = engines.collect();
    notes.push(Note {
        span: None,
        text: format!("these run it: `--engine {}`", engines.join("|")),
    });
    Err(Fault::Failed(Message {
        span: Some(call),
        text: format!("the {what} `{name}` needs a GPU engine, and this one is `jit`"),
        notes,
    }))
}

/// The fault of a function without a body. An outlined operation has one, unless it is past a
/// limit.
pub fn not_lowered(function: &HirFunction, refused: &Refusal) -> Fault {
    let span = Some(refused.function.span);
    let reason = &refused.function.reason;
    let text = format!("`{}` cannot be compiled: {reason}", function.name);
    match refused.cause {
        Cause::NoForm if function.target.is_outlined() => Fault::internal(span, text),
        Cause::NoForm | Cause::Limit => Fault::wrong(span, text),
    }
}

/// The functions among the values, as a body calls them.
fn callbacks<'c, 'p>(values: &[Value<'p>], calls: &'c Calls<'_, 'p, '_>) -> Vec<Box<Callback<'c>>> {
    let mut callbacks: Vec<Box<Callback<'c>>> = Vec::new();
    for value in values {
        if let Value::Function(function) = value {
            let function = function.clone();
            callbacks.push(Box::new(move |arguments| calls.call(&function, arguments)));
        }
    }
    callbacks
}

/// What a body takes, as its code is called.
pub fn signature(body: &Body) -> Signature {
    let parameter = |parameter: &BodyParameter| match parameter {
        BodyParameter::Scalar(scalar)
        | BodyParameter::Position { scalar, .. }
        | BodyParameter::Captured { scalar, .. } => Parameter::Scalar(*scalar),
        BodyParameter::Operand { scalar, shape, .. } => Parameter::Operand(*scalar, shape.clone()),
        BodyParameter::Target { scalar, shape } | BodyParameter::Result { scalar, shape } => {
            Parameter::Result(*scalar, shape.clone())
        }
        BodyParameter::Function { parameters, result } => Parameter::Function(FunctionSignature {
            parameters: parameters.clone(),
            result: *result,
        }),
        BodyParameter::Status => Parameter::Status,
        BodyParameter::Threads => Parameter::Threads,
    };
    Signature {
        symbol: body.symbol.clone(),
        parameters: body.parameters.iter().map(parameter).collect(),
    }
}

/// A buffer for each result.
fn results(function: &HirFunction, body: &Body) -> Result<Vec<Tensor>, Fault> {
    let results = body
        .parameters
        .iter()
        .filter_map(|parameter| match parameter {
            BodyParameter::Result { scalar, shape } => Some(Tensor::zeros(*scalar, shape)),
            BodyParameter::Scalar(_)
            | BodyParameter::Position { .. }
            | BodyParameter::Operand { .. }
            | BodyParameter::Target { .. }
            | BodyParameter::Function { .. }
            | BodyParameter::Captured { .. }
            | BodyParameter::Status
            | BodyParameter::Threads => None,
        });
    let results = results.collect::<Result<_, TensorError>>();
    results.map_err(|error| out_of_memory(function, error))
}

/// The fault of a body that has no memory.
pub(super) fn out_of_memory(function: &HirFunction, error: TensorError) -> Fault {
    Fault::Panic(Box::new(memory::out_of_memory(function, error)))
}
