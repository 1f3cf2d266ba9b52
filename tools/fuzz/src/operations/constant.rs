//! `const` items: scalars and tensors.

use super::{ANY, Names, Operation, Place};
use crate::contents::{Contents, Mix};
use crate::element;
use crate::generate::{Maker, Want};
use crate::program::{Operand, Type, literal, nested};

pub const NAMES: Names = &[("const", ANY), ("const tensor", ANY)];

/// Of two elements a scalar is the sum.
#[derive(Clone, Debug)]
struct Constant {
    ty: Type,
    bits: Vec<u64>,
}

impl Operation for Constant {
    fn name(&self) -> &'static str {
        match self.ty.is_tensor() {
            true => "const tensor",
            false => "const",
        }
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        operands.is_empty().then(|| vec![self.ty.clone()])
    }

    fn print(&self, _: &[Operand], name: &str) -> String {
        name.to_string()
    }

    fn items(&self, _: &[Type], name: &str) -> Option<String> {
        let elements = self.bits.iter();
        let elements: Vec<String> = elements
            .map(|&bits| literal(self.ty.scalar, bits))
            .collect();
        let value = match self.ty.is_tensor() {
            true => nested(self.ty.extents(), &elements),
            false => elements.join(" + "),
        };
        Some(format!("const {name}: {} = {value}\n", self.ty.text(false)))
    }

    fn is_name(&self) -> bool {
        true
    }

    fn place(&self) -> Place {
        match self.ty.is_tensor() {
            true => Place::Host,
            false => Place::Anywhere,
        }
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let scalar = maker.scalar_type();
    if maker.random.chance(40) {
        let shape = maker.shape();
        let ty = Type::tensor(scalar, &shape);
        if shape.is_empty() || ty.elements() > 12 {
            return None;
        }
        let contents = Contents::drawn(maker.random, Mix::Calm, Want::Any);
        let bits = contents.bits(scalar, &shape);
        return maker.add(Constant { ty, bits }, &[]);
    }
    let ty = Type::scalar(scalar);
    let bits = match scalar.is_number() && maker.random.chance(50) {
        // Of an unsigned one no part may be below zero, nor the sum beyond the type.
        true => vec![element::one(scalar), element::one(scalar)],
        false => vec![element::literal(scalar, Want::Any, maker.random)],
    };
    maker.add(Constant { ty, bits }, &[])
}
