//! The function of a traversal: scalar code over its arguments and what it captures.

use shared_types::{ScalarClass, ScalarType};

use crate::contents::Want;
use crate::element;
use crate::generate::Domain;
use crate::program::{Operand, typed_literal};
use crate::random::Random;

#[derive(Clone, Debug)]
pub struct Closure {
    pub parameters: Vec<ScalarType>,
    pub captures: Vec<ScalarType>,
    body: Scalar,
    /// Whether a call prints its last argument, which shows the order of the calls.
    prints: bool,
}

/// The types of what a body may read, and the engines that run it.
pub struct Scope {
    pub domain: Domain,
    pub parameters: Vec<ScalarType>,
    pub captures: Vec<ScalarType>,
}

#[derive(Clone, Debug)]
struct Scalar {
    ty: ScalarType,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Parameter(usize),
    Capture(usize),
    Number(u64),
    Binary(&'static str, Box<[Scalar; 2]>),
    Negate(Box<Scalar>),
    Not(Box<Scalar>),
    Math(&'static str, Box<Scalar>),
    Cast(Box<Scalar>),
    /// The first two are compared, and one of the others is the value.
    If(&'static str, Box<[Scalar; 4]>),
}

const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

/// A comparison of two values of a type.
pub fn comparison(random: &mut Random, ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => random.one(&COMPARISONS[4..]),
        _ => random.one(&COMPARISONS),
    }
}

impl Closure {
    pub fn make(random: &mut Random, scope: Scope, result: ScalarType, prints: bool) -> Self {
        let depth = 1 + random.below(3);
        let body = scope.expression(random, result, depth);
        Closure {
            parameters: scope.parameters,
            captures: scope.captures,
            body,
            prints,
        }
    }

    pub fn result(&self) -> ScalarType {
        self.body.ty
    }

    /// Whether a kernel computes it: it prints nothing, and no half precision. What it reads and gives
    /// has all its types.
    pub fn fits_kernels(&self) -> bool {
        let types = self.parameters.iter().chain(&self.captures);
        let mut types = types.chain(std::iter::once(&self.body.ty));
        !self.prints && types.all(|ty| !ty.is_half())
    }

    /// `|x0: f32| -> f32 { … }`, given what it captures.
    pub fn text(&self, captured: &[Operand]) -> String {
        let (parameters, body) = (self.parameters_text(), self.body_text(captured));
        format!("|{parameters}| -> {} {{ {body} }}", self.result())
    }

    /// The same as a function, where it captures nothing.
    pub fn item(&self, name: &str) -> String {
        let (parameters, body) = (self.parameters_text(), self.body_text(&[]));
        format!(
            "func {name}({parameters}) -> {} {{ {body} }}\n",
            self.result()
        )
    }

    /// `func(f32) -> f32`.
    pub fn type_text(&self) -> String {
        let parameters = self.parameters.iter().map(|ty| ty.name());
        let parameters: Vec<&str> = parameters.collect();
        format!("func({}) -> {}", parameters.join(", "), self.result())
    }

    fn parameters_text(&self) -> String {
        let parameters = self.parameters.iter().enumerate();
        let parameters = parameters.map(|(at, ty)| format!("x{at}: {ty}"));
        parameters.collect::<Vec<_>>().join(", ")
    }

    fn body_text(&self, captured: &[Operand]) -> String {
        let print = match self.prints {
            true => format!("print(x{}); ", self.parameters.len() - 1),
            false => String::new(),
        };
        format!("{print}{}", self.expression(captured))
    }

    /// What it computes, of what it captures.
    pub fn expression(&self, captured: &[Operand]) -> String {
        self.body.text(captured)
    }

    pub fn simpler(&self) -> Vec<Closure> {
        let with = |body| Closure {
            body,
            ..self.clone()
        };
        let mut simpler: Vec<Closure> = self.body.simpler().into_iter().map(with).collect();
        if self.prints {
            simpler.insert(
                0,
                Closure {
                    prints: false,
                    ..self.clone()
                },
            );
        }
        simpler
    }
}

impl Scope {
    fn expression(&self, random: &mut Random, ty: ScalarType, depth: usize) -> Scalar {
        let kind = match depth {
            0 => self.leaf(random, ty),
            _ => self.operation(random, ty, depth - 1),
        };
        Scalar { ty, kind }
    }

    /// What there is of this type, or something cast to it, or a number.
    fn leaf(&self, random: &mut Random, ty: ScalarType) -> Kind {
        let parameters = self.parameters.iter().enumerate();
        let parameters = parameters.map(|(at, &ty)| (ty, Kind::Parameter(at)));
        let captures = self.captures.iter().enumerate();
        let captures = captures.map(|(at, &ty)| (ty, Kind::Capture(at)));
        let known: Vec<(ScalarType, Kind)> = parameters.chain(captures).collect();
        let (from, value) = random.one(&known);
        if from == ty {
            return value;
        }
        let casts = match from.class() {
            ScalarClass::Bool => ty.is_integer(),
            _ => ty.is_number(),
        };
        match casts && random.chance(80) {
            true => Kind::Cast(Box::new(Scalar {
                ty: from,
                kind: value,
            })),
            false => Kind::Number(element::literal(ty, Want::Any, random)),
        }
    }

    fn operation(&self, random: &mut Random, ty: ScalarType, depth: usize) -> Kind {
        let choice = random.below(8);
        if choice == 0 {
            return self.leaf(random, ty);
        }
        if choice == 1 {
            let known = self.parameters.iter().chain(&self.captures).next();
            let compared = random.one(&[ty, *known.unwrap_or(&ty)]);
            let comparison = comparison(random, compared);
            let mut side = |ty| self.expression(random, ty, depth);
            let sides = [side(compared), side(compared), side(ty), side(ty)];
            return Kind::If(comparison, Box::new(sides));
        }
        let mut operand = |ty| self.expression(random, ty, depth);
        match ty.class() {
            ScalarClass::Bool if choice < 4 => Kind::Not(Box::new(operand(ty))),
            ScalarClass::Bool => {
                let sides = [operand(ty), operand(ty)];
                Kind::Binary(random.one(&["&&", "||", "==", "!="]), Box::new(sides))
            }
            ScalarClass::Float if choice == 2 => {
                let operand = operand(ty);
                let functions: &[&str] = match self.domain {
                    Domain::Host => &["abs", "sqrt", "exp", "sign"],
                    Domain::Device => &["abs", "sqrt", "sign"],
                };
                Kind::Math(random.one(functions), Box::new(operand))
            }
            ScalarClass::Float | ScalarClass::Signed if choice == 3 => {
                Kind::Negate(Box::new(operand(ty)))
            }
            _ => {
                let sides = [operand(ty), operand(ty)];
                let operators = ["+", "-", "*", "+", "/", "%"];
                Kind::Binary(random.one(&operators), Box::new(sides))
            }
        }
    }
}

impl Scalar {
    fn text(&self, captured: &[Operand]) -> String {
        let text = |scalar: &Scalar| scalar.text(captured);
        match &self.kind {
            Kind::Parameter(at) => format!("x{at}"),
            // A literal says its type.
            Kind::Capture(at) => captured[*at].receiver.clone(),
            Kind::Number(bits) => typed_literal(self.ty, *bits),
            Kind::Binary(operator, sides) => {
                format!("({} {operator} {})", text(&sides[0]), text(&sides[1]))
            }
            Kind::Negate(operand) => format!("(-{})", text(operand)),
            Kind::Not(operand) => format!("(!{})", text(operand)),
            Kind::Math(function, operand) => format!("{}.{function}()", text(operand)),
            Kind::Cast(operand) => format!("({} as {})", text(operand), self.ty),
            Kind::If(comparison, sides) => {
                let [a, b, yes, no] = [0, 1, 2, 3].map(|at| text(&sides[at]));
                format!("(if {a} {comparison} {b} {{ {yes} }} else {{ {no} }})")
            }
        }
    }

    fn operands(&self) -> &[Scalar] {
        match &self.kind {
            Kind::Parameter(_) | Kind::Capture(_) | Kind::Number(_) => &[],
            Kind::Binary(_, operands) => &operands[..],
            Kind::If(_, operands) => &operands[..],
            Kind::Negate(operand)
            | Kind::Not(operand)
            | Kind::Math(_, operand)
            | Kind::Cast(operand) => std::slice::from_ref(operand),
        }
    }

    fn operands_mut(&mut self) -> &mut [Scalar] {
        match &mut self.kind {
            Kind::Parameter(_) | Kind::Capture(_) | Kind::Number(_) => &mut [],
            Kind::Binary(_, operands) => &mut operands[..],
            Kind::If(_, operands) => &mut operands[..],
            Kind::Negate(operand)
            | Kind::Not(operand)
            | Kind::Math(_, operand)
            | Kind::Cast(operand) => std::slice::from_mut(operand),
        }
    }

    /// An operand of the same type in its place, 1 in its place, or the same within it.
    fn simpler(&self) -> Vec<Scalar> {
        let operands = self.operands();
        let same = operands.iter().filter(|operand| operand.ty == self.ty);
        let mut simpler: Vec<Scalar> = same.cloned().collect();
        if !matches!(self.kind, Kind::Number(_) | Kind::Parameter(_)) {
            let (ty, kind) = (self.ty, Kind::Number(element::one(self.ty)));
            simpler.push(Scalar { ty, kind });
        }
        for (at, operand) in operands.iter().enumerate() {
            for operand in operand.simpler() {
                let mut with = self.clone();
                with.operands_mut()[at] = operand;
                simpler.push(with);
            }
        }
        simpler
    }
}
