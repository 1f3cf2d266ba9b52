//! `+ - * / %` and unary minus, with broadcasting and scalars on either side.

use std::sync::Arc;

use super::{NUMBERS, Names, Operation};
use crate::generate::{Maker, Want};
use crate::program::{Operand, Source, Type, broadcast};

pub const NAMES: Names = &[
    ("+", NUMBERS),
    ("-", NUMBERS),
    ("*", NUMBERS),
    ("/", NUMBERS),
    ("%", NUMBERS),
    ("negate", |scalar| scalar.is_signed() || scalar.is_float()),
];

pub const OPERATORS: [&str; 5] = ["+", "-", "*", "/", "%"];

/// One of [`OPERATORS`].
#[derive(Debug)]
struct Binary(&'static str);

#[derive(Debug)]
struct Negate;

impl Operation for Binary {
    fn name(&self) -> &'static str {
        self.0
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [left, right] = operands else { return None };
        if left.scalar != right.scalar || !left.scalar.is_number() {
            return None;
        }
        Some(vec![match (&left.shape, &right.shape) {
            (Some(a), Some(b)) => left.with_shape(&broadcast(a, b)?),
            (Some(_), None) => left.clone(),
            (None, Some(_)) => right.clone(),
            (None, None) => return None,
        }])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        format!("({} {} {})", operands[0].text, self.0, operands[1].text)
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        match self.0 {
            "+" => vec![],
            _ => vec![Arc::new(Binary("+"))],
        }
    }
}

impl Operation for Negate {
    fn name(&self) -> &'static str {
        "negate"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [operand] = operands else { return None };
        let applies = operand.scalar.is_signed() || operand.scalar.is_float();
        (applies && operand.is_tensor()).then(|| vec![operand.clone()])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        format!("(-{})", operands[0].text)
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let operand = maker.tensor(|ty| ty.scalar.is_number())?;
    if maker.random.chance(12) {
        return maker.add(Negate, &[operand]);
    }
    let operator = maker.random.one(&OPERATORS);
    let divides = matches!(operator, "/" | "%");
    let ty = maker.type_of(operand);
    let want = if divides { Want::Divisor } else { Want::Any };
    let other = match maker.random.below(10) {
        0 | 1 => maker.number(ty.scalar, want),
        2 => maker.scalar(ty.scalar, want),
        3 | 4 => operand_like(maker, &ty, want),
        _ => {
            let shape = maker.partner(ty.extents());
            operand_like(maker, &ty.with_shape(&shape), want)
        }
    };
    let mut operands = [operand, other];
    if !divides && maker.random.chance(40) || divides && maker.random.chance(10) {
        operands.reverse();
    }
    maker.add(Binary(operator), &operands)
}

/// Along an axis of more blocks than a grid has, by the tile of each rank.
pub fn make_long(maker: &mut Maker<'_>) -> Option<()> {
    let shape = maker.random.one(&[
        vec![524_289, 1],
        vec![65_537, 2, 3],
        vec![1, 524_289, 1],
        vec![1, 1_048_577, 1, 1],
    ]);
    let ty = Type::tensor(maker.number_type(), &shape);
    let operand = maker.parameter(ty.clone(), Want::Any);
    let other = maker.number(ty.scalar, Want::Any);
    let operator = maker.random.one(&OPERATORS);
    maker.add(Binary(operator), &[operand, other])
}

/// A divisor is a parameter without many zeros, as else nothing would come after it.
fn operand_like(maker: &mut Maker<'_>, ty: &Type, want: Want) -> Source {
    match want {
        Want::Divisor if ty.scalar.is_integer() && maker.random.chance(80) => {
            maker.parameter(ty.clone(), want)
        }
        _ => maker.of_type(ty, want),
    }
}
