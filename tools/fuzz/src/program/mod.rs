//! A generated function as a value: operations in program order, each on parameters and earlier
//! results. It prints as source, and what makes it simpler works on the value.

mod literal;
mod print;
mod types;
mod uses;

use std::sync::Arc;

use shared_types::ScalarType;

use crate::contents::Contents;
use crate::operations::{Operation, Place};

pub use literal::{literal, nested, typed_literal};
pub use print::Operand;
pub use types::{Type, axis_name, broadcast};
use uses::Uses;

#[derive(Clone, Debug)]
pub struct Function {
    pub style: Style,
    pub parameters: Vec<Parameter>,
    pub nodes: Vec<Node>,
    /// What it gives; several are a tuple.
    pub results: Vec<Source>,
}

/// How the function is taken by the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As its body has it: itself an operation, or host code with operations in it.
    Plain,
    /// The same, closed by a `return`.
    Returning,
    /// Beside a statement of the host's, so that every operation is outlined.
    Host,
    /// With a `return` under a condition in the middle.
    Early,
    /// `@gpu(fallback: true)` around tensor operations alone: the body stays whole.
    Gpu,
    /// The same by `@gpu`, which no host's engine runs.
    BareGpu,
    /// The same around anything: what no kernel can hold is the host's.
    Fallback,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub ty: Type,
    pub passing: Passing,
    /// Whether its axes have names.
    pub named: bool,
    /// Whether its type is a `type` item.
    pub aliased: bool,
    pub contents: Contents,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    Owned,
    Borrowed,
    BorrowedMut,
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Node {
    pub operation: Arc<dyn Operation>,
    pub operands: Vec<Source>,
    /// Bound by a `val` even where it could stand within the expression that takes it.
    pub bound: bool,
    /// The binding says the type, whose axes have names.
    pub named: bool,
    /// An owned operand that nothing else takes is moved, not borrowed.
    pub moves: bool,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Parameter(usize),
    /// A result of an operation, by its number.
    Node(usize, usize),
    /// A literal, by its bits.
    Number(ScalarType, u64),
}

impl Function {
    /// The types of every node's results; `None` where the function is not well-formed.
    pub fn types(&self) -> Option<Vec<Vec<Type>>> {
        let mut types: Vec<Vec<Type>> = Vec::new();
        let mut assigned = vec![false; self.parameters.len()];
        for node in &self.nodes {
            let operands = node.operands.iter().map(|&source| match source {
                Source::Parameter(parameter) if assigned[parameter] => None,
                source => self.type_in(&types, source),
            });
            let operands: Vec<Type> = operands.collect::<Option<_>>()?;
            types.push(node.operation.results(&operands)?);
            if node.operation.assigns()
                && let Some(&Source::Parameter(target)) = node.operands.first()
                && self.parameters[target].passing == Passing::BorrowedMut
            {
                assigned[target] = true;
            }
        }
        for &result in &self.results {
            let ty = self.type_in(&types, result)?;
            let fits = match result {
                Source::Parameter(parameter) => !assigned[parameter],
                Source::Node(..) => true,
                Source::Number(..) => false,
            };
            if !fits || self.style.is_gpu() && !ty.is_tensor() {
                return None;
            }
        }
        let writes = self.nodes.iter().any(|node| node.operation.assigns());
        let fits = !self.style.is_gpu() || self.is_gpu_body();
        (fits && (!self.results.is_empty() || writes)).then_some(types)
    }

    /// Whether a `@gpu` body may be this: it ends in an assignment to a parameter, or hands back
    /// what it has computed.
    fn is_gpu_body(&self) -> bool {
        let nodes = match self.nodes.split_last() {
            Some((last, nodes)) if last.operation.assigns() => {
                let target = match last.operands[0] {
                    Source::Parameter(target) => self.parameters[target].passing,
                    _ => Passing::Owned,
                };
                let ends = last.operation.place() == Place::End && self.results.is_empty();
                if target != Passing::BorrowedMut || !ends {
                    return false;
                }
                nodes
            }
            _ => &self.nodes,
        };
        let has = |place| nodes.iter().any(|node| node.operation.place() == place);
        let hands_back = |result: &Source| match *result {
            Source::Node(at, _) => self.nodes[at].operation.is_name(),
            Source::Parameter(_) | Source::Number(..) => true,
        };
        let is_run = !has(Place::NoRuns) && Uses::new(self).ends_in_operation();
        let has_host = has(Place::Host) || has(Place::End);
        !has_host && !self.results.iter().any(hands_back) && (is_run || !has(Place::Runs))
    }

    /// The same function on other arguments.
    pub fn redrawn(&self, round: u64) -> Self {
        let mut function = self.clone();
        for parameter in &mut function.parameters {
            parameter.contents = parameter.contents.redrawn(round);
        }
        function
    }

    /// The type of a value, given those of the nodes before it.
    pub fn type_in(&self, types: &[Vec<Type>], source: Source) -> Option<Type> {
        match source {
            Source::Parameter(parameter) => Some(self.parameters.get(parameter)?.ty.clone()),
            Source::Node(node, member) => types.get(node)?.get(member).cloned(),
            Source::Number(scalar, _) => Some(Type::scalar(scalar)),
        }
    }
}

impl Style {
    /// Whether the body holds tensor operations alone, and stays whole.
    pub fn is_gpu(self) -> bool {
        matches!(self, Style::Gpu | Style::BareGpu)
    }

    pub fn name(self) -> &'static str {
        match self {
            Style::Plain => "plain",
            Style::Returning => "return",
            Style::Host => "host",
            Style::Early => "early return",
            Style::Gpu => "@gpu(fallback: true)",
            Style::BareGpu => "@gpu",
            Style::Fallback => "@gpu(fallback: true), host code",
        }
    }
}

impl Passing {
    /// What stands before a tensor's type.
    pub fn text(self) -> &'static str {
        match self {
            Passing::Owned => "",
            Passing::Borrowed => "&",
            Passing::BorrowedMut => "&mut ",
        }
    }
}
