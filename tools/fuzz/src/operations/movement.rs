//! The elements in another shape or order.

use std::sync::Arc;

use super::{ANY, Names, Operation, Place};
use crate::generate::Maker;
use crate::program::{Operand, Type};

pub const NAMES: Names = &[
    ("t", ANY),
    ("permute", ANY),
    ("reshape", ANY),
    ("flatten", ANY),
    ("flatten dims", ANY),
    ("clone", ANY),
];

/// The last two axes swap.
#[derive(Debug)]
struct Transpose;

/// Axis `k` of the result is axis `order[k]` of the operand; where `from_the_end`, it is said by a
/// negative number.
#[derive(Debug)]
struct Permute {
    order: Vec<usize>,
    from_the_end: bool,
}

/// Where `open`, that extent is written `-1`.
#[derive(Clone, Debug)]
struct Reshape {
    shape: Vec<u64>,
    open: Option<usize>,
}

/// Some axes that follow one another become one; all of them without `dims`.
#[derive(Debug)]
struct Flatten {
    dims: Option<(usize, usize)>,
}

#[derive(Debug)]
struct Copied;

impl Operation for Transpose {
    fn name(&self) -> &'static str {
        "t"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [operand] = operands else { return None };
        let mut shape = operand.extents().to_vec();
        let rank = shape.len();
        (rank >= 2).then(|| {
            shape.swap(rank - 2, rank - 1);
            vec![operand.with_shape(&shape)]
        })
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        format!("{}.t()", operands[0].receiver)
    }
}

impl Operation for Permute {
    fn name(&self) -> &'static str {
        "permute"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [operand] = operands else { return None };
        let shape = operand.shape.as_ref()?;
        let order = self.order.iter().map(|&axis| shape.get(axis).copied());
        let result: Vec<u64> = order.collect::<Option<_>>()?;
        (result.len() == shape.len()).then(|| vec![operand.with_shape(&result)])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let rank = self.order.len() as i64;
        let order = self.order.iter().map(|&axis| match self.from_the_end {
            true => axis as i64 - rank,
            false => axis as i64,
        });
        format!(
            "{}.permute({:?})",
            operands[0].receiver,
            order.collect::<Vec<_>>()
        )
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        let order = self.order.clone();
        match self.from_the_end {
            true => vec![Arc::new(Permute {
                order,
                from_the_end: false,
            })],
            false => vec![],
        }
    }
}

impl Operation for Reshape {
    fn name(&self) -> &'static str {
        "reshape"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [operand] = operands else { return None };
        let elements: u64 = self.shape.iter().product();
        // With no elements a `-1` may be anything.
        let is_determined = self.open.is_none_or(|open| {
            let known = self.shape.iter().enumerate().filter(|(at, _)| *at != open);
            known.map(|(_, extent)| extent).product::<u64>() > 0
        });
        let fits = operand.is_tensor() && operand.elements() == elements && is_determined;
        fits.then(|| vec![operand.with_shape(&self.shape)])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let extents = self
            .shape
            .iter()
            .enumerate()
            .map(|(at, extent)| match self.open {
                Some(open) if open == at => "-1".to_string(),
                _ => extent.to_string(),
            });
        let extents: Vec<String> = extents.collect();
        format!("{}.reshape([{}])", operands[0].receiver, extents.join(", "))
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        let shape = self.shape.clone();
        match self.open {
            Some(_) => vec![Arc::new(Reshape { shape, open: None })],
            None => vec![],
        }
    }

    fn with_extent(&self, from: u64, to: u64) -> Option<Arc<dyn Operation>> {
        let shape: Vec<u64> = self
            .shape
            .iter()
            .map(|&extent| if extent == from { to } else { extent })
            .collect();
        (shape != self.shape).then(|| {
            Arc::new(Reshape {
                shape,
                open: self.open,
            }) as Arc<dyn Operation>
        })
    }
}

impl Operation for Flatten {
    fn name(&self) -> &'static str {
        match self.dims {
            Some(_) => "flatten dims",
            None => "flatten",
        }
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [operand] = operands else { return None };
        let shape = operand.shape.as_ref()?;
        let (first, end) = self.dims.unwrap_or((0, shape.len()));
        if end > shape.len() || self.dims.is_some() && first == end {
            return None;
        }
        let mut result = shape.clone();
        let flat = result.drain(first..end).product();
        result.insert(first, flat);
        Some(vec![operand.with_shape(&result)])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        let dims = self
            .dims
            .map(|(first, end)| format!("dims: {:?}", (first..end).collect::<Vec<_>>()));
        format!(
            "{}.flatten({})",
            operands[0].receiver,
            dims.unwrap_or_default()
        )
    }
}

impl Operation for Copied {
    fn name(&self) -> &'static str {
        "clone"
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let [operand] = operands else { return None };
        operand.is_tensor().then(|| vec![operand.clone()])
    }

    fn print(&self, operands: &[Operand], _: &str) -> String {
        format!("{}.clone()", operands[0].receiver)
    }

    /// A body that hands back what it was given is none.
    fn place(&self) -> Place {
        Place::Host
    }
}

pub fn make(maker: &mut Maker<'_>) -> Option<()> {
    let operand = maker.tensor(|_| true)?;
    let ty = maker.type_of(operand);
    let rank = ty.rank();
    match maker.random.below(10) {
        0 | 1 if rank >= 2 => maker.add(Transpose, &[operand]),
        2..=4 if rank > 0 => {
            let mut order: Vec<usize> = (0..rank).collect();
            maker.random.shuffle(&mut order);
            let from_the_end = maker.random.chance(20);
            maker.add(
                Permute {
                    order,
                    from_the_end,
                },
                &[operand],
            )
        }
        5 => maker.add(Flatten { dims: None }, &[operand]),
        6 if rank > 0 => {
            let first = maker.random.below(rank);
            let end = first + 1 + maker.random.below(rank - first);
            let dims = Some((first, end));
            maker.add(Flatten { dims }, &[operand])
        }
        7 => maker.add(Copied, &[operand]),
        _ => {
            let reshape = reshape(maker, &ty);
            maker.add(reshape, &[operand])
        }
    }
}

/// Another shape of as many elements: axes are joined, split, added and taken away.
fn reshape(maker: &mut Maker<'_>, ty: &Type) -> Reshape {
    let mut shape = ty.extents().to_vec();
    for _ in 0..1 + maker.random.below(3) {
        match maker.random.below(4) {
            0 if shape.len() >= 2 => {
                let at = maker.random.below(shape.len() - 1);
                let extent = shape.remove(at);
                shape[at] *= extent;
            }
            1 if !shape.is_empty() => {
                let at = maker.random.below(shape.len());
                let factor = maker.random.one(&[2, 3, 7, 8, 31, 64]);
                if shape[at].is_multiple_of(factor) && shape.len() < 6 {
                    shape[at] /= factor;
                    shape.insert(at, factor);
                }
            }
            2 if shape.len() < 6 => {
                let at = maker.random.below(shape.len() + 1);
                shape.insert(at, 1);
            }
            _ => {
                if let Some(at) = shape.iter().position(|&extent| extent == 1) {
                    shape.remove(at);
                }
            }
        }
    }
    let open = match !shape.is_empty() && maker.random.chance(40) {
        true => Some(maker.random.below(shape.len())),
        false => None,
    };
    Reshape { shape, open }
}
