//! A failing function as a file test (the tests' README has its format).

mod main_of;

use driver::engine::Engine;
use shared_types::SourceMap;

use crate::campaign::Failure;
use crate::compare::{Call, EngineName, Job, compile, needs_gpu, outcome};
use crate::contents::Contents;
use crate::generate::Domain;
use crate::program::{Function, Parameter, Passing, Type};
use main_of::main_of;

/// What a run of the test does.
struct Expected {
    /// The lines that it prints.
    lines: Vec<String>,
    /// The line of the source where it panics, and what that says.
    panic: Option<(usize, String)>,
    needs_gpu: bool,
}

/// The test, with what the interpreter does as what is expected.
pub fn text(failure: &Failure, seed: u64) -> String {
    let (number, function) = (failure.number, &failure.function);
    let is_whole = function.parameters.iter().all(is_random) && written(function).is_empty();
    let (entry, main) = match is_whole {
        true => ("f", String::new()),
        false => ("main", format!("\n{}", main_of(function))),
    };
    let source = format!("{}{main}", function.print("f"));
    let why = failure.why.lines().next().unwrap_or_default();
    let order = failure.setting.order;
    let expected = expected(&source, entry, failure);
    let engines = match &expected {
        Some(expected) if expected.needs_gpu => {
            "// engines: interpreter emulated-nvidia emulated-amd\n"
        }
        _ => "",
    };
    let mut text = format!(
        "// Program {number} of seed {seed}, in order {order}.\n// {why}\n{engines}// run:"
    );
    if is_whole {
        text += " --entry f";
    }
    for (at, _) in function
        .parameters
        .iter()
        .enumerate()
        .filter(|(_, p)| is_random(p))
    {
        text += &format!(" --arg p{at}=random:1");
    }
    if failure.setting.wrapping {
        text += " --overflow wrapping";
    }
    text += " --hash\n";
    let Some(Expected { lines, panic, .. }) = expected else {
        return text + "\n" + &source;
    };
    for line in lines {
        text += &format!("// out: {line}\n");
    }
    let Some((at, message)) = panic else {
        return text + "\n" + &source;
    };
    text += "// status: 1\n\n";
    for (index, line) in source.lines().enumerate() {
        text += line;
        if index + 1 == at {
            text += &format!(" // error: {message}");
        }
        text.push('\n');
    }
    text
}

fn is_random(parameter: &Parameter) -> bool {
    parameter.contents == Contents::Random
}

/// What the interpreter does, where it runs the test.
fn expected(source: &str, entry: &str, failure: &Failure) -> Option<Expected> {
    let function = &failure.function;
    let random = vec![Contents::Random; function.parameters.len()];
    let job = Job {
        setting: failure.setting,
        engines: vec![EngineName::Interpreter],
        calls: vec![Call {
            name: entry.to_string(),
            source: source.to_string(),
            contents: random,
        }],
    };
    let mut sources = SourceMap::default();
    let program = compile(&job, Domain::Host, &mut sources).ok()?;
    let (compiled, contents) = (program.function(entry)?, &job.calls[0].contents);
    let outcome = outcome(&program, &sources, compiled, &Engine::Interpreter, contents).ok()?;
    let (mut lines, mut panic) = (outcome.printed, None);
    match outcome.values {
        Ok(values) => {
            let values = values.iter().zip(types(function, entry == "main"));
            lines.extend(
                values.map(|(value, ty)| format!("{} {:016x}", ty.text(false), value.hash())),
            );
        }
        Err(text) => {
            // `f.nr:3:12: panic: …`
            let mut parts = text.splitn(4, ':');
            let line = parts.nth(1)?.parse().ok()?;
            panic = Some((line, parts.nth(1)?.trim_start().to_string()));
        }
    }
    Some(Expected {
        lines,
        panic,
        needs_gpu: needs_gpu(&program, entry),
    })
}

/// The types of what an entry gives; of `main`, what the function gives and what it wrote to.
fn types(function: &Function, is_main: bool) -> Vec<Type> {
    let mut types = function.result_types();
    let written = written(function).into_iter().filter(|_| is_main);
    types.extend(written.map(|at| function.parameters[at].ty.clone()));
    types
}

fn written(function: &Function) -> Vec<usize> {
    let parameters = function.parameters.iter().enumerate();
    let written = parameters.filter(|(_, parameter)| {
        parameter.ty.is_tensor() && parameter.passing == Passing::BorrowedMut
    });
    written.map(|(at, _)| at).collect()
}
