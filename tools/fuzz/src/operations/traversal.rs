//! `.map .zip .reduce`: functions that are called for each element.

use std::sync::Arc;

use super::closure::{Closure, Scope};
use super::{ANY, Names, Operation, Place};
use crate::generate::{Maker, Want};
use crate::program::{Operand, Source, Type};

pub const NAMES: Names = &[("map", ANY), ("zip", ANY), ("reduce", ANY)];

/// More elements than these take long where each is a call.
const MOST_ELEMENTS: u64 = 3000;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Map,
    Zip,
    Reduce,
}

/// The operands are one or two tensors, for a `reduce` where it starts, then what the closure
/// captures.
#[derive(Debug)]
struct Traversal {
    kind: Kind,
    closure: Closure,
}

impl Operation for Traversal {
    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Map => "map",
            Kind::Zip => "zip",
            Kind::Reduce => "reduce",
        }
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
        (fits && ends && scalars).then(|| {
            vec![match self.kind {
                Kind::Reduce => Type::scalar(result),
                Kind::Map | Kind::Zip => Type::tensor(result, first.extents()),
            }]
        })
    }

    fn print(&self, operands: &[Operand]) -> String {
        let (taken, captured) = operands.split_at(self.first_capture());
        let mut arguments: Vec<String> = match self.kind {
            Kind::Map => Vec::new(),
            Kind::Zip => vec![taken[1].text.clone()],
            // A literal says its type.
            Kind::Reduce => vec![taken[1].receiver.clone()],
        };
        arguments.push(self.closure.text(captured));
        let (receiver, name) = (&taken[0].receiver, self.name());
        format!("{receiver}.{name}({})", arguments.join(", "))
    }

    fn place(&self) -> Place {
        Place::Host
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
            kind: self.kind,
            closure,
        });
        simpler
            .map(|one| Arc::new(one) as Arc<dyn Operation>)
            .collect()
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
    let captured: Vec<Source> = (0..maker.random.below(3))
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
        parameters,
        captures,
    };
    let closure = Closure::make(maker.random, scope, result, prints);
    maker.add(Traversal { kind, closure }, &operands)
}
