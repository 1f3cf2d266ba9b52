//! What a GPU takes of a program, through all stages (backend specification, §GPU kernels).

mod admission;
mod kernels;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use melior::ir::Module;
use melior::ir::attribute::StringAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use mlir_gpu::{Chip, Form, Vendor, has_math_library, is_of_kernels, unlinked_math};
use mlir_kernel::{Failures, Functions, Kernel};
use mlir_lowering::{Body, Cause, Refusal, Selection, SortForm};
use mlir_pipeline::{MlirError, NotLowered, Session, buffer_passes, location_span};
use neuro_hir::{FunctionTarget, HirFunction, HirProgram};

use crate::internal::apart;
use crate::{GpuTarget, on_large_stack};

/// What [`link_gpu`] does.
#[derive(Clone, Copy)]
pub struct GpuOptions<'o> {
    /// Which of the outlined operations it takes; of the `@gpu` functions it takes all.
    pub takes: &'o (dyn Fn(&HirFunction) -> bool + Sync),
    pub chip: Chip,
    pub form: Form,
    /// Whether the vendor's mathematics is linked: `None` asks whether its toolkit is there.
    pub math: Option<bool>,
    /// What a check of a `@kernel` that fails does.
    pub failures: Failures,
}

impl GpuOptions<'_> {
    /// What the vendor's driver takes.
    pub fn of(target: &GpuTarget) -> Result<Self, MlirError> {
        let (vendor, chip) = match target {
            GpuTarget::Nvidia { chip } => (Vendor::Nvidia, chip),
            GpuTarget::Amd { chip } => (Vendor::Amd, chip),
        };
        Ok(GpuOptions {
            takes: &|_| true,
            chip: Chip::find(vendor, chip)?,
            form: Form::Native,
            math: None,
            failures: Failures::Stop,
        })
    }
}

/// What [`crate::lower_for_gpu`] knows.
#[derive(Default)]
pub struct GpuLinked {
    pub llvm_ir: String,
    pub bodies: Vec<Body>,
    /// The bodies that are `@kernel` functions, once more.
    pub kernels: Vec<Kernel>,
    /// The outlined operations without a GPU body, and why.
    pub refused: Vec<Refusal>,
    /// The device's code, empty where there is none.
    pub binary: Vec<u8>,
    /// The time that each stage took, in order.
    pub times: Vec<(&'static str, Duration)>,
}

const PREFIX: &str = "__neuro_gpu_";

/// [`crate::lower_for_gpu`] for any form of the device's code, with what was refused and how long
/// each stage took.
pub fn link_gpu(program: &HirProgram, options: &GpuOptions<'_>) -> Result<GpuLinked, MlirError> {
    on_large_stack(|| {
        let mut linked = GpuLinked::default();
        let mut start = Instant::now();
        let mut spent = |linked: &mut GpuLinked, stage| {
            let now = Instant::now();
            linked.times.push((stage, now - start));
            start = now;
        };
        let session = Session::new("gpu")?;
        spent(&mut linked, "context");
        let mut outlined = outlined(&session, program, options)?;
        linked.bodies = outlined.bodies;
        linked.kernels = outlined.kernels;
        linked.refused = outlined.refused;
        spent(&mut linked, "outlining");
        if linked.bodies.is_empty() {
            return Ok(linked);
        }
        linked.binary = mlir_gpu::serialize(
            &session,
            &mut outlined.module,
            options.chip,
            options.form,
            outlined.math,
        )?;
        spent(&mut linked, "serialization");
        let context = inkwell::context::Context::create();
        let module = mlir_pipeline::translate(&session, &outlined.module, &context)?;
        linked.llvm_ir = mlir_pipeline::finish(&session, &module)?;
        spent(&mut linked, "translation");
        Ok(linked)
    })
}

/// The module of kernels and host functions that launch them, before either is lowered to its
/// machine, as text.
pub fn gpu_mlir(program: &HirProgram, options: &GpuOptions<'_>) -> Result<String, MlirError> {
    on_large_stack(|| {
        let session = Session::new("gpu")?;
        let outlined = outlined(&session, program, options)?;
        Ok(outlined.module.as_operation().to_string())
    })
}

struct Outlined<'c> {
    module: Module<'c>,
    bodies: Vec<Body>,
    kernels: Vec<Kernel>,
    refused: Vec<Refusal>,
    /// Whether the vendor's mathematics is linked.
    math: bool,
}

