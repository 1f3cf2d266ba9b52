use shared_types::ScalarType;

use super::uses::Uses;
use crate::element::one;

use super::{Function, Passing, Source, Style, Type, literal, typed_literal};

/// An operand of an operation, as source.
pub struct Operand {
    /// Where it is taken: a place that holds a tensor is borrowed.
    pub text: String,
    /// As an argument that a function owns, and as one that it borrows.
    pub owned: String,
    pub borrowed: String,
    /// Before a method's dot or an index, where a place is read as it is.
    pub receiver: String,
    /// Whether its axes are known to have names.
    pub named: bool,
    pub ty: Type,
}

impl Operand {
    /// A scalar, as source that may stand anywhere.
    pub fn of_scalar(text: String, scalar: ScalarType) -> Operand {
        Operand {
            owned: text.clone(),
            borrowed: text.clone(),
            receiver: text.clone(),
            text,
            named: false,
            ty: Type::scalar(scalar),
        }
    }
}

struct Printer<'f> {
    /// The function's, which begins that of each of its items.
    name: &'f str,
    function: &'f Function,
    uses: Uses<'f>,
    types: Vec<Vec<Type>>,
    lines: Vec<String>,
}

impl Function {
    /// The function as source; it is well-formed.
    pub fn print(&self, name: &str) -> String {
        let types = self.types().expect("the function is well-formed");
        let mut printer = Printer {
            name,
            function: self,
            uses: Uses::new(self),
            types,
            lines: Vec::new(),
        };
        printer.body();
        let items = printer.items();
        let lines = printer.lines.join("\n    ");
        let result = match &self.result_types()[..] {
            [] => String::new(),
            [only] => format!(" -> {}", only.text(false)),
            several => {
                let several: Vec<String> = several.iter().map(|ty| ty.text(false)).collect();
                format!(" -> ({})", several.join(", "))
            }
        };
        let attribute = match self.style {
            Style::Gpu | Style::Fallback => "@gpu(fallback: true)\n",
            Style::BareGpu => "@gpu\n",
            Style::Plain | Style::Returning | Style::Host | Style::Early => "",
        };
        let parameters: Vec<String> = (0..self.parameters.len())
            .map(|at| self.parameter_text(at, name))
            .collect();
        let parameters = parameters.join(", ");
        format!("{items}{attribute}func {name}({parameters}){result} {{\n    {lines}\n}}\n")
    }

    /// The types of what it gives.
    pub fn result_types(&self) -> Vec<Type> {
        let types = self.types().expect("the function is well-formed");
        let results = self.results.iter();
        results
            .filter_map(|&result| self.type_in(&types, result))
            .collect()
    }

    fn parameter_text(&self, at: usize, name: &str) -> String {
        let parameter = &self.parameters[at];
        let passing = match parameter.ty.is_tensor() {
            true => parameter.passing.text(),
            false => "",
        };
        let ty = match parameter.aliased {
            true => format!("{name}_p{at}"),
            false => parameter.ty.text(parameter.named),
        };
        format!("p{at}: {passing}{ty}")
    }
}

