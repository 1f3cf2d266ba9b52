//! `.sort() .argsort() .topk()`.

use std::sync::Arc;

use shared_types::ScalarType;

use super::reduction::Axis;
use super::{NUMBERS, Names, Operation};
use crate::generate::Maker;
use crate::program::{Operand, Type};

pub const NAMES: Names = &[("sort", NUMBERS), ("argsort", NUMBERS), ("topk", NUMBERS)];

#[derive(Clone, Copy, Debug)]
struct Sort {
    /// Its elements' positions in place of them.
    positions: bool,
    /// The last without one.
    axis: Option<Axis>,
    /// Ascending, which is `false`, may be left to the default.
    descending: Option<bool>,
}

#[derive(Clone, Copy, Debug)]
struct TopK {
    k: u64,
    axis: Option<Axis>,
}

/// The type that is sorted and where its axis is.
fn sorted(operands: &[Type], axis: Option<Axis>) -> Option<(&Type, usize)> {
    let [operand] = operands else { return None };
    let last = operand.rank().checked_sub(1)?;
    let axis = axis.map_or(last, |axis| axis.position);
    let applies = operand.scalar.is_number() && axis <= last;
    applies.then_some((operand, axis))
}

fn axis_text(axis: Option<Axis>, operand: &Operand) -> Option<String> {
    axis.map(|axis| format!("axis: {}", axis.text(operand)))
}

impl Operation for Sort {
    fn name(&self) -> &'static str {
        match self.positions {
            true => "argsort",
            false => "sort",
        }
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let (operand, _) = sorted(operands, self.axis)?;
        Some(vec![match self.positions {
            true => Type::tensor(ScalarType::I32, operand.extents()),
            false => operand.clone(),
        }])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let operand = &operands[0];
        let descending = self
            .descending
            .map(|descending| format!("descending: {descending}"));
        let arguments: Vec<String> = axis_text(self.axis, operand)
            .into_iter()
            .chain(descending)
            .collect();
        format!(
            "{}.{}({})",
            operand.receiver,
            self.name(),
            arguments.join(", ")
        )
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        let plain = self.axis.and_then(Axis::plain).map(|axis| Sort {
            axis: Some(axis),
            ..*self
        });
        let ascending = self.descending.map(|_| Sort {
            descending: None,
            ..*self
        });
        let all = plain.into_iter().chain(ascending);
        all.map(|one| Arc::new(one) as Arc<dyn Operation>).collect()
    }
}

impl Operation for TopK {
    fn name(&self) -> &'static str {
        "topk"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let (operand, axis) = sorted(operands, self.axis)?;
        let mut shape = operand.extents().to_vec();
        if self.k > shape[axis] {
            return None;
        }
        shape[axis] = self.k;
        let positions = Type::tensor(ScalarType::I32, &shape);
        Some(vec![operand.with_shape(&shape), positions])
    }

    fn members(&self) -> usize {
        2
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let operand = &operands[0];
        let arguments: Vec<String> = std::iter::once(format!("k: {}", self.k))
            .chain(axis_text(self.axis, operand))
            .collect();
        format!("{}.topk({})", operand.receiver, arguments.join(", "))
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        let plain = self.axis.and_then(Axis::plain).map(|axis| TopK {
            axis: Some(axis),
            ..*self
        });
        plain
            .map(|one| Arc::new(one) as Arc<dyn Operation>)
            .into_iter()
            .collect()
    }

    fn with_extent(&self, from: u64, to: u64) -> Option<Arc<dyn Operation>> {
        (self.k == from || self.k > to)
            .then(|| Arc::new(TopK { k: to, ..*self }) as Arc<dyn Operation>)
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let operand = maker.tensor(|ty| ty.scalar.is_number() && ty.rank() > 0)?;
    let ty = maker.type_of(operand);
    let axis = match maker.random.chance(70) {
        true => Some(Axis::make(maker, &ty)),
        false => None,
    };
    if maker.random.chance(35) {
        let (_, position) = sorted(std::slice::from_ref(&ty), axis)?;
        let extent = ty.extents()[position];
        let k = match maker.random.below(4) {
            0 => extent,
            1 => extent.min(1),
            _ => maker.random.below(extent as usize + 1) as u64,
        };
        return maker.add(TopK { k, axis }, &[operand]);
    }
    let positions = maker.random.chance(50);
    let descending = maker
        .random
        .one(&[None, Some(false), Some(true), Some(true)]);
    let sort = Sort {
        positions,
        axis,
        descending,
    };
    maker.add(sort, &[operand])
}