fn outlined<'c>(
    session: &'c Session,
    program: &HirProgram,
    options: &GpuOptions<'_>,
) -> Result<Outlined<'c>, MlirError> {
    let mut refused: Vec<Refusal> = Vec::new();
    let mut takes = HashSet::new();
    for function in program
        .functions()
        .filter(|function| may_run_on_gpu(function))
        .filter(|function| !function.target.is_outlined() || (options.takes)(function))
    {
        match admission::refusal(function) {
            Some(function) => refused.push(no_form(function)),
            None => {
                takes.insert(function.name.as_str());
            }
        }
    }
    let functions = Functions::new(program, PREFIX);
    let selection = Selection {
        takes: &|function| takes.contains(function.name.as_str()),
        prefix: PREFIX,
        sorts: SortForm::Merge,
        functions: Some(&|function, place| functions.find(function, place)),
    };
    let lowered = mlir_lowering::link_module(session, program, &selection)?;
    let (mut module, mut bodies) = (lowered.module, lowered.bodies);
    refused.extend(lowered.refused);
    session.dump_after("lowering", &module)?;
    let threads = kernels::threads(session, program, functions, options)?;
    mlir_pipeline::fuse(session, &mut module, &apart(&bodies, false))?;

    let math = match options.math {
        Some(math) => math,
        None => math([&module, &threads.module], || {
            has_math_library(options.chip.vendor)
        })?,
    };
    if !math {
        without_math(&module, &threads.module, &mut refused);
        without_math(&threads.module, &threads.module, &mut refused);
        kernels::all_lowered(program, &refused)?;
    }
    mlir_pipeline::run_passes(session, &mut module, &buffer_passes())?;
    mlir_gpu::move_functions(threads.module, &module);
    let on_host = mlir_gpu::outline(session, &mut module, options.chip)?;
    refused.extend(on_host.into_iter().map(|function| {
        let name = function.name.strip_prefix(PREFIX);
        no_form(NotLowered {
            name: name.unwrap_or_default().to_string(),
            ..function
        })
    }));
    let position = |name: &str| {
        program
            .functions()
            .position(|function| function.name == name)
    };
    refused.sort_by_cached_key(|refusal| position(&refusal.function.name));
    bodies.extend(threads.bodies);
    bodies.retain(|body| {
        refused
            .iter()
            .all(|refusal| refusal.function.name != body.function)
    });
    bodies.sort_by_cached_key(|body| position(&body.function));
    let strict = |name: &str| {
        let function = program.function(name);
        function.is_some_and(|function| matches!(function.target, FunctionTarget::Gpu { .. }))
    };
    let strict: Vec<NotLowered> = refused
        .iter()
        .filter(|refusal| strict(&refusal.function.name))
        .map(|refusal| refusal.function.clone())
        .collect();
    match strict.is_empty() {
        true => Ok(Outlined {
            module,
            bodies,
            kernels: threads.kernels,
            refused,
            math,
        }),
        false => Err(MlirError::GpuBodiesNotLowered(strict)),
    }
}

/// The `@gpu` functions, and the outlined operations that run where their operands live.
fn may_run_on_gpu(function: &HirFunction) -> bool {
    match function.target {
        FunctionTarget::Gpu { .. } | FunctionTarget::FollowsOperands => true,
        FunctionTarget::Host | FunctionTarget::HostOperation | FunctionTarget::Kernel { .. } => {
            false
        }
    }
}

/// Whether library mathematics is linked. The toolkit is looked for once at most, and not at all
/// for a program that calls none.
fn math(
    modules: [&Module<'_>; 2],
    is_there: impl FnOnce() -> Result<bool, MlirError>,
) -> Result<bool, MlirError> {
    let calls = |module: &&Module<'_>| {
        let first = module.body().first_operation();
        let mut functions = std::iter::successors(first, |function| function.next_in_block());
        functions.any(|function| unlinked_math(function, module).is_some())
    };
    match modules.iter().any(calls) {
        true => is_there(),
        false => Ok(false),
    }
}

/// Refuses the functions of the module that call library mathematics, themselves or in `others`, and
/// removes them.
fn without_math<'c>(module: &Module<'c>, others: &Module<'c>, refused: &mut Vec<Refusal>) {
    let mut next = module.body().first_operation();
    while let Some(function) = next {
        next = function.next_in_block();
        let Some(call) = unlinked_math(function, others).filter(|_| !is_of_kernels(function))
        else {
            continue;
        };
        let symbol = function.attribute("sym_name");
        let symbol = symbol.and_then(StringAttribute::try_from);
        let name = symbol.map_or(String::new(), |symbol| {
            symbol.value().trim_start_matches(PREFIX).to_string()
        });
        refused.push(no_form(NotLowered {
            name,
            span: location_span(call.location()).unwrap_or_default(),
            reason: "it calls the vendor's mathematics, and the toolkit that has it was not found"
                .to_string(),
        }));
        mlir_gpu::remove(function);
    }
}

fn no_form(function: NotLowered) -> Refusal {
    Refusal {
        function,
        cause: Cause::NoForm,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_toolkit_is_looked_for_once_and_only_for_mathematics() {
        let session = Session::new("test").unwrap();
        let function = |operation: &str| {
            let text = format!(
                "func.func @f(%x: f32) -> f32 {{ %y = {operation} %x : f32 return %y : f32 }}"
            );
            Module::parse(session.context(), &text).unwrap()
        };
        let (plain, calling) = (function("arith.negf"), function("math.exp"));
        for (modules, probes) in [
            ([&plain, &plain], 0),
            ([&plain, &calling], 1),
            ([&calling, &calling], 1),
        ] {
            for answer in [true, false] {
                let mut probed = 0;
                let math = math(modules, || {
                    probed += 1;
                    Ok(answer)
                });
                assert_eq!(probed, probes);
                assert_eq!(math.unwrap(), answer && probes > 0);
            }
        }
    }
}