impl Printer<'_> {
    fn body(&mut self) {
        if self.function.style == Style::Host {
            self.lines.push("print(0)".into());
        }
        for at in 0..self.function.nodes.len() {
            if self.function.style == Style::Early && at == self.function.nodes.len() / 2 {
                let line = self.early_return();
                self.lines.push(line);
            }
            let node = &self.function.nodes[at];
            if node.operation.assigns() {
                self.assignment(at);
            } else if node.operation.members() == 0 {
                let statement = self.expression(at);
                self.lines.push(statement);
            } else if !self.uses.is_inline(at) {
                let value = self.expression(at);
                let pattern = match self.types[at].len() {
                    1 => format!("n{at}"),
                    count => {
                        let names: Vec<String> =
                            (0..count).map(|member| format!("n{at}_{member}")).collect();
                        format!("({})", names.join(", "))
                    }
                };
                let ty = match self.types[at].as_slice() {
                    [ty] if node.named => format!(": {}", ty.text(true)),
                    _ => String::new(),
                };
                self.lines.push(format!("val {pattern}{ty} = {value}"));
            }
        }
        self.results();
    }

    fn expression(&self, at: usize) -> String {
        let node = &self.function.nodes[at];
        let moves = node.moves && !node.operation.repeats();
        let operands = node
            .operands
            .iter()
            .map(|&source| self.operand(source, moves));
        let operands: Vec<Operand> = operands.collect();
        node.operation.print(&operands, &self.item_name(at))
    }

    /// A `return` where a parameter says so, or never, of what is there without the body.
    fn early_return(&self) -> String {
        let parameters = self.function.parameters.iter().enumerate();
        let number = parameters
            .filter(|(_, parameter)| !parameter.ty.is_tensor())
            .find(|(_, parameter)| parameter.ty.scalar.is_number());
        let condition = match number {
            Some((at, parameter)) => {
                format!(
                    "p{at} > {}",
                    typed_literal(parameter.ty.scalar, one(parameter.ty.scalar))
                )
            }
            None => "1 > 2".into(),
        };
        let types = self.function.result_types();
        let values: Vec<String> = types.iter().map(Type::nothing).collect();
        let value = match &values[..] {
            [] => String::new(),
            [only] => format!(" {only}"),
            values => format!(" ({})", values.join(", ")),
        };
        format!("if {condition} {{ return{value} }}")
    }

    /// What the function takes beside its parameters.
    fn items(&self) -> String {
        let mut items = String::new();
        let parameters = self.function.parameters.iter().enumerate();
        for (at, parameter) in parameters.filter(|(_, parameter)| parameter.aliased) {
            let ty = parameter.ty.text(parameter.named);
            items += &format!("type {}_p{at} = {ty}\n", self.name);
        }
        for (at, node) in self.function.nodes.iter().enumerate() {
            let operands = node.operands.iter();
            let types: Vec<Type> = operands
                .filter_map(|&source| self.function.type_in(&self.types, source))
                .collect();
            items += &node
                .operation
                .items(&types, &self.item_name(at))
                .unwrap_or_default();
        }
        items
    }

    /// The name of the items that a node takes.
    fn item_name(&self, at: usize) -> String {
        format!("{}_{at}", self.name)
    }

    fn assignment(&mut self, at: usize) {
        let node = &self.function.nodes[at];
        let variable = self.uses.variable(at);
        if !self.uses.is_in_place(at) {
            let value = self.operand(node.operands[0], node.moves).owned;
            self.lines.push(format!("mut {variable} = {value}"));
        }
        let moves = node.moves && !node.operation.repeats();
        let operands = node.operands.iter();
        let mut operands: Vec<Operand> = operands
            .map(|&source| self.operand(source, moves))
            .collect();
        operands[0].receiver = variable;
        let statement = node.operation.print(&operands, &self.item_name(at));
        self.lines.push(statement);
    }

    fn operand(&self, source: Source, moves: bool) -> Operand {
        let ty = self.function.type_in(&self.types, source);
        let ty = ty.expect("the function is well-formed");
        if let Source::Number(scalar, bits) = source {
            let receiver = typed_literal(scalar, bits);
            return Operand {
                text: literal(scalar, bits),
                owned: receiver.clone(),
                borrowed: receiver.clone(),
                receiver,
                named: false,
                ty,
            };
        }
        if let Source::Node(at, 0) = source
            && self.uses.is_inline(at)
        {
            let text = self.expression(at);
            return Operand {
                receiver: text.clone(),
                owned: text.clone(),
                borrowed: match ty.is_tensor() {
                    true => format!("&{text}"),
                    false => text.clone(),
                },
                text,
                named: false,
                ty,
            };
        }
        let place = self.place(source);
        let passing = self.passing(source);
        let moves = moves && self.uses.is_used_once(source);
        let borrowed = match ty.is_tensor() && passing != Passing::Borrowed {
            true => format!("&{place}"),
            false => place.clone(),
        };
        let named = match source {
            Source::Parameter(parameter) => self.function.parameters[parameter].named,
            Source::Node(node, _) => {
                let node = &self.function.nodes[node];
                node.named && !node.operation.assigns() && node.operation.members() == 1
            }
            Source::Number(..) => false,
        };
        let text = if moves { &place } else { &borrowed };
        let owned = match !ty.is_tensor() || moves && passing == Passing::Owned {
            true => place.clone(),
            false => format!("{place}.clone()"),
        };
        Operand {
            text: text.clone(),
            owned,
            borrowed,
            receiver: place,
            named,
            ty,
        }
    }

    /// The name of what holds a value.
    fn place(&self, source: Source) -> String {
        match source {
            Source::Parameter(parameter) => format!("p{parameter}"),
            Source::Node(at, member) if self.types[at].len() > 1 => format!("n{at}_{member}"),
            Source::Node(at, _) if self.function.nodes[at].operation.assigns() => {
                self.uses.variable(at)
            }
            Source::Node(at, _) => format!("n{at}"),
            Source::Number(scalar, bits) => literal(scalar, bits),
        }
    }

    /// How the place holds its value: what is no parameter's is owned.
    fn passing(&self, source: Source) -> Passing {
        let variable = match source {
            Source::Node(at, _) if self.function.nodes[at].operation.assigns() => {
                self.uses.variable(at)
            }
            source => self.place(source),
        };
        let parameter = variable
            .strip_prefix('p')
            .and_then(|at| at.parse::<usize>().ok());
        match parameter {
            Some(parameter) => self.function.parameters[parameter].passing,
            None => Passing::Owned,
        }
    }

    fn results(&mut self) {
        let results = &self.function.results;
        let value = match results[..] {
            [] => return,
            [Source::Node(at, 0), ..] if self.types[at].len() > 1 && self.uses.is_inline(at) => {
                self.expression(at)
            }
            [only] => self.only_result(only),
            _ => {
                let members: Vec<String> = results
                    .iter()
                    .map(|&result| self.operand(result, true).owned)
                    .collect();
                format!("({})", members.join(", "))
            }
        };
        self.lines.push(match self.function.style {
            Style::Returning => format!("return {value}"),
            Style::Plain
            | Style::Host
            | Style::Early
            | Style::Gpu
            | Style::BareGpu
            | Style::Fallback => value,
        });
    }

    /// Nothing follows that takes it: what is owned is handed back.
    fn only_result(&self, result: Source) -> String {
        match result {
            Source::Node(..) if self.passing(result) == Passing::Owned => {
                self.operand(result, true).receiver
            }
            _ => self.operand(result, true).owned,
        }
    }
}
