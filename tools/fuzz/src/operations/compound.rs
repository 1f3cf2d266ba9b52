//! Compound assignment, in place.

use std::sync::Arc;

use super::elementwise::OPERATORS;
use super::{NUMBERS, Names, Operation, Place};
use crate::generate::{Maker, Want};
use crate::program::{Operand, Source, Type, broadcast};

pub const NAMES: Names = &[
    ("+=", NUMBERS),
    ("-=", NUMBERS),
    ("*=", NUMBERS),
    ("/=", NUMBERS),
    ("%=", NUMBERS),
];

/// One of the operators of [`NAMES`].
#[derive(Debug)]
struct Compound(&'static str);

impl Operation for Compound {
    fn name(&self) -> &'static str {
        self.0
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [target, value] = operands else {
            return None;
        };
        assigned(target, value)
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let (target, value) = (&operands[0].receiver, &operands[1].text);
        format!("{target} {} {value}", self.0)
    }

    fn assigns(&self) -> bool {
        true
    }

    /// An `@gpu` body may end in one that writes to a parameter.
    fn place(&self) -> Place {
        Place::End
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        match self.0 {
            "+=" => vec![],
            _ => vec![Arc::new(Compound("+="))],
        }
    }
}

/// What a target becomes that a value is assigned to; `None` where it does not broadcast to it.
pub fn assigned(target: &Type, value: &Type) -> Option<Vec<Type>> {
    let shape = target.shape.as_ref()?;
    let agrees = target.scalar == value.scalar && target.scalar.is_number();
    let broadcasts = match &value.shape {
        Some(value) => broadcast(shape, value)? == *shape,
        None => true,
    };
    (agrees && broadcasts).then(|| vec![target.clone()])
}

/// What may be assigned to a target.
pub fn value(maker: &mut Maker<'_>, target: Source, want: Want) -> Source {
    let ty = maker.type_of(target);
    match maker.random.below(8) {
        0 => maker.number(ty.scalar, want),
        1 => maker.scalar(ty.scalar, want),
        // It may read its own target.
        2 => target,
        3 => maker.parameter(ty, want),
        _ => {
            let shape = maker.narrower(ty.extents());
            maker.of_type(&ty.with_shape(&shape), want)
        }
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let target = match maker.is_gpu() {
        true => maker.target(),
        false => maker.tensor(|ty| ty.scalar.is_number())?,
    };
    compound_on(maker, target)
}

/// An assignment to this target.
pub fn compound_on(maker: &mut Maker<'_>, target: Source) -> Option<()> {
    let operator = maker.random.below(OPERATORS.len());
    let operator = NAMES[operator].0;
    let want = match operator {
        "/=" | "%=" => Want::Divisor,
        _ => Want::Any,
    };
    let value = value(maker, target, want);
    maker.add(Compound(operator), &[target, value])
}
