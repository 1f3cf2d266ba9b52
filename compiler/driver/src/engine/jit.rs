#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::num::NonZeroUsize;

use interpreter::{Interpreter, Value};
use mlir_backend::internal::{self, Body, Cause, LinkOptions, Refusal, Target};
use neuro_hir::{FunctionTarget, HirFunction, HirProgram, HirType};
use runtime::{Argument, Callback, FunctionSignature, Parameter, RuntimeError, Signature, Threads};
use tensor::{Tensor, TensorError};

use super::calls::Calls;
use super::memory;
use super::status::{NOTHING_FAILED, decode};
use crate::Fault;

/// A program's operations, compiled for the host.
pub struct Jit {
    /// `None` where the program has no operation.
    code: Option<runtime::Jit>,
    bodies: HashMap<String, Body>,
    refused: HashMap<String, Refusal>,
    /// What shares the loops of the bodies.
    threads: Threads,
}

impl Jit {
    /// Compiles the operations that a run of `entries` may come to.
    pub fn compile<'p>(
        program: &'p HirProgram,
        entries: impl IntoIterator<Item = &'p str>,
    ) -> Result<Jit, Fault> {
        Jit::compile_with(program, entries, &LinkOptions::default(), Threads::one())
    }

    /// The same for `count` threads, which share loops: no bit depends on it.
    pub fn compile_shared<'p>(
        program: &'p HirProgram,
        entries: impl IntoIterator<Item = &'p str>,
        count: NonZeroUsize,
    ) -> Result<Jit, Fault> {
        let options = LinkOptions {
            threads: count.get() > 1,
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
        let takes = |function: &HirFunction| reachable.contains(function.name.as_str());
        let options = LinkOptions {
            takes: &takes,
            target: Target::native(),
            ..*options
        };
        let linked =
            internal::link(program, &options).map_err(|error| Fault::of_backend(&error))?;
        let signatures = linked
            .bodies
            .iter()
            .map(|body| signature(program, body))
            .collect::<Result<Vec<_>, Fault>>()?;
        let code = match signatures.as_slice() {
            [] => None,
            signatures => Some(
                runtime::Jit::load(&linked.llvm_ir, signatures)
                    .map_err(|error| Fault::internal(None, error.to_string()))?,
            ),
        };
        let bodies = linked.bodies.into_iter();
        let refused = linked.refused.into_iter();
        Ok(Jit {
            code,
            bodies: bodies.map(|body| (body.function.clone(), body)).collect(),
            refused: refused
                .map(|one| (one.function.name.clone(), one))
                .collect(),
            threads,
        })
    }

    /// Runs an operation; what is left of its `&mut` arguments is their new value. The functions
    /// that it calls run in the interpreter.
    pub fn run<'p>(
        &self,
        interpreter: &mut Interpreter<'p, '_>,
        function: &HirFunction,
        values: &mut [Value<'p>],
    ) -> Result<Value<'p>, Fault> {
        let needs_gpu = |what| {
            let text = format!("the {what} `{}` needs a GPU engine", function.name);
            Err(Fault::failed(Some(function.span), text))
        };
        match function.target {
            FunctionTarget::Gpu { fallback: false } => return needs_gpu("`@gpu` function"),
            FunctionTarget::Kernel { .. } => return needs_gpu("kernel"),
            FunctionTarget::Host
            | FunctionTarget::HostOperation
            | FunctionTarget::FollowsOperands
            | FunctionTarget::Gpu { fallback: true } => {}
        }
        let (Some(code), Some(body)) = (&self.code, self.bodies.get(&function.name)) else {
            // What no memory holds is past a limit of the backend's too.
            return Err(match memory::first_without(function) {
                Some(panic) => Fault::Panic(Box::new(panic)),
                None => self.no_body(function),
            });
        };
        let mut results = results(function)?;
        let mut status = NOTHING_FAILED;
        let calls = Calls::new(interpreter, body);
        let callbacks = callbacks(values, &calls);
        let mut callbacks = callbacks.iter();
        let mut arguments = Vec::new();
        for (parameter, value) in function.parameters().iter().zip(values) {
            arguments.push(match value {
                Value::Function(_) => match callbacks.next() {
                    Some(callback) => Argument::Function(callback),
                    None => return Err(not_compiled(function, &parameter.ty)),
                },
                Value::Scalar(scalar) => Argument::Scalar(*scalar),
                Value::Tensor(tensor) => match is_written(&parameter.ty) {
                    true => Argument::Result(tensor),
                    false => Argument::Operand(tensor),
                },
                Value::Void
                | Value::Tuple(_)
                | Value::Struct(_)
                | Value::String(_)
                | Value::Reference(_) => return Err(not_compiled(function, &parameter.ty)),
            });
        }
        if !body.checks.is_empty() {
            arguments.push(Argument::Status(&mut status));
        }
        arguments.extend(results.iter_mut().map(Argument::Result));
        if body.shares {
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
        if status != NOTHING_FAILED {
            return Err(match decode(status, body) {
                Some(panic) => Fault::Panic(Box::new(panic)),
                None => {
                    let text = format!("`{}` left the status word {status:#x}", body.symbol);
                    Fault::internal(Some(function.span), text)
                }
            });
        }
        let mut results = results.into_iter().map(Value::Tensor);
        Ok(match function.result {
            HirType::Tuple(_) => Value::Tuple(results.collect()),
            _ => results.next().unwrap_or(Value::Void),
        })
    }

    fn no_body(&self, function: &HirFunction) -> Fault {
        match self.refused.get(&function.name) {
            Some(refused) => not_lowered(function, refused),
            None => {
                let text = format!("`{}` was not compiled", function.name);
                Fault::internal(Some(function.span), text)
            }
        }
    }
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

/// What the body of a function takes: operands, the status word where something is checked, a
/// buffer for each result, then what shares its loops where it has some to share.
pub fn signature(program: &HirProgram, body: &Body) -> Result<Signature, Fault> {
    let function = program.function(&body.function).ok_or_else(|| {
        let text = format!("`{}` is no function of the program", body.function);
        Fault::internal(None, text)
    })?;
    let mut parameters = Vec::new();
    for parameter in function.parameters() {
        let ty = &parameter.ty;
        parameters.push(match (ty.referent(), tensor_parts(ty)) {
            (HirType::Scalar(scalar), _) => Parameter::Scalar(*scalar),
            (HirType::Function(signature), _) => match signature.element_types() {
                Some((parameters, result)) => {
                    Parameter::Function(FunctionSignature { parameters, result })
                }
                None => return Err(not_compiled(function, ty)),
            },
            (_, Some((scalar, shape))) if is_written(ty) => Parameter::Result(scalar, shape),
            (_, Some((scalar, shape))) => Parameter::Operand(scalar, shape),
            (_, None) => return Err(not_compiled(function, ty)),
        });
    }
    if !body.checks.is_empty() {
        parameters.push(Parameter::Status);
    }
    for ty in result_types(function) {
        let (scalar, shape) = tensor_parts(ty).ok_or_else(|| not_compiled(function, ty))?;
        parameters.push(Parameter::Result(scalar, shape));
    }
    if body.shares {
        parameters.push(Parameter::Threads);
    }
    Ok(Signature {
        symbol: body.symbol.clone(),
        parameters,
    })
}

/// A buffer for each result.
fn results(function: &HirFunction) -> Result<Vec<Tensor>, Fault> {
    let zeros = |ty| {
        let (scalar, shape) = tensor_parts(ty).ok_or_else(|| not_compiled(function, ty))?;
        Tensor::zeros(scalar, &shape).map_err(|error| out_of_memory(function, error))
    };
    result_types(function).iter().map(zeros).collect()
}

fn out_of_memory(function: &HirFunction, error: TensorError) -> Fault {
    Fault::Panic(Box::new(memory::out_of_memory(function, error)))
}

fn result_types(function: &HirFunction) -> &[HirType] {
    match &function.result {
        HirType::Void => &[],
        HirType::Tuple(members) => members,
        result @ (HirType::Scalar(_)
        | HirType::Tensor(_)
        | HirType::Reference { .. }
        | HirType::Function(_)
        | HirType::String
        | HirType::Nominal(_)) => std::slice::from_ref(result),
    }
}

/// The element type and the shape of a static tensor of scalars, owned or behind references.
fn tensor_parts(ty: &HirType) -> Option<(shared_types::ScalarType, Vec<u64>)> {
    let tensor = ty.as_tensor()?;
    Some((tensor.scalar()?, tensor.static_extents()?))
}

fn is_written(ty: &HirType) -> bool {
    matches!(ty, HirType::Reference { mutable: true, .. })
}

fn not_compiled(function: &HirFunction, ty: &HirType) -> Fault {
    let text = format!(
        "`{}` was compiled with a {ty} in its signature",
        function.name
    );
    Fault::internal(Some(function.span), text)
}
