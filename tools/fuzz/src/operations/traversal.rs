//! `.map .zip .reduce`: functions that are called for each element.

use std::sync::Arc;

use super::closure::{Closure, Scope};
use super::{ANY, Names, Operation, Place};
use crate::generate::{Domain, Maker, Want};
use crate::program::{Operand, Source, Type};

pub const NAMES: Names = &[
    ("map", ANY),
    ("map, by name", ANY),
    ("map, called", ANY),
    ("zip", ANY),
    ("zip, by name", ANY),
    ("zip, called", ANY),
    ("reduce", ANY),
    ("reduce, by name", ANY),
    ("reduce, called", ANY),
];

/// More elements than these take long where each is a call.
const MOST_ELEMENTS: u64 = 3000;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Map,
    Zip,
    Reduce,
}

/// How the traversal has its function.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Given {
    Closure,
    /// It is an item.
    Named,
    /// The traversal is that of a function which takes the closure.
    Called,
}

/// The operands are one or two tensors, for a `reduce` where it starts, then what the closure
/// captures.
#[derive(Clone, Debug)]
struct Traversal {
    kind: Kind,
    given: Given,
    closure: Closure,
    /// Whether a kernel may be what it is.
    in_kernels: bool,
}

impl Operation for Traversal {
    fn name(&self) -> &'static str {
        let kind = match self.kind {
            Kind::Map => 0,
            Kind::Zip => 3,
            Kind::Reduce => 6,
        };
        let given = match self.given {
            Given::Closure => 0,
            Given::Named => 1,
            Given::Called => 2,
        };
        NAMES[kind + given].0
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let first = operands.first().filter(|first| first.is_tensor())?;
        let (taken, captured) = operands.split_at_checked(self.first_capture())?;
        let parameters: Vec<_> = match (self.kind, taken) {
            (Kind::Map, _) => vec![first.scalar],
            (Kind::Zip, [_, right]) if right.shape == first.shape => {
                vec![first.scalar, right.scalar]
            }
            (Kind::Reduce, [_, initial]) if !initial.is_tensor() => {
                vec![initial.scalar, first.scalar]
            }
            _ => return None,
        };
        let captures: Vec<_> = captured.iter().map(|ty| ty.scalar).collect();
        let fits = self.closure.parameters == parameters && self.closure.captures == captures;
        let result = self.closure.result();
        let ends = self.kind != Kind::Reduce || result == parameters[0];
        let scalars = captured.iter().all(|ty| !ty.is_tensor());
        let named = self.given != Given::Named || captured.is_empty();
        (fits && ends && scalars && named).then(|| {
            vec![match self.kind {
                Kind::Reduce => Type::scalar(result),
                Kind::Map | Kind::Zip => Type::tensor(result, first.extents()),
            }]
        })
    }

    fn print(&self, operands: &[Operand], name: &str) -> String {
        let (taken, captured) = operands.split_at(self.first_capture());
        let mut arguments: Vec<String> = match self.kind {
            Kind::Map => Vec::new(),
            Kind::Zip if self.given == Given::Called => vec![taken[1].borrowed.clone()],
            Kind::Zip => vec![taken[1].text.clone()],
            // A literal says its type.
            Kind::Reduce => vec![taken[1].receiver.clone()],
        };
        arguments.push(match self.given {
            Given::Closure | Given::Called => self.closure.text(captured),
            Given::Named => name.to_string(),
        });
        if self.given == Given::Called {
            arguments.insert(0, taken[0].borrowed.clone());
            return format!("{name}({})", arguments.join(", "));
        }
        let (receiver, method) = (&taken[0].receiver, self.method());
        format!("{receiver}.{method}({})", arguments.join(", "))
    }

    fn items(&self, operands: &[Type], name: &str) -> Option<String> {
        match self.given {
            Given::Closure => None,
            Given::Named => Some(self.closure.item(name)),
            Given::Called => self.caller(operands, name),
        }
    }

    fn place(&self) -> Place {
        match self.in_kernels {
            true => Place::Anywhere,
            false => Place::Host,
        }
    }

    fn first_capture(&self) -> usize {
        match self.kind {
            Kind::Map => 1,
            Kind::Zip | Kind::Reduce => 2,
        }
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        let closures = self.closure.simpler().into_iter();
        let simpler = closures.map(|closure| Traversal {
            closure,
            ..self.clone()
        });
        let plain = Traversal {
            given: Given::Closure,
            ..self.clone()
        };
        let plain = (self.given != Given::Closure).then_some(plain);
        plain
            .into_iter()
            .chain(simpler)
            .map(|one| Arc::new(one) as Arc<dyn Operation>)
            .collect()
    }
}

impl Traversal {
    fn method(&self) -> &'static str {
        match self.kind {
            Kind::Map => "map",
            Kind::Zip => "zip",
            Kind::Reduce => "reduce",
        }
    }

    /// The function that traverses by a function of its caller's.
    fn caller(&self, operands: &[Type], name: &str) -> Option<String> {
        let result = self.results(operands)?;
        let (tensor, function) = (operands[0].text(false), self.closure.type_text());
        let (parameter, argument) = match self.kind {
            Kind::Map => (String::new(), ""),
            Kind::Zip => (format!("u: &{}, ", operands[1].text(false)), "u, "),
            Kind::Reduce => (format!("u: {}, ", operands[1].text(false)), "u, "),
        };
        let (method, result) = (self.method(), result[0].text(false));
        Some(format!(
            "func {name}(t: &{tensor}, {parameter}f: {function}) -> {result} {{ t.{method}({argument}f) }}\n"
        ))
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let kind = maker.random.one(&[Kind::Map, Kind::Zip, Kind::Reduce]);
    let tensor = maker.tensor(|ty| ty.elements() <= MOST_ELEMENTS)?;
    let ty = maker.type_of(tensor);
    let mut operands = vec![tensor];
    let result = maker.scalar_type();
    let parameters = match kind {
        Kind::Map => vec![ty.scalar],
        Kind::Zip => {
            let other = Type::tensor(maker.scalar_type(), ty.extents());
            operands.push(maker.of_type(&other, Want::Any));
            vec![ty.scalar, other.scalar]
        }
        Kind::Reduce => {
            operands.push(match maker.random.chance(50) {
                true => maker.number(result, Want::Any),
                false => maker.scalar(result, Want::Any),
            });
            vec![result, ty.scalar]
        }
    };
    let given =
        maker
            .random
            .weighted(&[(3, Given::Closure), (1, Given::Named), (1, Given::Called)]);
    let captures = match given {
        Given::Named => 0,
        Given::Closure | Given::Called => maker.random.below(3),
    };
    let captured: Vec<Source> = (0..captures)
        .map(|_| {
            let scalar = maker.scalar_type();
            maker.scalar(scalar, Want::Any)
        })
        .collect();
    let captures: Vec<_> = captured
        .iter()
        .map(|&source| maker.type_of(source).scalar)
        .collect();
    operands.extend(captured);
    let prints = ty.elements() <= 20 && maker.random.chance(30);
    let scope = Scope {
        domain: maker.domain,
        parameters,
        captures,
    };
    let closure = Closure::make(maker.random, scope, result, prints);
    // A scalar has no axis to launch threads over, and a caller is host code.
    let is_operation = kind != Kind::Reduce && given != Given::Called;
    let operation = Traversal {
        kind,
        given,
        in_kernels: maker.domain == Domain::Device && is_operation && closure.fits_kernels(),
        closure,
    };
    maker.add(operation, &operands)
}
