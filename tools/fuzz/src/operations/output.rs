//! `print(…)` between operations: what was printed before a panic is printed all the same.

use super::{ANY, Names, Operation, Place};
use crate::generate::Maker;
use crate::program::{Operand, Type};

pub const NAMES: Names = &[("print", ANY)];

/// More elements than these are a long text.
const MOST_ELEMENTS: u64 = 64;

/// Where `labelled`, a string stands before the value.
#[derive(Debug)]
struct Print {
    labelled: bool,
}

impl Operation for Print {
    fn name(&self) -> &'static str {
        "print"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [operand] = operands else { return None };
        (operand.elements() <= MOST_ELEMENTS).then(Vec::new)
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let label = if self.labelled { "\"value\", " } else { "" };
        format!("print({label}{})", operands[0].receiver)
    }

    fn members(&self) -> usize {
        0
    }

    fn place(&self) -> Place {
        Place::Host
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let operand = maker.pick(|ty| ty.elements() <= MOST_ELEMENTS)?;
    let labelled = maker.random.chance(30);
    maker.add(Print { labelled }, &[operand])
}
