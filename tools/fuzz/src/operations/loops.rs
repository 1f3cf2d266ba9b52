//! `for`, `while` and `loop` around a compound assignment.

use super::compound::assigned;
use super::elementwise::OPERATORS;
use super::{NUMBERS, Names, Operation, Place};
use crate::generate::{Maker, Want};
use crate::program::{Operand, Type};

pub const NAMES: Names = &[
    ("for", NUMBERS),
    ("for, inclusive", NUMBERS),
    ("for, continue", NUMBERS),
    ("while", NUMBERS),
    ("loop", NUMBERS),
];

/// The target is assigned to as often as a literal says, or an operand but for what is above 3.
#[derive(Debug)]
struct Loop {
    /// One of [`NAMES`].
    kind: &'static str,
    count: u64,
    operator: &'static str,
    /// Between the value and the loop's variable.
    inner: &'static str,
}

impl Operation for Loop {
    fn name(&self) -> &'static str {
        self.kind
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [target, value, bound @ ..] = operands else {
            return None;
        };
        let counts = match bound {
            [] => true,
            [bound] => !bound.is_tensor() && bound.scalar.is_integer(),
            _ => false,
        };
        assigned(target, value).filter(|_| counts)
    }

    fn print(&self, operands: &[Operand], name: &str) -> String {
        let k = format!("{name}_k");
        let Loop {
            count,
            operator,
            inner,
            ..
        } = self;
        let (bound, integer) = match operands.get(2) {
            Some(bound) => (
                format!("({} % 4{})", bound.receiver, bound.ty.scalar),
                bound.ty.scalar.name(),
            ),
            None => (count.to_string(), "i32"),
        };
        let (target, value) = (&operands[0].receiver, &operands[1]);
        let (source, scalar) = (
            match value.ty.is_tensor() {
                true => &value.text,
                false => &value.receiver,
            },
            operands[0].ty.scalar,
        );
        let step = format!("{target} {operator}= ({source} {inner} ({k} as {scalar}))");
        let start = format!("mut {k} = 0{integer}");
        let next = format!("{k} += 1{integer}");
        match self.kind {
            "for" => format!("for {k} in 0..{bound} {{ {step} }}"),
            "for, inclusive" => format!("for {k} in 0..={bound} {{ {step} }}"),
            "for, continue" => {
                format!("for {k} in 0..{bound} {{ if {k} == 1 {{ continue }}; {step} }}")
            }
            "while" => format!("{start}; while {k} < {bound} {{ {step}; {next} }}"),
            _ => format!("{start}; loop {{ if {k} >= {bound} {{ break }}; {step}; {next} }}"),
        }
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

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let target = maker.tensor(|ty| ty.scalar.is_number())?;
    let value = super::compound::value(maker, target, Want::Divisor);
    let mut operands = vec![target, value];
    if maker.random.chance(50) {
        let integer = maker.random.one(&maker.integers());
        operands.push(maker.scalar(integer, Want::Any));
    }
    let (kind, _) = maker.random.one(NAMES);
    let operation = Loop {
        kind,
        count: maker.random.below(4) as u64,
        operator: maker.random.one(&OPERATORS),
        inner: maker.random.one(&["+", "-", "*"]),
    };
    maker.add(operation, &operands)
}
