//! What this project's own driver needs beyond the API. No part of it: it changes freely.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use inkwell::module::Module;
pub use mlir_gpu::{Chip, Form, Vendor};
pub use mlir_kernel::{Failures, Fault, Kernel, KernelCheck, REPORT_WORDS, Report};
pub use mlir_lowering::{Body, Cause, IterationSpace, Refusal, SortForm, Traversal};
use mlir_lowering::{BodyParameter, ContractionShape, Selection};
use mlir_pipeline::{Failure, MlirError, Session, buffer_passes, loop_passes};
pub use mlir_pipeline::{bitcode_text, host_pipeline};
pub use mlir_schedule::{Sharing, Target};
use neuro_hir::{FunctionTarget, HirFunction, HirProgram};

pub use crate::gpu::{GpuLinked, GpuOptions, gpu_mlir, link_gpu};
use crate::on_large_stack;
use crate::twins::{Twins, forward};

/// What [`crate::lower_for_link`] knows.
#[derive(Default)]
pub struct Linked {
    pub llvm_ir: String,
    pub bodies: Vec<Body>,
    /// The functions that should have a host body and have none, and why.
    pub refused: Vec<Refusal>,
    /// The time that each stage took, in order.
    pub times: Vec<(&'static str, Duration)>,
}

const HOST: Selection<'static> = Selection {
    takes: &has_host_body,
    prefix: "__neuro_mlir_",
    sorts: SortForm::Runs,
    functions: None,
};

/// So many bodies share an MLIR module: what the passes cost grows faster than a module does.
const BODIES_A_MODULE: usize = 50;

/// What [`link`] does.
pub struct LinkOptions<'o> {
    /// Which of the functions with a host body it takes.
    pub takes: &'o (dyn Fn(&HirFunction) -> bool + Sync),
    /// What the contractions are scheduled for.
    pub target: Target,
    /// Neither schedules nor fuses: each operation is the loops that it is lowered to. That
    /// changes no bit, which tests hold by it.
    pub plain: bool,
    /// Lets threads share the loops of contractions: a body with such a loop takes two more
    /// pointers (the ABI, §Threads). That changes no bit either.
    pub threads: Sharing,
    pub sorts: SortForm,
}

impl Default for LinkOptions<'_> {
    fn default() -> Self {
        LinkOptions {
            takes: &|_| true,
            target: Target::GENERIC,
            plain: false,
            threads: Sharing::None,
            sorts: HOST.sorts,
        }
    }
}

/// [`crate::lower_for_link`] with what each status word means, what was refused, and how long
/// each stage took.
pub fn link(program: &HirProgram, options: &LinkOptions<'_>) -> Result<Linked, MlirError> {
    on_large_stack(|| {
        let functions = program
            .functions()
            .filter(|function| has_host_body(function) && (options.takes)(function));
        let twins = Twins::of(functions);
        let mut linked = Linked::default();
        let start = Instant::now();
        let session = Session::new("link")?;
        let context = inkwell::context::Context::create();
        linked.spent("context", start);
        let mut whole: Option<Module> = None;
        linked.add_all(
            &session,
            program,
            &twins.firsts,
            options,
            &context,
            &mut whole,
        )?;
        let mut forwarded = Vec::new();
        let mut left = Vec::new();
        for &(function, first) in &twins.others {
            match linked.twin(function, first) {
                Some(twin) => forwarded.push(twin),
                None => left.push(function),
            }
        }
        linked.add_all(&session, program, &left, options, &context, &mut whole)?;
        if let Some(whole) = whole {
            let start = Instant::now();
            for (twin, first) in forwarded {
                forward(&whole, &twin.symbol, &first).map_err(|error| {
                    MlirError::TranslationFailed(Failure::new(error.to_string()))
                })?;
                mark_results_unaliased(&whole, std::slice::from_ref(&twin));
                linked.bodies.push(twin);
            }
            linked.llvm_ir = mlir_pipeline::finish(&session, &whole)?;
            linked.spent("text", start);
        }
        let functions = program.functions().enumerate();
        let order: HashMap<&str, usize> = functions
            .map(|(index, function)| (function.name.as_str(), index))
            .collect();
        linked
            .bodies
            .sort_by_key(|body| order.get(body.function.as_str()));
        linked
            .refused
            .sort_by_key(|refusal| order.get(refusal.function.name.as_str()));
        Ok(linked)
    })
}

