//! A failing function as a file test (the tests' README has its format).

use std::fmt::Write;

use driver::engine::Engine;
use shared_types::SourceMap;

use crate::campaign::Failure;
use crate::compare::{Call, EngineName, Job, compile, outcome};
use crate::contents::Contents;
use crate::program::{Function, Parameter, Passing, Type, literal, nested};

/// More elements than these are written one by one, where they are not zero.
const LISTED: u64 = 64;

/// The test, with what the interpreter gives as what is expected.
pub fn text(failure: &Failure, seed: u64) -> String {
    let (number, function) = (failure.number, &failure.function);
    let is_random = |parameter: &Parameter| parameter.contents == Contents::Random;
    let (entry, words, main) = match function.parameters.iter().all(is_random) {
        true => {
            let arguments =
                (0..function.parameters.len()).map(|at| format!(" --arg p{at}=random:1"));
            (
                "f",
                format!(" --entry f{}", arguments.collect::<String>()),
                String::new(),
            )
        }
        false => ("main", String::new(), format!("\n{}", main(function))),
    };
    let tier = if failure.wrapping {
        " --overflow wrapping"
    } else {
        ""
    };
    let source = format!("{}{main}", function.print("f"));
    let mut text = format!("// Program {number} of seed {seed}.\n");
    let why = failure.why.lines().next().unwrap_or_default();
    let _ = writeln!(text, "// {why}");
    let _ = writeln!(text, "// run:{words}{tier} --hash");
    match expected(&source, entry, failure) {
        Ok(lines) => {
            lines
                .iter()
                .for_each(|line| text += &format!("// out: {line}\n"));
            text + "\n" + &source
        }
        Err(Some((line, message))) => {
            let lines = source.lines().enumerate();
            let lines = lines.map(|(at, source)| match at + 1 == line {
                true => format!("{source} // error: {message}\n"),
                false => format!("{source}\n"),
            });
            text + "// status: 1\n\n" + &lines.collect::<String>()
        }
        Err(None) => text + "\n" + &source,
    }
}

/// The lines that a run prints, or the line of its panic and what that says; nothing where the
/// interpreter does not run it.
fn expected(
    source: &str,
    entry: &str,
    failure: &Failure,
) -> Result<Vec<String>, Option<(usize, String)>> {
    let function = &failure.function;
    let contents = match entry {
        "main" => Vec::new(),
        _ => function
            .parameters
            .iter()
            .map(|parameter| parameter.contents.clone())
            .collect(),
    };
    let call = Call {
        name: entry.to_string(),
        source: source.to_string(),
        contents,
    };
    let job = Job {
        wrapping: failure.wrapping,
        engines: vec![EngineName::Interpreter],
        calls: vec![call],
    };
    let mut sources = SourceMap::default();
    let program = compile(&job, &mut sources).map_err(|_| None)?;
    let compiled = program.function(entry).ok_or(None)?;
    let contents = &job.calls[0].contents;
    let outcome = outcome(&program, &sources, compiled, &Engine::Interpreter, contents);
    let values = outcome.map_err(|_| None)?.map_err(|panic| {
        // `f.nr:3:12: panic: …`
        let mut parts = panic.splitn(4, ':');
        let line = parts.nth(1)?.parse().ok()?;
        Some((line, parts.nth(1)?.trim_start().to_string()))
    })?;
    let types = types(function, entry == "main");
    let lines = values.iter().zip(types);
    Ok(lines
        .map(|(value, ty)| format!("{} {:016x}", ty.text(false), value.hash()))
        .collect())
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

/// A `main` that calls the function on its arguments, and gives all that comes of it.
fn main(function: &Function) -> String {
    let mut lines = Vec::new();
    let mut arguments = Vec::new();
    for (at, parameter) in function.parameters.iter().enumerate() {
        match parameter.ty.is_tensor() {
            true => {
                lines.extend(tensor(at, parameter));
                arguments.push(format!("{}p{at}", parameter.passing.text()));
            }
            false => {
                let bits = parameter.contents.bits(parameter.ty.scalar, &[]);
                arguments.push(literal(parameter.ty.scalar, bits[0]));
            }
        }
    }
    let call = format!("f({})", arguments.join(", "));
    let results = function.results.len();
    let written = written(function);
    let mut values: Vec<String> = (0..results).map(|at| format!("r{at}")).collect();
    match (results, &written[..]) {
        (_, []) => values = vec![call],
        (0, _) => lines.push(call),
        (1, _) => lines.push(format!("val r0 = {call}")),
        _ => lines.push(format!("val ({}) = {call}", values.join(", "))),
    }
    values.extend(written.iter().map(|at| format!("p{at}")));
    let types: Vec<String> = types(function, true)
        .iter()
        .map(|ty| ty.text(false))
        .collect();
    let (value, ty) = match (&values[..], &types[..]) {
        ([value], [ty]) => (value.clone(), ty.clone()),
        ([value], types) => (value.clone(), format!("({})", types.join(", "))),
        (values, types) => (
            format!("({})", values.join(", ")),
            format!("({})", types.join(", ")),
        ),
    };
    lines.push(value);
    format!("func main() -> {ty} {{\n    {}\n}}\n", lines.join("\n    "))
}

/// The lines that make an argument.
fn tensor(at: usize, parameter: &Parameter) -> Vec<String> {
    let Type { scalar, .. } = parameter.ty;
    let shape = parameter.ty.extents();
    let ty = parameter.ty.text(false);
    let bits = parameter.contents.bits(scalar, shape);
    let is_ones = parameter.contents == Contents::Ones;
    let others = bits.iter().filter(|&&bits| bits != 0).count() as u64;
    let is_mut = parameter.passing == Passing::BorrowedMut;
    if !is_ones && (bits.len() as u64 <= LISTED && !shape.is_empty() || others > 2 * LISTED) {
        let elements: Vec<String> = bits.iter().map(|&bits| literal(scalar, bits)).collect();
        let binding = if is_mut { "mut" } else { "val" };
        return vec![format!(
            "{binding} p{at}: {ty} = {}",
            nested(shape, &elements)
        )];
    }
    let made = ty.replacen("Tensor", "Tensor::", 1);
    if shape.is_empty() {
        let value = literal(scalar, bits[0]);
        let binding = if is_mut { "mut" } else { "val" };
        return vec![format!("{binding} p{at}: {ty} = Tensor::scalar({value})")];
    }
    let method = if is_ones { "ones" } else { "zeros" };
    let is_plain = is_ones || others == 0;
    let binding = if is_mut || !is_plain { "mut" } else { "val" };
    let mut lines = vec![format!("{binding} p{at} = {made}::{method}()")];
    let listed = bits
        .iter()
        .enumerate()
        .filter(|(_, bits)| !is_plain && **bits != 0);
    lines.extend(listed.map(|(position, &bits)| {
        let index: Vec<String> = index(position as u64, shape)
            .iter()
            .map(u64::to_string)
            .collect();
        format!("p{at}[{}] = {}", index.join(", "), literal(scalar, bits))
    }));
    lines
}

/// The index of a row-major position.
fn index(mut position: u64, shape: &[u64]) -> Vec<u64> {
    let mut index = vec![0; shape.len()];
    for (at, extent) in index.iter_mut().zip(shape).rev() {
        *at = position % extent;
        position /= extent;
    }
    index
}
