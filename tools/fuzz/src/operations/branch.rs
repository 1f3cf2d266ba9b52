//! `if`, `elif` and `else`: one of two assignments, and one of two values.

use super::closure::comparison;
use super::compound::assigned;
use super::elementwise::OPERATORS;
use super::{ANY, NUMBERS, Names, Operation, Place};
use crate::generate::{Maker, Want};
use crate::program::{Operand, Source, Type};

pub const NAMES: Names = &[("if", NUMBERS), ("if value", ANY)];

/// The operands are the target, what is assigned, and the two that are compared.
#[derive(Debug)]
struct Branch {
    comparison: &'static str,
    operators: [&'static str; 2],
}

/// The operands are the two values, of which one is computed, and the two that are compared.
#[derive(Debug)]
struct Choice(&'static str);

impl Operation for Branch {
    fn name(&self) -> &'static str {
        "if"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [target, value, left, right] = operands else {
            return None;
        };
        assigned(target, value).filter(|_| compares(self.comparison, left, right))
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let (target, value) = (&operands[0].receiver, &operands[1].text);
        let (left, right) = (&operands[2].receiver, &operands[3].receiver);
        let [first, second] = self.operators;
        let comparison = self.comparison;
        format!(
            "if {left} {comparison} {right} {{ {target} {first}= {value} }} \
             elif {left} != {right} {{ {target} {second}= {value} }} \
             else {{ print(\"neither\") }}"
        )
    }

    fn assigns(&self) -> bool {
        true
    }

    fn repeats(&self) -> bool {
        true
    }

    fn first_capture(&self) -> usize {
        1
    }

    fn place(&self) -> Place {
        Place::Host
    }
}

impl Operation for Choice {
    fn name(&self) -> &'static str {
        "if value"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [yes, no, left, right] = operands else {
            return None;
        };
        (yes == no && compares(self.0, left, right)).then(|| vec![yes.clone()])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let (yes, no) = (&operands[0].owned, &operands[1].owned);
        let (left, right) = (&operands[2].receiver, &operands[3].receiver);
        format!("(if {left} {} {right} {{ {yes} }} else {{ {no} }})", self.0)
    }

    fn place(&self) -> Place {
        Place::Host
    }
}

fn compares(comparison: &str, left: &Type, right: &Type) -> bool {
    let is_ordered = left.scalar.is_number() || matches!(comparison, "==" | "!=");
    !left.is_tensor() && left == right && is_ordered
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let compared = maker.scalar_type();
    let comparison = comparison(maker.random, compared);
    let sides = |maker: &mut Maker<'_>| -> [Source; 2] {
        let left = maker.scalar(compared, Want::Any);
        let right = match maker.random.chance(50) {
            true => maker.number(compared, Want::Any),
            false => maker.scalar(compared, Want::Any),
        };
        [left, right]
    };
    if maker.random.chance(40) {
        let target = maker.tensor(|ty| ty.scalar.is_number())?;
        let value = super::compound::value(maker, target, Want::Divisor);
        let [left, right] = sides(maker);
        let operators = [0; 2].map(|_| maker.random.one(&OPERATORS));
        let operation = Branch {
            comparison,
            operators,
        };
        return maker.add(operation, &[target, value, left, right]);
    }
    let yes = maker.tensor(|_| true)?;
    let ty = maker.type_of(yes);
    let no = maker.of_type(&ty, Want::Any);
    let [left, right] = sides(maker);
    maker.add(Choice(comparison), &[yes, no, left, right])
}