impl Linked {
    /// Adds the bodies of the functions with these names to the whole module.
    fn add_all<'l>(
        &mut self,
        session: &Session,
        program: &HirProgram,
        names: &[&str],
        options: &LinkOptions<'_>,
        context: &'l inkwell::context::Context,
        whole: &mut Option<Module<'l>>,
    ) -> Result<(), MlirError> {
        for names in names.chunks(BODIES_A_MODULE) {
            let names: HashSet<&str> = names.iter().copied().collect();
            let takes = |function: &HirFunction| names.contains(function.name.as_str());
            let Some(module) = self.add(session, program, &takes, options, context)? else {
                continue;
            };
            match whole {
                None => *whole = Some(module),
                Some(whole) => whole.link_in_module(module).map_err(|message| {
                    MlirError::TranslationFailed(Failure::new(message.to_string_lossy()))
                })?,
            }
        }
        Ok(())
    }

    /// The body of a function that is the same as one that has been added, and the symbol of that:
    /// where nothing in the body is of a place in the source.
    fn twin(&self, function: &str, first: &str) -> Option<(Body, String)> {
        let mut bodies = self.bodies.iter();
        let first = bodies.find(|body| body.function == first)?;
        let is_of_no_place = first.checks.is_empty() && first.traversals.is_empty();
        is_of_no_place.then(|| {
            let twin = Body {
                function: function.to_string(),
                symbol: format!("{}{function}", HOST.prefix),
                ..first.clone()
            };
            (twin, first.symbol.clone())
        })
    }

    /// Adds the bodies of the functions taken, and gives their module where there are some.
    fn add<'l>(
        &mut self,
        session: &Session,
        program: &HirProgram,
        takes: &dyn Fn(&HirFunction) -> bool,
        options: &LinkOptions<'_>,
        context: &'l inkwell::context::Context,
    ) -> Result<Option<Module<'l>>, MlirError> {
        let start = Instant::now();
        let selection = Selection {
            takes,
            sorts: options.sorts,
            ..HOST
        };
        let mut lowered = mlir_lowering::link_module(session, program, &selection)?;
        let start = self.spent("lowering", start);
        let module = if lowered.bodies.is_empty() {
            None
        } else {
            session.dump_after("lowering", &lowered.module)?;
            let contractions = |symbol: &str| {
                let body = lowered.bodies.iter().find(|body| body.symbol == symbol);
                body.map_or(&[][..], scheduled)
            };
            if !options.plain {
                let target = &options.target;
                let threads = options.threads;
                mlir_schedule::schedule(session, &lowered.module, contractions, target, threads)?;
                session.dump_after("schedule", &lowered.module)?;
            }
            let start = self.spent("schedule", start);
            let apart = apart(&lowered.bodies, options.plain);
            mlir_pipeline::fuse(session, &mut lowered.module, &apart)?;
            if !options.plain {
                mlir_schedule::write_over_products(&lowered.module);
            }
            let start = self.spent("fusion", start);
            mlir_pipeline::run_passes(session, &mut lowered.module, &buffer_passes())?;
            let start = self.spent("passes", start);
            if !options.plain {
                // While what a block starts from is a read.
                if options.target.prefetches {
                    mlir_schedule::prefetch_blocks(session, &lowered.module)?;
                }
                mlir_schedule::start_from_zeros(session, &lowered.module)?;
                mlir_schedule::fuse_consumers(session, &lowered.module)?;
                mlir_schedule::schedule_nests(session, &lowered.module)?;
                session.dump_after("nests", &lowered.module)?;
            }
            if options.threads != Sharing::None {
                let sharing = mlir_pipeline::outline_shared_loops(session, &lowered.module)?;
                let bodies = lowered.bodies.iter_mut();
                for body in bodies.filter(|body| sharing.contains(&body.symbol)) {
                    body.parameters.push(BodyParameter::Threads);
                }
            }
            if !options.plain {
                mlir_schedule::step_by_rows(session, &lowered.module)?;
                mlir_schedule::branch_on_whole_blocks(session, &lowered.module)?;
                session.dump_after("blocks", &lowered.module)?;
            }
            let start = self.spent("schedule", start);
            mlir_pipeline::run_passes(session, &mut lowered.module, &loop_passes())?;
            let start = self.spent("passes", start);
            let llvm = mlir_pipeline::translate(session, &lowered.module, context)?;
            if options.threads != Sharing::None {
                mlir_pipeline::define_sharing(&llvm)?;
            }
            mark_results_unaliased(&llvm, &lowered.bodies);
            self.spent("translation", start);
            Some(llvm)
        };
        self.bodies.append(&mut lowered.bodies);
        self.refused.append(&mut lowered.refused);
        Ok(module)
    }

    /// Counts the time since `start` for a stage; the next one starts now.
    fn spent(&mut self, stage: &'static str, start: Instant) -> Instant {
        let now = Instant::now();
        match self.times.iter_mut().find(|(name, _)| *name == stage) {
            Some((_, time)) => *time += now - start,
            None => self.times.push((stage, now - start)),
        }
        now
    }
}

