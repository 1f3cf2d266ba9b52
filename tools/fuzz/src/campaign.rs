//! Runs many functions, on as many processes as are asked for, until one fails or the time is over.

use std::collections::BTreeMap;
use std::io;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::compare::{Call, EngineName, Job, Setting, Verdict, domain};
use crate::coverage::Coverage;
use crate::generate::{self, Domain};
use crate::program::Function;
use crate::share::Share;
use crate::worker::Worker;

/// Functions that are compiled together: a compile costs more than a function.
pub const TOGETHER: u64 = 16;

/// Calls of each with other arguments, which cost next to nothing.
const ROUNDS: u64 = 3;

/// What to run, and for how long.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    /// Ends after this many functions, or after this time.
    pub programs: Option<u64>,
    pub time: Option<Duration>,
    pub engines: Vec<EngineName>,
    /// Processes that run at once.
    pub processes: usize,
}

impl Plan {
    fn domain(&self) -> Domain {
        domain(&self.engines)
    }
}

/// What was run.
#[derive(Debug)]
pub struct Report {
    pub programs: u64,
    pub coverage: Coverage,
    /// Of the engines that have a device, by name.
    pub shares: BTreeMap<String, Share>,
    /// The first failure by its number, if there is one.
    pub failure: Option<Failure>,
}

/// A function that failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Of the seed.
    pub number: u64,
    pub function: Function,
    pub setting: Setting,
    pub why: String,
}

/// The state that the processes' threads share.
struct Shared {
    next: AtomicU64,
    stop: AtomicBool,
    report: Mutex<Report>,
}

/// Runs a plan; `progress` is told now and then how far it is.
///
/// # Errors
/// No process can be started.
pub fn run(
    plan: &Plan,
    command: impl Fn() -> Command + Clone + Send + 'static,
    progress: impl Fn(&Report, Duration),
) -> io::Result<Report> {
    let shared = Shared {
        next: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        report: Mutex::new(Report {
            programs: 0,
            coverage: Coverage::new(plan.domain()),
            shares: BTreeMap::new(),
            failure: None,
        }),
    };
    let start = Instant::now();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..plan.processes)
            .map(|_| {
                let mut worker = Worker::new(command.clone());
                let shared = &shared;
                scope.spawn(move || shared.work(plan, start, &mut worker))
            })
            .collect();
        let mut told = Duration::ZERO;
        while threads.iter().any(|thread| !thread.is_finished()) {
            thread::sleep(Duration::from_millis(100));
            if start.elapsed() > told + Duration::from_secs(5) {
                told = start.elapsed();
                progress(&shared.report(), told);
            }
        }
        threads
            .into_iter()
            .try_for_each(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
    })?;
    Ok(shared
        .report
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner))
}

impl Shared {
    fn report(&self) -> std::sync::MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes jobs until there is a reason to stop.
    fn work(&self, plan: &Plan, start: Instant, worker: &mut Worker) -> io::Result<()> {
        loop {
            let batch = self.next.fetch_add(1, Ordering::Relaxed);
            let is_over = plan.time.is_some_and(|time| start.elapsed() >= time);
            let first = batch * TOGETHER;
            let end = plan.programs.unwrap_or(u64::MAX).min(first + TOGETHER);
            // A job taken before another failed is done all the same: so the first failure is
            // found, whichever comes to its end before.
            if is_over || end <= first || self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            self.batch(plan, worker, batch, first..end)?;
        }
    }

    fn batch(
        &self,
        plan: &Plan,
        worker: &mut Worker,
        batch: u64,
        numbers: std::ops::Range<u64>,
    ) -> io::Result<()> {
        let setting = Setting::of_turn(batch);
        let functions: Vec<(u64, Function)> = numbers
            .map(|number| (number, generate::function(plan.domain(), plan.seed, number)))
            .collect();
        let all: Vec<&Function> = functions.iter().map(|(_, function)| function).collect();
        let answer = worker.run(&job(&all, ROUNDS, setting, &plan.engines))?;
        let (verdicts, shares) = match answer {
            Ok(compared) => (compared.verdicts, compared.shares),
            // One of them, or all together: each by itself says which. There is a failure, so no
            // share is told.
            Err(together) => {
                let mut alone: Vec<Verdict> = Vec::new();
                for round in functions.iter().flat_map(|(_, function)| rounds(function)) {
                    let answer = worker.run(&job(&[&round], 1, setting, &plan.engines))?;
                    alone.extend(match answer {
                        Ok(compared) => compared.verdicts,
                        Err(why) => vec![Verdict::Different(why)],
                    });
                }
                if !alone
                    .iter()
                    .any(|verdict| matches!(verdict, Verdict::Different(_)))
                {
                    alone[0] = Verdict::Different(format!(
                        "only together with the others of its batch: {together}"
                    ));
                }
                (alone, BTreeMap::new())
            }
        };
        let mut report = self.report();
        for (engine, share) in shares {
            report.shares.entry(engine).or_default().merge(&share);
        }
        for (_, function) in &functions {
            report.programs += 1;
            report.coverage.add(function);
        }
        let called = functions.iter().flat_map(|(number, function)| {
            rounds(function).map(move |function| (*number, function))
        });
        for ((number, function), verdict) in called.zip(verdicts) {
            match verdict {
                Verdict::Same {
                    panicked,
                    needs_gpu,
                } => {
                    report.coverage.count(match panicked {
                        true => "calls that panic",
                        false => "calls that do not",
                    });
                    if needs_gpu {
                        report.coverage.count("calls without the JIT");
                    }
                }
                Verdict::Different(why) => {
                    self.stop.store(true, Ordering::Relaxed);
                    if report
                        .failure
                        .as_ref()
                        .is_none_or(|failure| number < failure.number)
                    {
                        report.failure = Some(Failure {
                            number,
                            function,
                            setting,
                            why,
                        });
                    }
                }
            }
        }
        Ok(())
    }
}

/// A function with each round's arguments.
fn rounds(function: &Function) -> impl Iterator<Item = Function> {
    (0..ROUNDS).map(|round| function.redrawn(round))
}

/// The job that runs some functions together, each so many times on other arguments.
pub fn job(functions: &[&Function], rounds: u64, setting: Setting, engines: &[EngineName]) -> Job {
    let mut calls = Vec::new();
    for (at, function) in functions.iter().enumerate() {
        // Not `f16`, which is a type.
        let name = format!("made{at}");
        for round in 0..rounds {
            let parameters = function.parameters.iter();
            calls.push(Call {
                name: name.clone(),
                source: match round {
                    0 => function.print(&name),
                    _ => String::new(),
                },
                contents: parameters
                    .map(|parameter| parameter.contents.redrawn(round))
                    .collect(),
            });
        }
    }
    Job {
        setting,
        engines: engines.to_vec(),
        calls,
    }
}
