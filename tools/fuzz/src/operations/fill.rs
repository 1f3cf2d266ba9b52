//! Tensors made from nothing: constructors, and a scalar as rank 0.

use std::sync::Arc;

use shared_types::ScalarType;

use super::{ANY, Names, Operation, Place};
use crate::contents::{Contents, Mix};
use crate::generate::{Maker, Want};
use crate::program::{Operand, Type, literal, nested};

pub const NAMES: Names = &[
    ("zeros", ANY),
    ("ones", ANY),
    ("identity", ANY),
    ("from", ANY),
    ("scalar", ANY),
];

/// `zeros`, `ones` or `identity`.
#[derive(Clone, Debug)]
struct Fill {
    method: &'static str,
    ty: Type,
}

#[derive(Debug)]
struct FromList {
    ty: Type,
    bits: Vec<u64>,
}

/// `Tensor::scalar(x)`.
#[derive(Debug)]
struct Scalar;

impl Operation for Fill {
    fn name(&self) -> &'static str {
        self.method
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let fits = operands.is_empty() && (self.method != "identity" || self.ty.rank() == 2);
        fits.then(|| vec![self.ty.clone()])
    }

    fn print(&self, _: &[Operand], _: &str) -> String {
        format!("{}::{}()", self.ty.turbofish(), self.method)
    }

    fn place(&self) -> Place {
        Place::NoRuns
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        match self.method {
            "zeros" => vec![],
            _ => vec![Arc::new(Fill {
                method: "zeros",
                ..self.clone()
            })],
        }
    }

    fn with_extent(&self, from: u64, to: u64) -> Option<Arc<dyn Operation>> {
        let extents = self.ty.extents().iter();
        let shape: Vec<u64> = extents
            .map(|&extent| if extent == from { to } else { extent })
            .collect();
        let ty = self.ty.with_shape(&shape);
        (ty != self.ty).then(|| {
            Arc::new(Fill {
                method: self.method,
                ty,
            }) as Arc<dyn Operation>
        })
    }
}

impl Operation for FromList {
    fn name(&self) -> &'static str {
        "from"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        operands.is_empty().then(|| vec![self.ty.clone()])
    }

    fn print(&self, _: &[Operand], _: &str) -> String {
        let elements: Vec<String> = self
            .bits
            .iter()
            .map(|&bits| literal(self.ty.scalar, bits))
            .collect();
        format!(
            "{}::from({})",
            self.ty.turbofish(),
            nested(self.ty.extents(), &elements)
        )
    }

    fn place(&self) -> Place {
        Place::Host
    }
}

impl Operation for Scalar {
    fn name(&self) -> &'static str {
        "scalar"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [operand] = operands else { return None };
        (!operand.is_tensor()).then(|| vec![operand.with_shape(&[])])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        format!("Tensor::scalar({})", operands[0].receiver)
    }

    fn place(&self) -> Place {
        Place::NoRuns
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let scalar = maker.scalar_type();
    match maker.random.below(6) {
        0 => {
            let value = match scalar {
                ScalarType::Bool => maker.scalar(scalar, Want::Any),
                _ if maker.random.chance(50) => maker.number(scalar, Want::Any),
                _ => maker.scalar(scalar, Want::Any),
            };
            maker.add(Scalar, &[value])
        }
        1 => {
            let shape = [maker.small_extent(), maker.small_extent()];
            let ty = Type::tensor(scalar, &shape);
            maker.add(
                Fill {
                    method: "identity",
                    ty,
                },
                &[],
            )
        }
        2 | 3 => {
            let shape = maker.shape();
            let ty = Type::tensor(scalar, &shape);
            if shape.is_empty() || ty.elements() > 12 {
                return None;
            }
            let contents = Contents::drawn(maker.random, Mix::Calm, Want::Any);
            let bits = contents.bits(scalar, &shape);
            maker.add(FromList { ty, bits }, &[])
        }
        choice => {
            let method = if choice == 4 { "zeros" } else { "ones" };
            let shape = match maker.pick(Type::is_tensor) {
                Some(known) if maker.random.chance(60) => maker.type_of(known).extents().to_vec(),
                _ => maker.shape(),
            };
            let ty = Type::tensor(scalar, &shape);
            maker.add(Fill { method, ty }, &[])
        }
    }
}
