//! The elements that a thread reads and writes.

use shared_types::ScalarType;

use super::Kernel;
use crate::program::Type;

/// What an expression of a kernel reads beside its locals.
#[derive(Clone, Debug)]
pub(super) enum Leaf {
    /// The thread's position along an axis of the grid.
    Thread(usize),
    /// An operand that is no tensor.
    Scalar(usize),
    /// An element of an operand that no thread writes.
    Element(usize, Vec<Position>),
    /// The thread's element of an output.
    Own(usize),
}

/// A position along an axis of a tensor that is read.
#[derive(Clone, Debug)]
pub(super) enum Position {
    /// The thread's, the axis over and over where it `wraps`.
    Thread { axis: usize, wraps: bool },
    /// This one, or the last.
    Literal(u64),
    /// An operand.
    Scalar(usize),
}

/// Which element is a thread's: that at its position, from the end along the axes that are
/// `mirrored`. Along the axes that blocks lack it has all.
#[derive(Clone, Debug)]
pub(super) struct Own {
    pub mirrored: Vec<bool>,
    /// The type of the index.
    pub cast: Option<ScalarType>,
}

impl Own {
    /// The index of an element of a tensor of this type.
    pub fn index(&self, kernel: &Kernel, ty: &Type) -> String {
        let axes = ty.extents().iter().enumerate().map(|(axis, &extent)| {
            if axis >= kernel.threads.len() {
                return format!("j{axis}");
            }
            let position = match self.mirrored.get(axis) {
                Some(true) if extent > 0 => format!("({} - i{axis})", extent - 1),
                _ => format!("i{axis}"),
            };
            match self.cast {
                Some(cast) => format!("{position} as {cast}"),
                None => position,
            }
        });
        axes.collect::<Vec<_>>().join(", ")
    }
}

impl Leaf {
    pub fn scalar(&self, signature: &[(ScalarType, Option<usize>)]) -> ScalarType {
        match *self {
            Leaf::Thread(_) => ScalarType::I64,
            Leaf::Scalar(at) | Leaf::Element(at, _) | Leaf::Own(at) => signature[at].0,
        }
    }

    pub fn text(&self, kernel: &Kernel, types: &[Type]) -> String {
        match self {
            // Not 0, by which the first thread would divide.
            Leaf::Thread(axis) => format!("(i{axis} + 1)"),
            Leaf::Scalar(at) => format!("a{at}"),
            Leaf::Element(at, positions) => {
                let positions = positions.iter().zip(types[*at].extents());
                let positions: Vec<String> = positions
                    .map(|(position, &extent)| position.text(extent))
                    .collect();
                format!("a{at}[{}]", positions.join(", "))
            }
            Leaf::Own(at) => format!("o{at}[{}]", kernel.own.index(kernel, &types[*at])),
        }
    }
}

impl Position {
    fn text(&self, extent: u64) -> String {
        match self {
            Position::Thread { axis, wraps: true } => format!("i{axis} % {extent}"),
            Position::Thread { axis, wraps: false } => format!("i{axis}"),
            Position::Literal(at) => (*at).min(extent.saturating_sub(1)).to_string(),
            Position::Scalar(at) => format!("a{at}"),
        }
    }
}
