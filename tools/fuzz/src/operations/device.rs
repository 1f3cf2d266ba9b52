//! `.to(…)`, which the host's engines take as it is.

use super::{ANY, Names, Operation, Place};
use crate::generate::Maker;
use crate::program::{Operand, Type};

pub const NAMES: Names = &[("to", ANY)];

/// Where to, as source.
#[derive(Debug)]
struct To(&'static str);

impl Operation for To {
    fn name(&self) -> &'static str {
        "to"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [operand] = operands else { return None };
        operand.is_tensor().then(|| vec![operand.clone()])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        format!("{}.to({})", operands[0].receiver, self.0)
    }

    fn place(&self) -> Place {
        Place::Host
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let operand = maker.tensor(|_| true)?;
    let device = maker
        .random
        .one(&["Device::CPU", "Device::CPU", "Device::GPU(0)"]);
    maker.add(To(device), &[operand])
}
