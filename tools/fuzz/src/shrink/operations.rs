//! Fewer operations, and simpler ones.

use driver::engine::Engine;
use shared_types::SourceMap;
use tensor::Tensor;

use crate::campaign::job;
use crate::compare::{EngineName, Setting, compile, outcome};
use crate::contents::{Contents, bits_of};
use crate::generate::Domain;
use crate::program::{Function, Parameter, Passing, Source, Style, Type};

/// One of several results alone, or all but one.
pub fn fewer_results(function: &Function) -> Vec<Function> {
    let results = match function.results.len() {
        0 | 1 => &[][..],
        _ => &function.results,
    };
    let alone = results.iter().map(|&result| vec![result]);
    let others = (0..results.len()).map(|at| {
        let mut others = results.to_vec();
        others.remove(at);
        others
    });
    let fewer = alone.chain(others);
    fewer
        .map(|results| Function {
            results,
            ..function.clone()
        })
        .collect()
}

/// An operation is the last one, and gives the result.
pub fn cut(function: &Function) -> Vec<Function> {
    let last = function.nodes.len().saturating_sub(1);
    (0..last).map(|at| ending_in(function, at)).collect()
}

fn ending_in(function: &Function, at: usize) -> Function {
    let mut cut = function.clone();
    cut.nodes.truncate(at + 1);
    let members = cut.nodes[at].operation.members();
    cut.results = (0..members)
        .map(|member| Source::Node(at, member))
        .collect();
    cut
}

/// What an operation gives is a parameter that holds it.
pub fn computed_before(function: &Function) -> Vec<Function> {
    let mut simpler = Vec::new();
    for at in (0..function.nodes.len()).rev() {
        let Some(values) = values(function, at) else {
            continue;
        };
        let mut without = function.clone();
        for (member, value) in values.iter().enumerate() {
            let parameter = Source::Parameter(without.parameters.len());
            without
                .parameters
                .push(holding(value, function, at, member));
            without.redirect(|source| match source {
                Source::Node(node, of) if (node, of) == (at, member) => parameter,
                source => source,
            });
        }
        without.remove_node(at);
        simpler.push(without);
    }
    simpler
}

fn holding(value: &Tensor, function: &Function, at: usize, member: usize) -> Parameter {
    let types = function.types().unwrap_or_default();
    let ty = function.type_in(&types, Source::Node(at, member));
    Parameter {
        ty: ty.unwrap_or_else(|| Type::tensor(value.scalar_type(), value.shape())),
        passing: Passing::Borrowed,
        named: false,
        aliased: false,
        contents: Contents::Listed(bits_of(value)),
    }
}

/// What an operation gives, as the interpreter has it; `None` where the function panics before.
fn values(function: &Function, at: usize) -> Option<Vec<Tensor>> {
    let mut ending = ending_in(function, at);
    ending.style = Style::Plain;
    ending.types()?;
    let members = ending.results.len();
    // An overflow ends nothing.
    let setting = Setting::of_turn(1);
    let job = job(&[&ending], 1, setting, &[EngineName::Interpreter]);
    let mut sources = SourceMap::default();
    let program = compile(&job, Domain::Host, &mut sources).ok()?;
    let call = &job.calls[0];
    let engine = Engine::Interpreter;
    let outcome = outcome(
        &program,
        &sources,
        program.function(&call.name)?,
        &engine,
        &call.contents,
    );
    let mut values = outcome.ok()?.values.ok()?;
    values.truncate(members);
    Some(values)
}

/// An operation that nothing takes is gone, or what takes it takes one of its operands.
pub fn without_one(function: &Function) -> Vec<Function> {
    let Some(types) = function.types() else {
        return Vec::new();
    };
    let mut simpler = Vec::new();
    for (at, node) in function.nodes.iter().enumerate().rev() {
        let members = 0..types[at].len();
        if members
            .clone()
            .all(|member| !function.takes(Source::Node(at, member)))
        {
            let mut without = function.clone();
            without.remove_node(at);
            simpler.push(without);
        }
        for &operand in &node.operands {
            let is_other = |member: &usize| {
                function.type_in(&types, operand).as_ref() == Some(&types[at][*member])
            };
            if !members.clone().all(|member| is_other(&member)) {
                continue;
            }
            let mut without = function.clone();
            without.redirect(|source| match source {
                Source::Node(node, _) if node == at => operand,
                source => source,
            });
            without.remove_node(at);
            simpler.push(without);
        }
    }
    simpler
}

/// An operation that says less in the place of one.
pub fn simpler(function: &Function) -> Vec<Function> {
    let nodes = function.nodes.iter().enumerate();
    let simpler = nodes.flat_map(|(at, node)| {
        let operations = node.operation.simpler().into_iter();
        operations.map(move |operation| {
            let mut function = function.clone();
            function.nodes[at].operation = operation;
            function
        })
    });
    simpler.collect()
}
