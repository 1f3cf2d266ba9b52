//! Makes a failing function as simple as it gets: of what is simpler, what still fails goes on.

mod contents;
mod extents;
mod operations;

use std::io;
use std::time::{Duration, Instant};

use crate::campaign::{Failure, job};
use crate::compare::{EngineName, Verdict};
use crate::program::{Function, Passing, Source, Style};
use crate::worker::Worker;

/// Simpler than it may get, after this long.
const LONGEST: Duration = Duration::from_secs(240);

/// What is simpler than a function in one way, the simplest first.
type Step = fn(&Function) -> Vec<Function>;

const STEPS: [Step; 8] = [
    operations::fewer_results,
    operations::cut,
    operations::computed_before,
    operations::without_one,
    operations::simpler,
    forms,
    extents::smaller,
    contents::plainer,
];

/// The failure of the simplest function that fails in the same way.
///
/// # Errors
/// No process can be started.
pub fn shrink(
    failure: &Failure,
    engines: &[EngineName],
    worker: &mut Worker,
) -> io::Result<Failure> {
    let mut why = failure.why.clone();
    let mut fails = |function: &Function| {
        let answer = worker.run(&job(&[function], 1, failure.setting, engines))?;
        let found = match answer {
            Ok(compared) => compared
                .verdicts
                .into_iter()
                .find_map(|verdict| match verdict {
                    Verdict::Different(why) => Some(why),
                    Verdict::Same { .. } => None,
                }),
            Err(why) => Some(why),
        };
        let found = found.filter(|found| kind(found) == kind(&why));
        Ok(found.map(|found| why = found).is_some())
    };
    let function = simplest(failure.function.clone(), &mut fails)?;
    Ok(Failure {
        function,
        why,
        ..failure.clone()
    })
}

/// What a reason is of: the engines that differ, the one that failed, the front end.
fn kind(why: &str) -> &str {
    why.split(':').next().unwrap_or_default()
}

/// The simplest function that `fails` says fails.
pub fn simplest(
    mut function: Function,
    fails: &mut dyn FnMut(&Function) -> io::Result<bool>,
) -> io::Result<Function> {
    let start = Instant::now();
    loop {
        let mut changed = false;
        for step in STEPS {
            while let Some(simpler) = first(step(&function), start, fails)? {
                function = simpler;
                changed = true;
            }
        }
        if !changed {
            return Ok(function);
        }
    }
}

fn first(
    candidates: Vec<Function>,
    start: Instant,
    fails: &mut dyn FnMut(&Function) -> io::Result<bool>,
) -> io::Result<Option<Function>> {
    for mut candidate in candidates {
        if start.elapsed() > LONGEST {
            return Ok(None);
        }
        candidate.drop_unused_parameters();
        if candidate.types().is_some() && fails(&candidate)? {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

/// A called function by fewer or plainer operations, of the same parameters.
pub fn plainer_body(function: &Function) -> Vec<Function> {
    let steps: [Step; 3] = [operations::without_one, operations::simpler, forms];
    let bodies = steps.iter().flat_map(|step| step(function));
    bodies.collect()
}

/// The same operations, said in plainer forms.
fn forms(function: &Function) -> Vec<Function> {
    let mut simpler = Vec::new();
    if function.style != Style::Plain {
        let style = Style::Plain;
        simpler.push(Function {
            style,
            ..function.clone()
        });
    }
    let mut with = |change: &dyn Fn(&mut Function)| {
        let mut changed = function.clone();
        change(&mut changed);
        simpler.push(changed);
    };
    for at in 0..function.nodes.len() {
        let node = &function.nodes[at];
        if node.bound {
            with(&|function| function.nodes[at].bound = false);
        }
        if node.named {
            with(&|function| function.nodes[at].named = false);
        }
        if node.moves {
            with(&|function| function.nodes[at].moves = false);
        }
    }
    for at in 0..function.parameters.len() {
        let parameter = &function.parameters[at];
        if parameter.passing != Passing::Borrowed {
            with(&|function| function.parameters[at].passing = Passing::Borrowed);
        }
        if parameter.named {
            with(&|function| function.parameters[at].named = false);
        }
        if parameter.aliased {
            with(&|function| function.parameters[at].aliased = false);
        }
    }
    simpler
}

impl Function {
    /// Every place that takes a value takes another.
    fn redirect(&mut self, to: impl Fn(Source) -> Source) {
        let operands = self.nodes.iter_mut().flat_map(|node| &mut node.operands);
        for source in operands.chain(&mut self.results) {
            *source = to(*source);
        }
    }

    /// Takes a node out, whose results nothing takes any more.
    fn remove_node(&mut self, at: usize) {
        self.nodes.remove(at);
        self.redirect(|source| match source {
            Source::Node(node, member) if node > at => Source::Node(node - 1, member),
            source => source,
        });
    }

    fn takes(&self, value: Source) -> bool {
        let mut operands = self.nodes.iter().flat_map(|node| &node.operands);
        operands.any(|&operand| operand == value) || self.results.contains(&value)
    }

    fn drop_unused_parameters(&mut self) {
        for at in (0..self.parameters.len()).rev() {
            if self.takes(Source::Parameter(at)) {
                continue;
            }
            self.parameters.remove(at);
            self.redirect(|source| match source {
                Source::Parameter(parameter) if parameter > at => Source::Parameter(parameter - 1),
                source => source,
            });
        }
    }
}
