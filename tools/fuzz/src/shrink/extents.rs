//! Smaller tensors.

use std::collections::BTreeSet;

use crate::contents::{Contents, Want};
use crate::program::{Function, Parameter};

/// An extent is smaller wherever it stands, or an axis of a parameter is gone or of extent 1.
pub fn smaller(function: &Function) -> Vec<Function> {
    let tensors = function.parameters.iter().map(|parameter| &parameter.ty);
    let types = function.types().unwrap_or_default();
    let types: Vec<_> = tensors.chain(types.iter().flatten()).collect();
    let extents: BTreeSet<u64> = types.iter().flat_map(|ty| ty.extents()).copied().collect();
    let mut simpler = Vec::new();
    for &from in extents.iter().rev().filter(|&&extent| extent > 1) {
        let mut targets = vec![1, 2, 3, from / 8, from / 2, from - from / 8, from - 1];
        targets.retain(|&to| 0 < to && to < from);
        targets.dedup();
        simpler.extend(targets.into_iter().map(|to| function.with_extent(from, to)));
    }
    for at in 0..function.parameters.len() {
        for axis in 0..function.parameters[at].ty.rank() {
            simpler.extend(along(function, at, axis));
        }
    }
    simpler
}

impl Function {
    /// The same where each extent `from` is `to`.
    pub fn with_extent(&self, from: u64, to: u64) -> Function {
        let mut function = self.clone();
        for parameter in &mut function.parameters {
            let shape = parameter.ty.extents().iter();
            let shape: Vec<u64> = shape
                .map(|&extent| if extent == from { to } else { extent })
                .collect();
            reshape(parameter, &shape);
            if let Contents::Drawn {
                want: Want::Position(extent),
                ..
            } = &mut parameter.contents
                && *extent == from
            {
                *extent = to;
            }
        }
        for node in &mut function.nodes {
            if let Some(operation) = node.operation.with_extent(from, to) {
                node.operation = operation;
            }
        }
        function
    }
}

/// Without an axis, or with one position of it.
fn along(function: &Function, at: usize, axis: usize) -> Vec<Function> {
    let shape = function.parameters[at].ty.extents();
    let with = |shape: &[u64]| {
        let mut function = function.clone();
        reshape(&mut function.parameters[at], shape);
        function
    };
    let mut without = shape.to_vec();
    without.remove(axis);
    let mut narrow = shape.to_vec();
    narrow[axis] = 1;
    match shape[axis] {
        0 | 1 => vec![with(&without)],
        _ => vec![with(&without), with(&narrow)],
    }
}

/// Elements that are listed stay at the places that are left, row-major from the start of each axis.
fn reshape(parameter: &mut Parameter, shape: &[u64]) {
    if !parameter.ty.is_tensor() || parameter.ty.extents() == shape {
        return;
    }
    if let Contents::Listed(bits) = &mut parameter.contents
        && shape.len() == parameter.ty.rank()
    {
        *bits = kept(bits, parameter.ty.extents(), shape);
    }
    parameter.ty = parameter.ty.with_shape(shape);
}

/// The elements at the start of each axis.
fn kept(bits: &[u64], from: &[u64], to: &[u64]) -> Vec<u64> {
    let (Some((_, from)), Some((&extent, to))) = (from.split_first(), to.split_first()) else {
        return bits.to_vec();
    };
    let size = from.iter().product::<u64>() as usize;
    let rows = bits.chunks(size.max(1)).take(extent as usize);
    rows.flat_map(|row| kept(row, from, to)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_where_they_were() {
        assert_eq!(kept(&[1, 2, 3, 4, 5, 6], &[2, 3], &[2, 2]), [1, 2, 4, 5]);
        assert_eq!(kept(&[1, 2, 3, 4], &[2, 2], &[1, 2]), [1, 2]);
    }
}
