//! What moves elements unchanged: permutations, slices and reshapes (backend specification, §The
//! other operations).

use melior::ir::{Type, Value};
use neuro_hir::TensorType;
use shared_types::{ScalarType, Span};

use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::fill::empty;
use crate::generic::{Generic, Iterator};
use crate::types::{scalar_type, tensor_type};
use crate::unlowered::Unlowered;
use crate::views::{collapse, expand};

/// Axis `k` of the result is axis `axes[k]` of the operand: an input map alone.
pub(crate) fn permute<'c: 'b, 'b>(
    at: At<'c, 'b>,
    (value, tensor): (Value<'c, 'b>, &TensorType),
    axes: &[usize],
    result: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    let moved = |axis: usize| axes.iter().position(|&from| from == axis);
    let dimensions: Option<Vec<usize>> = (0..tensor.rank()).map(moved).collect();
    let from = |&axis: &usize| tensor.axes.get(axis).map(|axis| axis.extent);
    let agree =
        axes.iter().map(from).eq(result.extents().map(Some)) && tensor.scalar() == result.scalar();
    match dimensions {
        Some(dimensions) if agree && result.static_extents().is_some() => {
            let map = IndexMap::select(result.rank(), dimensions);
            copy(at, value, map, result, span)
        }
        _ => Unlowered::refused("no permutation of known extents", span),
    }
}

/// Where a slice reads one axis of its source.
#[derive(Clone)]
pub(crate) enum SourceIndex<'c, 'b> {
    /// A position below the extent, checked by whoever gives it.
    Position(Value<'c, 'b>, ScalarType),
    /// From `start` up along the next axis of the result, or down from it.
    Range { start: u64, reversed: bool },
}

/// A gather that reads the source at each position of the result.
pub(crate) fn slice<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    axes: &[SourceIndex<'c, 'b>],
    result: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    let Some(scalar) = result.scalar() else {
        return Unlowered::refused("a slice of aggregates", span);
    };
    let rank = result.rank();
    let generic = Generic {
        iterators: vec![Iterator::Parallel; rank],
        inputs: vec![],
        output: (empty(at, result, span)?, IndexMap::identity(rank)),
    };
    generic.append(at, |at, _| {
        let index = Type::index(at.context);
        let mut dimensions = 0..;
        let mut operands = vec![source];
        for axis in axes {
            operands.push(match axis {
                SourceIndex::Position(position, scalar) => {
                    let cast = match scalar.is_signed() {
                        true => "arith.index_cast",
                        false => "arith.index_castui",
                    };
                    at.emit(cast, &[*position], index)?
                }
                SourceIndex::Range { start, reversed } => {
                    let start = at.index(*start)?;
                    let along = at.dimension(dimensions.next().unwrap_or(0))?;
                    let step = if *reversed {
                        "arith.subi"
                    } else {
                        "arith.addi"
                    };
                    at.emit(step, &[start, along], index)?
                }
            });
        }
        at.emit("tensor.extract", &operands, scalar_type(at.context, scalar))
    })
}

/// The same elements in another shape, as a view: [`copy`] makes it a tensor of its own.
pub(crate) fn reshape<'c: 'b, 'b>(
    at: At<'c, 'b>,
    (value, tensor): (Value<'c, 'b>, &TensorType),
    result: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    let (Some(scalar), Some(from), Some(to)) = (
        result.scalar(),
        tensor.static_extents(),
        result.static_extents(),
    ) else {
        return Unlowered::refused("a reshape of unknown extents", span);
    };
    if tensor.scalar() != Some(scalar) || tensor.elements() != result.elements() {
        return Unlowered::refused("a reshape to another number of elements", span);
    }
    if from == to {
        return copy(at, value, IndexMap::identity(from.len()), result, span);
    }
    // Through one axis, or through none where either side has none.
    let flat = match from.is_empty() || to.is_empty() {
        true => vec![],
        false => vec![from.iter().product()],
    };
    let groups = |extents: &[u64]| match flat.is_empty() {
        true => vec![],
        false => vec![(0..extents.len()).collect::<Vec<_>>()],
    };
    let ty = |extents: &[u64]| tensor_type(at.context, &TensorType::new(scalar, extents), span);
    let value = match from == flat {
        true => value,
        false => collapse(at, value, ty(&flat)?, &groups(&from))?,
    };
    match to == flat {
        true => Ok(value),
        false => expand(at, value, ty(&to)?, &groups(&to), &to),
    }
}

/// A fresh tensor of the elements that `map` reads.
pub(crate) fn copy<'c: 'b, 'b>(
    at: At<'c, 'b>,
    value: Value<'c, 'b>,
    map: IndexMap,
    result: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    let rank = result.rank();
    let generic = Generic {
        iterators: vec![Iterator::Parallel; rank],
        inputs: vec![(value, map)],
        output: (empty(at, result, span)?, IndexMap::identity(rank)),
    };
    generic.append(at, |_, elements| Ok(elements[0]))
}
