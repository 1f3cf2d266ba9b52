//! A kernel as source, and the function that launches it.

use super::statement::STEP;
use super::{CallForm, Closure, Guard, Kernel};
use crate::program::{Operand, Type};

const AXES: [&str; 3] = ["x", "y", "z"];

/// What a kernel of these operands needs: itself, and the function around its launches.
pub(super) fn items(kernel: &Kernel, types: &[Type], name: &str) -> String {
    let parameters = |outputs: &str| {
        let parameters = types.iter().enumerate().map(|(at, ty)| {
            let (place, ty) = (place(kernel, at), ty.text(false));
            match kernel.signature[at].1 {
                Some(_) if at < kernel.outputs => format!("{place}: {outputs}{ty}"),
                Some(_) => format!("{place}: &{ty}"),
                None => format!("{place}: {ty}"),
            }
        });
        kernel.ordered(parameters.collect()).join(", ")
    };
    let own_name = match kernel.call {
        CallForm::Direct => name.to_string(),
        CallForm::Within(_) => format!("{name}_k"),
    };
    let lines = Printer::new(kernel, types).lines().join("\n    ");
    let item = format!(
        "@kernel(threads: {:?})\nfunc {own_name}({}) {{\n    {lines}\n}}\n",
        kernel.threads,
        parameters("&mut ")
    );
    let CallForm::Within(times) = kernel.call else {
        return item;
    };
    let outputs = 0..kernel.outputs;
    let copies = outputs
        .clone()
        .map(|at| format!("mut w{at} = o{at}.clone()"));
    let copies: Vec<String> = copies.collect();
    let arguments = (0..types.len()).map(|at| match at < kernel.outputs {
        true => format!("&mut w{at}"),
        false => place(kernel, at),
    });
    let arguments = kernel.ordered(arguments.collect()).join(", ");
    let launch = match times {
        1 => format!("{own_name}({arguments})"),
        _ => format!("for again in 0..{times} {{ {own_name}({arguments}) }}"),
    };
    let tuple = |members: Vec<String>| match &members[..] {
        [only] => only.clone(),
        members => format!("({})", members.join(", ")),
    };
    let result = tuple(
        types[outputs.clone()]
            .iter()
            .map(|ty| ty.text(false))
            .collect(),
    );
    let values = tuple(outputs.map(|at| format!("w{at}")).collect());
    format!(
        "{item}func {name}({}) -> {result} {{\n    {}\n    {launch}\n    {values}\n}}\n",
        parameters("&"),
        copies.join("\n    ")
    )
}

/// The parameter of an operand.
fn place(kernel: &Kernel, at: usize) -> String {
    match at < kernel.outputs {
        true => format!("o{at}"),
        false => format!("a{at}"),
    }
}

pub(super) struct Printer<'k> {
    kernel: &'k Kernel,
    types: &'k [Type],
    /// What expressions read.
    captured: Vec<Operand>,
    /// Loops so far.
    loops: usize,
}

impl<'k> Printer<'k> {
    fn new(kernel: &'k Kernel, types: &'k [Type]) -> Self {
        let leaves = kernel.leaves.iter().map(|leaf| {
            let text = leaf.text(kernel, types);
            Operand::of_scalar(text, leaf.scalar(&kernel.signature))
        });
        Printer {
            captured: leaves.collect(),
            kernel,
            types,
            loops: 0,
        }
    }

    fn lines(mut self) -> Vec<String> {
        let mut lines: Vec<String> = AXES[..self.kernel.threads.len()]
            .iter()
            .enumerate()
            .map(|(axis, name)| format!("val i{axis} = thread_id.{name}"))
            .collect();
        let mut open = 0;
        let extents = self.types[0].extents();
        let limits = (0..self.kernel.threads.len()).filter_map(|axis| match extents.get(axis) {
            None => Some((axis, 1)),
            Some(_) if self.kernel.guard == Guard::Absent => None,
            Some(&extent) => Some((axis, extent)),
        });
        let limits: Vec<(usize, u64)> = limits.collect();
        let compare = |comparison: &str, between: &str| {
            let all = limits.iter();
            let all = all.map(|(axis, extent)| format!("i{axis} {comparison} {extent}"));
            all.collect::<Vec<_>>().join(between)
        };
        match self.kernel.guard {
            Guard::If | Guard::Return | Guard::Absent if limits.is_empty() => {}
            Guard::If => {
                lines.push(format!("if {} {{", compare("<", " && ")));
                open += 1;
            }
            Guard::Return | Guard::Absent => {
                lines.push(format!("if {} {{ return }}", compare(">=", " || ")));
            }
        }
        for (axis, extent) in extents.iter().enumerate().skip(self.kernel.threads.len()) {
            lines.push(format!("for j{axis} in 0..{extent} {{"));
            open += 1;
        }
        let locals = self.kernel.locals.iter().enumerate();
        lines.extend(
            locals.map(|(at, value)| {
                format!("mut v{at}: {} = {}", value.result(), self.value(value))
            }),
        );
        for (at, value) in self.kernel.locals.iter().enumerate() {
            let local = Operand::of_scalar(format!("v{at}"), value.result());
            self.captured.push(local);
        }
        for statement in &self.kernel.body {
            lines.push(statement.text(&mut self));
        }
        lines.extend((0..open).map(|_| "}".to_string()));
        lines
    }

    pub fn value(&self, value: &Closure) -> String {
        value.expression(&self.captured)
    }

    /// The thread's element of an output.
    pub fn own(&self, output: usize) -> String {
        let index = self.kernel.own.index(self.kernel, &self.types[output]);
        format!("o{output}[{index}]")
    }

    /// The name of a new loop's step, which its body reads until that ends.
    pub fn step(&mut self) -> String {
        let name = format!("k{}", self.loops);
        self.loops += 1;
        self.captured.push(Operand::of_scalar(name.clone(), STEP));
        name
    }

    pub fn end_step(&mut self) {
        self.captured.pop();
    }
}
