use super::uses::Uses;
use super::{Function, Passing, Source, Style, Type, literal, typed_literal};

/// An operand of an operation, as source.
pub struct Operand {
    /// Where it is taken: a place that holds a tensor is borrowed.
    pub text: String,
    /// Before a method's dot or an index, where a place is read as it is.
    pub receiver: String,
    /// Whether its axes are known to have names.
    pub named: bool,
    pub ty: Type,
}

struct Printer<'f> {
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
            function: self,
            uses: Uses::new(self),
            types,
            lines: Vec::new(),
        };
        printer.body();
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
            Style::Gpu => "@gpu(fallback: true)\n",
            Style::Plain | Style::Returning | Style::Host => "",
        };
        let parameters: Vec<String> = (0..self.parameters.len())
            .map(|at| self.parameter_text(at))
            .collect();
        let parameters = parameters.join(", ");
        format!("{attribute}func {name}({parameters}){result} {{\n    {lines}\n}}\n")
    }

    /// The types of what it gives.
    pub fn result_types(&self) -> Vec<Type> {
        let types = self.types().expect("the function is well-formed");
        let results = self.results.iter();
        results
            .filter_map(|&result| self.type_in(&types, result))
            .collect()
    }

    fn parameter_text(&self, at: usize) -> String {
        let parameter = &self.parameters[at];
        let passing = match parameter.ty.is_tensor() {
            true => parameter.passing.text(),
            false => "",
        };
        let ty = parameter.ty.text(parameter.named);
        format!("p{at}: {passing}{ty}")
    }
}

impl Printer<'_> {
    fn body(&mut self) {
        if self.function.style == Style::Host {
            self.lines.push("print(0)".into());
        }
        for at in 0..self.function.nodes.len() {
            let node = &self.function.nodes[at];
            if let Some(operator) = node.operation.assigns() {
                self.assignment(at, operator);
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
        let operands = node
            .operands
            .iter()
            .map(|&source| self.operand(source, node.moves));
        node.operation.print(&operands.collect::<Vec<_>>())
    }

    fn assignment(&mut self, at: usize, operator: &str) {
        let node = &self.function.nodes[at];
        let variable = self.uses.variable(at);
        if !self.uses.is_in_place(at) {
            let value = self.owned(node.operands[0], node.moves);
            self.lines.push(format!("mut {variable} = {value}"));
        }
        let value = self.operand(node.operands[1], node.moves).text;
        self.lines.push(format!("{variable} {operator} {value}"));
    }

    fn operand(&self, source: Source, moves: bool) -> Operand {
        let ty = self.function.type_in(&self.types, source);
        let ty = ty.expect("the function is well-formed");
        if let Source::Number(scalar, bits) = source {
            let text = literal(scalar, bits);
            return Operand {
                receiver: typed_literal(scalar, bits),
                text,
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
                text,
                named: false,
                ty,
            };
        }
        let place = self.place(source);
        let is_borrowed = self.passing(source) == Passing::Borrowed;
        let moves = moves && self.uses.is_used_once(source);
        let borrowed = ty.is_tensor() && !is_borrowed && !moves;
        let named = match source {
            Source::Parameter(parameter) => self.function.parameters[parameter].named,
            Source::Node(node, _) => {
                let node = &self.function.nodes[node];
                node.named && node.operation.assigns().is_none() && node.operation.members() == 1
            }
            Source::Number(..) => false,
        };
        let text = match borrowed {
            true => format!("&{place}"),
            false => place.clone(),
        };
        Operand {
            text,
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
            Source::Node(at, _) if self.function.nodes[at].operation.assigns().is_some() => {
                self.uses.variable(at)
            }
            Source::Node(at, _) => format!("n{at}"),
            Source::Number(scalar, bits) => literal(scalar, bits),
        }
    }

    /// How the place holds its value: what is no parameter's is owned.
    fn passing(&self, source: Source) -> Passing {
        let variable = match source {
            Source::Node(at, _) if self.function.nodes[at].operation.assigns().is_some() => {
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

    /// A tensor of its own, or a scalar.
    fn owned(&self, source: Source, moves: bool) -> String {
        let operand = self.operand(source, moves);
        let is_expression = matches!(source, Source::Node(at, _) if self.uses.is_inline(at));
        let is_owned = self.passing(source) == Passing::Owned;
        let is_moved = moves && is_owned && self.uses.is_used_once(source);
        match !operand.ty.is_tensor() || is_expression || is_moved {
            true => operand.receiver,
            false => format!("{}.clone()", operand.receiver),
        }
    }

    fn results(&mut self) {
        let results = &self.function.results;
        let value = match results[..] {
            [] => return,
            [Source::Node(at, 0), Source::Node(_, 1)]
                if self.types[at].len() > 1 && self.uses.is_inline(at) =>
            {
                self.expression(at)
            }
            [only] => self.only_result(only),
            _ => {
                let members: Vec<String> = results
                    .iter()
                    .map(|&result| self.owned(result, true))
                    .collect();
                format!("({})", members.join(", "))
            }
        };
        self.lines.push(match self.function.style {
            Style::Returning => format!("return {value}"),
            Style::Plain | Style::Host | Style::Gpu => value,
        });
    }

    /// Nothing follows that takes it: what is owned is handed back.
    fn only_result(&self, result: Source) -> String {
        match result {
            Source::Node(..) if self.passing(result) == Passing::Owned => {
                self.operand(result, true).receiver
            }
            _ => self.owned(result, true),
        }
    }
}