/// The module that [`link`] starts from, before any pass, as text.
pub fn link_mlir(program: &HirProgram) -> Result<String, MlirError> {
    on_large_stack(|| {
        let session = Session::new("link")?;
        let lowered = mlir_lowering::link_module(&session, program, &HOST)?;
        Ok(lowered.module.as_operation().to_string())
    })
}

/// The script that schedules each body with a contraction, under a comment that says what it is; of
/// the other bodies, and of what was refused, a comment.
pub fn schedules(
    program: &HirProgram,
    target: &Target,
    threads: Sharing,
) -> Result<String, MlirError> {
    on_large_stack(|| {
        let session = Session::new("schedule")?;
        let lowered = mlir_lowering::link_module(&session, program, &HOST)?;
        let bodies = lowered.bodies.iter().map(|body| {
            let symbol = &body.symbol;
            let reason = match (&body.contractions[..], scheduled(body)) {
                ([], _) => "it has no contraction that a script takes",
                (_, []) => "its integer checks keep its loops as they are",
                (_, scheduled) => {
                    let script = mlir_schedule::text(scheduled, target, threads);
                    return format!("// {symbol}: {WHAT_A_SCRIPT_IS}\n{script}");
                }
            };
            format!("// {symbol}: no script: {reason}\n")
        });
        let refused = lowered.refused.iter().map(|Refusal { function, .. }| {
            format!("// {}: no body: {}\n", function.name, function.reason)
        });
        Ok(bodies.chain(refused).collect::<Vec<String>>().join("\n"))
    })
}

const WHAT_A_SCRIPT_IS: &str = "\
the transform script by which MLIR brings the loops of its contractions
// into the order that is best for this machine; no element is computed in another way.";

/// The contractions of a body that a schedule takes. It drops what nothing reads, checks too: a
/// body that has some stays as it is.
fn scheduled(body: &Body) -> &[ContractionShape] {
    match body.checks.is_empty() {
        true => &body.contractions,
        false => &[],
    }
}

/// The symbols of the bodies that fusion leaves alone: those with integer checks and an operation
/// without points.
pub(crate) fn apart(bodies: &[Body], plain: bool) -> HashSet<&str> {
    let apart = bodies.iter().filter(|body| {
        let mut extents = body
            .spaces
            .iter()
            .flat_map(|space| space.result.iter().chain(&space.folded));
        let loses_checks = !body.checks.is_empty() && extents.any(|&extent| extent == 0);
        plain || loses_checks
    });
    apart.map(|body| body.symbol.as_str()).collect()
}

fn mark_results_unaliased(module: &Module<'_>, bodies: &[Body]) {
    for body in bodies.iter().filter(|body| body.has_result) {
        if let Some(function) = module.get_function(&body.symbol) {
            // Two function values may share their environment, which their code writes; what
            // shares loops, the last two parameters, is as free.
            let count = function.count_params() as usize;
            let threads = count - if body.shares_loops() { 2 } else { 0 }..count;
            let free: Vec<usize> = body
                .function_pointers
                .iter()
                .copied()
                .chain(threads)
                .collect();
            mlir_pipeline::mark_pointers_noalias(function, &free);
        }
    }
}

/// The outlined operations, and the functions that may run on the host as well as on a GPU.
fn has_host_body(function: &HirFunction) -> bool {
    match function.target {
        FunctionTarget::HostOperation | FunctionTarget::FollowsOperands => true,
        FunctionTarget::Gpu { fallback } => fallback,
        FunctionTarget::Host | FunctionTarget::Kernel { .. } => false,
    }
}
