//! Element-wise mathematics.

use super::{FLOATS, Names, Operation};
use crate::generate::{Domain, Maker, Want};
use crate::program::{Operand, Type, broadcast};

pub const NAMES: Names = &[("sqrt", FLOATS), ("abs", FLOATS), ("sign", FLOATS)];
/// What is the C library's on the host, and the vendor's on a device.
pub const LIBRARY: Names = &[
    ("exp", FLOATS),
    ("log", FLOATS),
    ("sin", FLOATS),
    ("cos", FLOATS),
    ("tanh", FLOATS),
    ("pow", FLOATS),
];

const FUNCTIONS: [&str; 8] = ["exp", "log", "sqrt", "sin", "cos", "tanh", "abs", "sign"];
const EXACT: [&str; 3] = ["sqrt", "abs", "sign"];

/// One of [`FUNCTIONS`].
#[derive(Debug)]
struct Function(&'static str);

#[derive(Debug)]
struct Power;

impl Operation for Function {
    fn name(&self) -> &'static str {
        self.0
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [operand] = operands else { return None };
        let applies = operand.scalar.is_float() && operand.is_tensor();
        applies.then(|| vec![operand.clone()])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        format!("{}.{}()", operands[0].receiver, self.0)
    }
}

impl Operation for Power {
    fn name(&self) -> &'static str {
        "pow"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [base, exponent] = operands else {
            return None;
        };
        if base.scalar != exponent.scalar || !base.scalar.is_float() {
            return None;
        }
        let shape = match &exponent.shape {
            Some(exponent) => broadcast(base.shape.as_ref()?, exponent)?,
            None => base.shape.clone()?,
        };
        Some(vec![base.with_shape(&shape)])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        format!("{}.pow({})", operands[0].receiver, operands[1].text)
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let operand = maker.tensor(|ty| ty.scalar.is_float())?;
    let ty = maker.type_of(operand);
    if maker.domain == Domain::Device {
        let function = maker.random.one(&EXACT);
        return maker.add(Function(function), &[operand]);
    }
    if maker.random.chance(85) {
        let function = maker.random.one(&FUNCTIONS);
        return maker.add(Function(function), &[operand]);
    }
    let exponent = match maker.random.below(4) {
        0 => maker.number(ty.scalar, Want::Any),
        1 => maker.scalar(ty.scalar, Want::Any),
        _ => {
            let shape = maker.partner(ty.extents());
            maker.of_type(&ty.with_shape(&shape), Want::Any)
        }
    };
    maker.add(Power, &[operand, exponent])
}
