//! Calls of functions of several operations, which may call others.

use std::sync::Arc;

use super::compound::assigned;
use super::elementwise::OPERATORS;
use super::{ANY, NUMBERS, Names, Operation, Place};
use crate::generate::{Maker, Want};
use crate::program::{Function, Operand, Passing, Source, Type};
use crate::shrink::plainer_body;

pub const NAMES: Names = &[
    ("call", ANY),
    ("call, &mut", NUMBERS),
    ("recursion", NUMBERS),
    ("method", NUMBERS),
];

/// Its operands are the function's parameters. One that gives nothing changes the first of them.
#[derive(Debug)]
struct Call(Function);

/// A function that calls itself so many times, each with another operation on its first operand.
#[derive(Debug)]
struct Recursion {
    operator: &'static str,
    times: u64,
}

/// An operator within a method, on the fields of a struct.
#[derive(Debug)]
struct Method(&'static str);

impl Operation for Call {
    fn name(&self) -> &'static str {
        match self.assigns() {
            true => "call, &mut",
            false => "call",
        }
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        self.0.types()?;
        let parameters = self.0.parameters.iter().map(|parameter| &parameter.ty);
        if !parameters.eq(operands) {
            return None;
        }
        match self.assigns() {
            true => Some(vec![operands.first()?.clone()]),
            false => Some(self.0.result_types()),
        }
    }

    fn print(&self, operands: &[Operand], name: &str) -> String {
        let arguments = self.0.parameters.iter().zip(operands);
        let arguments = arguments.map(|(parameter, operand)| match parameter.passing {
            _ if !operand.ty.is_tensor() => operand.receiver.clone(),
            Passing::Owned => operand.owned.clone(),
            Passing::Borrowed => operand.borrowed.clone(),
            Passing::BorrowedMut => format!("&mut {}", operand.receiver),
        });
        let arguments: Vec<String> = arguments.collect();
        format!("{name}({})", arguments.join(", "))
    }

    fn items(&self, _: &[Type], name: &str) -> Option<String> {
        Some(self.0.print(name))
    }

    fn members(&self) -> usize {
        self.0.results.len().max(1)
    }

    fn assigns(&self) -> bool {
        self.0.results.is_empty()
    }

    fn first_capture(&self) -> usize {
        match self.assigns() {
            true => 1,
            false => usize::MAX,
        }
    }

    fn place(&self) -> Place {
        Place::Host
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        let bodies = plainer_body(&self.0).into_iter();
        bodies
            .map(|body| Arc::new(Call(body)) as Arc<dyn Operation>)
            .collect()
    }

    fn with_extent(&self, from: u64, to: u64) -> Option<Arc<dyn Operation>> {
        Some(Arc::new(Call(self.0.with_extent(from, to))))
    }
}

impl Operation for Recursion {
    fn name(&self) -> &'static str {
        "recursion"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [tensor, other] = operands else {
            return None;
        };
        assigned(tensor, other)
    }

    fn print(&self, operands: &[Operand], name: &str) -> String {
        let (tensor, other) = (&operands[0].borrowed, &operands[1]);
        let other = match other.ty.is_tensor() {
            true => &other.borrowed,
            false => &other.receiver,
        };
        format!("{name}({tensor}, {other}, {})", self.times)
    }

    fn items(&self, operands: &[Type], name: &str) -> Option<String> {
        let [tensor, other] = operands else {
            return None;
        };
        let borrow = if other.is_tensor() { "&" } else { "" };
        let (tensor, other) = (tensor.text(false), other.text(false));
        let next = format!("{name}(&(t {} u), u, n - 1)", self.operator);
        Some(format!(
            "func {name}(t: &{tensor}, u: {borrow}{other}, n: i64) -> {tensor} {{ \
             if n <= 0 {{ t.clone() }} else {{ {next} }} }}\n"
        ))
    }

    fn place(&self) -> Place {
        Place::Host
    }
}

impl Operation for Method {
    fn name(&self) -> &'static str {
        "method"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [tensor, other] = operands else {
            return None;
        };
        assigned(tensor, other)
    }

    fn print(&self, operands: &[Operand], name: &str) -> String {
        let (tensor, other) = (&operands[0].owned, &operands[1].owned);
        format!("({name} {{ t: {tensor}, u: {other} }}.get())")
    }

    fn items(&self, operands: &[Type], name: &str) -> Option<String> {
        let [tensor, other] = operands else {
            return None;
        };
        let borrow = if other.is_tensor() { "&" } else { "" };
        let (tensor, other) = (tensor.text(false), other.text(false));
        let value = format!("&self.t {} {borrow}self.u", self.0);
        Some(format!(
            "struct {name} {{ t: {tensor}, u: {other} }}\n\
             impl {name} {{ func get(&self) -> {tensor} {{ {value} }} }}\n"
        ))
    }

    fn place(&self) -> Place {
        Place::Host
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let choice = maker.random.below(10);
    if choice < 6 {
        return called(maker, choice < 2);
    }
    let tensor = maker.tensor(|ty| ty.scalar.is_number())?;
    let other = super::compound::value(maker, tensor, Want::Divisor);
    let operator = maker.random.one(&OPERATORS);
    let operands = [tensor, other];
    let times = maker.random.below(4) as u64;
    match choice < 8 {
        true => maker.add(Recursion { operator, times }, &operands),
        false => maker.add(Method(operator), &operands),
    }
}

fn called(maker: &mut Maker<'_>, writes: bool) -> Option<()> {
    let mut function = maker.inner(writes)?;
    for (at, parameter) in function.parameters.iter_mut().enumerate() {
        let is_target = writes && at == 0;
        if parameter.passing == Passing::BorrowedMut && !is_target {
            parameter.passing = Passing::Borrowed;
        }
    }
    if writes {
        function.results.clear();
    }
    let writes_first = function.nodes.iter().any(|node| {
        node.operation.assigns() && node.operands.first() == Some(&Source::Parameter(0))
    });
    if writes != function.results.is_empty() || writes && !writes_first {
        return None;
    }
    function.types()?;
    let mut operands: Vec<Source> = Vec::new();
    for parameter in &function.parameters {
        operands.push(maker.of_type(&parameter.ty, parameter.contents.want()));
    }
    // What is changed is lent alone.
    if writes && operands[1..].contains(&operands[0]) {
        return None;
    }
    maker.add(Call(function), &operands)
}
