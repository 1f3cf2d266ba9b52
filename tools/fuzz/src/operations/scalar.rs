//! Scalars between tensors: elements that are read, casts, and what is computed of them.

use std::sync::Arc;

use shared_types::ScalarType;

use super::closure::{Closure, Scope};
use super::{ANY, Names, Operation, Place};
use crate::generate::{Maker, Want};
use crate::program::{Operand, Source, Type};

pub const NAMES: Names = &[("element", ANY), ("cast", ANY), ("scalars", ANY)];

/// An element; where a position is not known, it is the next operand.
#[derive(Debug)]
struct Element(Vec<Option<u64>>);

#[derive(Debug)]
struct Cast(ScalarType);

/// The body of a closure without arguments, on its operands.
#[derive(Debug)]
struct Computed(Closure);

impl Operation for Element {
    fn name(&self) -> &'static str {
        "element"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let (tensor, positions) = operands.split_first()?;
        let fits = tensor.rank() == self.0.len() && tensor.rank() > 0;
        let known = self.0.iter().zip(tensor.extents());
        let within = known
            .clone()
            .all(|(position, extent)| position.is_none_or(|at| at < *extent));
        let open = self.0.iter().filter(|position| position.is_none()).count();
        let integers = positions
            .iter()
            .all(|ty| !ty.is_tensor() && ty.scalar.is_integer());
        (fits && within && integers && open == positions.len())
            .then(|| vec![Type::scalar(tensor.scalar)])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let mut open = operands[1..].iter();
        let positions = self.0.iter().map(|position| match position {
            Some(position) => position.to_string(),
            None => open
                .next()
                .map_or_else(String::new, |position| position.text.clone()),
        });
        let positions: Vec<String> = positions.collect();
        format!("{}[{}]", operands[0].receiver, positions.join(", "))
    }

    fn place(&self) -> Place {
        Place::Host
    }

    fn with_extent(&self, _: u64, to: u64) -> Option<Arc<dyn Operation>> {
        let outside = |position: &Option<u64>| position.is_some_and(|at| at > 0 && at >= to);
        let moved = |position: &Option<u64>| position.map(|at| if at >= to { 0 } else { at });
        let any = self.0.iter().any(outside);
        any.then(|| Arc::new(Element(self.0.iter().map(moved).collect())) as Arc<dyn Operation>)
    }
}

impl Operation for Cast {
    fn name(&self) -> &'static str {
        "cast"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [operand] = operands else { return None };
        let casts = match operand.scalar {
            ScalarType::Bool => self.0.is_integer() || self.0 == ScalarType::Bool,
            _ => self.0.is_number(),
        };
        (!operand.is_tensor() && casts).then(|| vec![Type::scalar(self.0)])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        format!("({} as {})", operands[0].receiver, self.0)
    }

    fn place(&self) -> Place {
        Place::Host
    }
}

impl Operation for Computed {
    fn name(&self) -> &'static str {
        "scalars"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let scalars = operands
            .iter()
            .map(|ty| (!ty.is_tensor()).then_some(ty.scalar));
        let scalars: Vec<ScalarType> = scalars.collect::<Option<_>>()?;
        (scalars == self.0.captures).then(|| vec![Type::scalar(self.0.result())])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        self.0.expression(operands)
    }

    fn first_capture(&self) -> usize {
        0
    }

    fn place(&self) -> Place {
        Place::Host
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        let closures = self.0.simpler().into_iter();
        closures
            .map(|closure| Arc::new(Computed(closure)) as Arc<dyn Operation>)
            .collect()
    }
}

/// Some arithmetic, comparisons and branches over a few scalars.
fn computed(maker: &mut Maker<'_>) -> Option<()> {
    let count = 1 + maker.random.below(2);
    let operands: Vec<Source> = (0..count)
        .map(|_| {
            let scalar = maker.scalar_type();
            maker.scalar(scalar, Want::Any)
        })
        .collect();
    let captures = operands.iter().map(|&source| maker.type_of(source).scalar);
    let scope = Scope {
        domain: maker.domain,
        captures: captures.collect(),
        parameters: Vec::new(),
    };
    let result = maker.scalar_type();
    let closure = Closure::make(maker.random, scope, result, false);
    maker.add(Computed(closure), &operands)
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    if maker.random.chance(30) {
        return computed(maker);
    }
    if maker.random.chance(40) {
        let operand = match maker.pick(|ty| !ty.is_tensor()) {
            Some(scalar) => scalar,
            None => {
                let scalar = maker.scalar_type();
                maker.scalar(scalar, Want::Any)
            }
        };
        let ty = maker.scalar_type();
        return maker.add(Cast(ty), &[operand]);
    }
    let tensor = maker.tensor(|ty| ty.rank() > 0)?;
    let mut operands = vec![tensor];
    let mut positions = Vec::new();
    for &extent in maker.type_of(tensor).extents() {
        if extent > 0 && maker.random.chance(60) {
            positions.push(Some(maker.random.below(extent as usize) as u64));
        } else {
            positions.push(None);
            operands.push(super::slice::position(maker, extent));
        }
    }
    maker.add(Element(positions), &operands)
}
