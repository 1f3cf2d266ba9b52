//! Destinations: `tensor.empty`, and one filled with a value.

use melior::dialect::arith::CmpiPredicate;
use melior::ir::{Type, Value};
use neuro_hir::{Extent, TensorType};
use shared_types::{ScalarType, Span};

use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::generic::{Generic, Iterator};
use crate::types::{scalar_type, tensor_type};
use crate::unlowered::Unlowered;

/// A tensor of undefined elements, all extents static.
pub(crate) fn empty<'c: 'b, 'b>(
    at: At<'c, 'b>,
    tensor: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    empty_like(at, tensor, &[], span)
}

/// A tensor of undefined elements. Each `?` extent is read from an operand whose map walks that
/// axis without being stretched.
pub(crate) fn empty_like<'c: 'b, 'b>(
    at: At<'c, 'b>,
    tensor: &TensorType,
    operands: &[(Value<'c, 'b>, &TensorType)],
    span: Span,
) -> Built<Value<'c, 'b>> {
    let mut sizes = Vec::new();
    for (axis, extent) in tensor.extents().enumerate() {
        if extent != Extent::Dynamic {
            continue;
        }
        let from_end = tensor.rank() - axis;
        let source = operands.iter().find_map(|&(value, operand)| {
            let position = operand.rank().checked_sub(from_end)?;
            (operand.axes[position].extent == Extent::Dynamic).then_some((value, position))
        });
        let Some((value, position)) = source else {
            return Unlowered::refused(format!("no operand tells the extent of axis {axis}"), span);
        };
        let index = Type::index(at.context);
        let position = at.index(position as u64)?;
        sizes.push(at.emit("tensor.dim", &[value, position], index)?);
    }
    let ty = tensor_type(at.context, tensor, span)?;
    at.emit("tensor.empty", &sizes, ty)
}

/// A tensor whose every element is `value`.
pub(crate) fn filled<'c: 'b, 'b>(
    at: At<'c, 'b>,
    tensor: &TensorType,
    value: impl FnOnce(At<'c, 'b>) -> Built<Value<'c, 'b>>,
    span: Span,
) -> Built<Value<'c, 'b>> {
    filled_tagged(at, tensor, value, None, span)
}

/// The same, by an operation that a schedule finds by its tag.
pub(crate) fn filled_tagged<'c: 'b, 'b>(
    at: At<'c, 'b>,
    tensor: &TensorType,
    value: impl FnOnce(At<'c, 'b>) -> Built<Value<'c, 'b>>,
    tag: Option<&str>,
    span: Span,
) -> Built<Value<'c, 'b>> {
    let rank = tensor.rank();
    let destination = empty(at, tensor, span)?;
    let generic = Generic {
        iterators: vec![Iterator::Parallel; rank],
        inputs: vec![(value(at)?, IndexMap::scalar(rank))],
        output: (destination, IndexMap::identity(rank)),
    };
    generic.append_tagged(at, tag, |_, elements| Ok(elements[0]))
}

/// Ones where the row equals the column, zeros elsewhere; rank 2.
pub(crate) fn identity<'c: 'b, 'b>(
    at: At<'c, 'b>,
    tensor: &TensorType,
    scalar: ScalarType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    if tensor.rank() != 2 {
        return Unlowered::refused("an identity has two axes", span);
    }
    let one = number(at, scalar, 1)?;
    let zero = number(at, scalar, 0)?;
    let generic = Generic {
        iterators: vec![Iterator::Parallel; 2],
        inputs: vec![(one, IndexMap::scalar(2)), (zero, IndexMap::scalar(2))],
        output: (empty(at, tensor, span)?, IndexMap::identity(2)),
    };
    generic.append(at, |at, elements| {
        let (row, column) = (at.dimension(0)?, at.dimension(1)?);
        let equal = at.compare("arith.cmpi", CmpiPredicate::Eq as i64, row, column)?;
        let ty = scalar_type(at.context, scalar);
        at.emit("arith.select", &[equal, elements[0], elements[1]], ty)
    })
}

/// A small whole number as a constant of any number type, or a `bool`.
pub(crate) fn number<'c: 'b, 'b>(
    at: At<'c, 'b>,
    scalar: ScalarType,
    value: u8,
) -> Built<Value<'c, 'b>> {
    match scalar {
        ScalarType::Bool => at.boolean(value != 0),
        _ if scalar.is_float() => at.float(scalar, value.into()),
        _ => at.integer(scalar.bytes() as u32 * 8, value.into()),
    }
}
