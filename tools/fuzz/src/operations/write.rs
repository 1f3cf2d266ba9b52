//! Elements that are written: `t[i, j] = x`, `t[i, j] += x`.

use std::sync::Arc;

use super::elementwise::OPERATORS;
use super::{ANY, NUMBERS, Names, Operation, Place};
use crate::generate::{Maker, Want};
use crate::program::{Operand, Type};

pub const NAMES: Names = &[("element =", ANY), ("element, compound", NUMBERS)];

/// The operands are the tensor, the value, and each position that is not known.
#[derive(Clone, Debug)]
struct Write {
    positions: Vec<Option<u64>>,
    /// Before the `=`.
    operator: &'static str,
}

impl Operation for Write {
    fn name(&self) -> &'static str {
        match self.operator {
            "" => "element =",
            _ => "element, compound",
        }
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [target, value, open @ ..] = operands else {
            return None;
        };
        let rank = target.shape.as_ref()?.len();
        let known = self.positions.iter().zip(target.extents());
        let within = known
            .clone()
            .all(|(position, extent)| position.is_none_or(|at| at < *extent));
        let count = known.filter(|(position, _)| position.is_none()).count();
        let integers = open
            .iter()
            .all(|ty| !ty.is_tensor() && ty.scalar.is_integer());
        let fits = *value == Type::scalar(target.scalar)
            && (self.operator.is_empty() || target.scalar.is_number());
        let indexes = rank > 0 && rank == self.positions.len() && count == open.len();
        (fits && indexes && within && integers).then(|| vec![target.clone()])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let mut open = operands[2..].iter();
        let positions = self.positions.iter().map(|position| match position {
            Some(position) => position.to_string(),
            None => open
                .next()
                .map_or_else(String::new, |position| position.text.clone()),
        });
        let positions: Vec<String> = positions.collect();
        let (target, value) = (&operands[0].receiver, &operands[1].receiver);
        format!(
            "{target}[{}] {}= {value}",
            positions.join(", "),
            self.operator
        )
    }

    fn assigns(&self) -> bool {
        true
    }

    fn place(&self) -> Place {
        Place::Host
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        let plain = Write {
            operator: "",
            ..self.clone()
        };
        match self.operator {
            "" => vec![],
            _ => vec![Arc::new(plain)],
        }
    }

    fn with_extent(&self, _: u64, to: u64) -> Option<Arc<dyn Operation>> {
        let moved = |position: &Option<u64>| position.map(|at| if at >= to { 0 } else { at });
        let positions: Vec<_> = self.positions.iter().map(moved).collect();
        (positions != self.positions).then(|| {
            Arc::new(Write {
                positions,
                operator: self.operator,
            }) as Arc<dyn Operation>
        })
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let target = maker.tensor(|ty| ty.rank() > 0)?;
    let ty = maker.type_of(target);
    let operator = match ty.scalar.is_number() && maker.random.chance(40) {
        true => maker.random.one(&OPERATORS),
        false => "",
    };
    let want = match operator {
        "/" | "%" => Want::Divisor,
        _ => Want::Any,
    };
    let value = match ty.scalar.is_number() && maker.random.chance(40) {
        true => maker.number(ty.scalar, want),
        false => maker.scalar(ty.scalar, want),
    };
    let mut operands = vec![target, value];
    let mut positions = Vec::new();
    for &extent in ty.extents() {
        if extent > 0 && maker.random.chance(60) {
            positions.push(Some(maker.random.below(extent as usize) as u64));
        } else {
            positions.push(None);
            operands.push(super::slice::position(maker, extent));
        }
    }
    maker.add(
        Write {
            positions,
            operator,
        },
        &operands,
    )
}
