//! `.sum() .mean() .max() .min()`, whole or along an axis.

use std::sync::Arc;

use super::{FLOATS, NUMBERS, Names, Operation, Place};
use crate::generate::Maker;
use crate::program::{Operand, Type, axis_name};

pub const NAMES: Names = &[
    ("sum", NUMBERS),
    ("max", NUMBERS),
    ("min", NUMBERS),
    ("mean", FLOATS),
    ("sum axis", NUMBERS),
    ("max axis", NUMBERS),
    ("min axis", NUMBERS),
    ("mean axis", FLOATS),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Sum,
    Max,
    Min,
    Mean,
}

#[derive(Debug)]
struct Reduce {
    kind: Kind,
    /// All of them without one.
    axis: Option<Axis>,
}

/// An axis, and how it is said.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    pub position: usize,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Position,
    FromTheEnd,
    Name,
}

impl Axis {
    /// One of those that the type has; it has some.
    pub fn make(maker: &mut Maker<'_>, ty: &Type) -> Self {
        Axis {
            position: maker.random.below(ty.rank()),
            form: maker
                .random
                .one(&[Form::Position, Form::FromTheEnd, Form::Name]),
        }
    }

    /// The value of `axis:`. Only an operand whose names are known is asked by name.
    pub fn text(self, operand: &Operand) -> String {
        match self.form {
            Form::Name if operand.named => axis_name(self.position),
            Form::FromTheEnd => format!("-{}", operand.ty.rank() - self.position),
            Form::Position | Form::Name => self.position.to_string(),
        }
    }

    /// The same axis as a position.
    pub fn plain(self) -> Option<Self> {
        let form = Form::Position;
        (self.form != form).then_some(Axis { form, ..self })
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Sum => "sum",
            Kind::Max => "max",
            Kind::Min => "min",
            Kind::Mean => "mean",
        }
    }
}

impl Operation for Reduce {
    fn name(&self) -> &'static str {
        match (self.kind, self.axis) {
            (kind, None) => kind.name(),
            (Kind::Sum, Some(_)) => "sum axis",
            (Kind::Max, Some(_)) => "max axis",
            (Kind::Min, Some(_)) => "min axis",
            (Kind::Mean, Some(_)) => "mean axis",
        }
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [operand] = operands else { return None };
        let mut shape = operand.shape.clone()?;
        let applies = match self.kind {
            Kind::Mean => operand.scalar.is_float(),
            Kind::Sum | Kind::Max | Kind::Min => operand.scalar.is_number(),
        };
        let run = match self.axis {
            Some(axis) if axis.position < shape.len() => shape.remove(axis.position),
            Some(_) => return None,
            None => operand.elements(),
        };
        // Of nothing there is no greatest.
        let is_defined = run > 0 || matches!(self.kind, Kind::Sum | Kind::Mean);
        (applies && is_defined).then(|| {
            vec![match self.axis {
                Some(_) => operand.with_shape(&shape),
                None => Type::scalar(operand.scalar),
            }]
        })
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let operand = &operands[0];
        let axis = self
            .axis
            .map(|axis| format!("axis: {}", axis.text(operand)));
        let (receiver, name) = (&operand.receiver, self.kind.name());
        format!("{receiver}.{name}({})", axis.unwrap_or_default())
    }

    fn place(&self) -> Place {
        match self.axis {
            Some(_) => Place::Anywhere,
            None => Place::Runs,
        }
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        let axis = self.axis.and_then(Axis::plain);
        let axis = axis.map(Some).map(|axis| Reduce {
            axis,
            kind: self.kind,
        });
        let sum = (self.kind != Kind::Sum).then_some(Reduce {
            kind: Kind::Sum,
            axis: self.axis,
        });
        let all = axis.into_iter().chain(sum);
        all.map(|one| Arc::new(one) as Arc<dyn Operation>).collect()
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let operand = maker.tensor(|ty| ty.scalar.is_number())?;
    let ty = maker.type_of(operand);
    let axis = match ty.rank() {
        0 => None,
        _ if maker.random.chance(30) => None,
        _ => Some(Axis::make(maker, &ty)),
    };
    let kind = maker
        .random
        .one(&[Kind::Sum, Kind::Max, Kind::Min, Kind::Mean]);
    maker.add(Reduce { kind, axis }, &[operand])
}
