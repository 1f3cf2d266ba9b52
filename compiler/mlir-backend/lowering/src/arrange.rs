//! A contraction of two operands in the form that the schedule takes: batches of products of rows
//! and columns, each group of letters one axis (backend specification, §The contraction schedule).

use melior::ir::Value;
use melior::ir::operation::{OperationLike, OperationResult};
use neuro_hir::TensorType;
use shared_types::{ScalarType, Span};

use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::check::IterationSpace;
use crate::contraction::Contraction;
use crate::contraction_shape::ContractionShape;
use crate::fill::empty;
use crate::generic::{Generic, Iterator};
use crate::half::{computed_in, widen};
use crate::movement::reshape;

/// The dimensions of a contraction by the operands that have them, each group in its order. The
/// result has batches, rows and columns in this order.
struct Groups {
    batches: Vec<usize>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    folded: Vec<usize>,
}

/// The same contraction over axes in order, its elements in the type that they compute in. `None`
/// where it is no batch of matrix products: it has not two operands, repeats a letter, leaves
/// nothing to add or to keep, or its result interleaves the operands' letters.
pub(crate) fn arrange<'c: 'b, 'b>(
    at: At<'c, 'b>,
    contraction: &Contraction<'c, 'b>,
    scalar: ScalarType,
    span: Span,
) -> Built<Option<Contraction<'c, 'b>>> {
    let Contraction { inputs, space } = contraction;
    let extents: Vec<u64> = space.result.iter().chain(&space.folded).copied().collect();
    let [left, right] = inputs.as_slice() else {
        return Ok(None);
    };
    let column = space.result.len().wrapping_sub(1);
    let (first, second) = match right.1.contains(&column) {
        true => (left, right),
        false => (right, left),
    };
    let Some(mut groups) = Groups::of(space, &first.1, &second.1) else {
        return Ok(None);
    };
    // A vector times a matrix whose columns lie in memory: the rows of that, times one column.
    let runs = second
        .1
        .last()
        .is_some_and(|last| groups.folded.contains(last));
    let are_given = is_given(first.0) && is_given(second.0) && !scalar.is_half();
    let (first, second) = match groups.rows.is_empty() && runs && are_given {
        true => {
            std::mem::swap(&mut groups.rows, &mut groups.columns);
            (second, first)
        }
        false => (first, second),
    };
    if extents.contains(&0) {
        return Ok(None);
    }
    let Groups {
        batches,
        rows,
        columns,
        folded,
    } = &groups;
    let size = |group: &[usize]| -> u64 {
        let extents = group.iter().map(|&dimension| extents[dimension]);
        extents.product()
    };
    let mut kept = Vec::new();
    let mut inputs = Vec::new();
    for group in [batches, rows] {
        if !group.is_empty() {
            kept.push(size(group));
        }
    }
    kept.push(size(columns));
    let batch = usize::from(!batches.is_empty());
    let (row, column, depth) = (batch, kept.len() - 1, kept.len());
    let bytes = computed_in(scalar).bytes() as u64;
    let largest = size(rows)
        .max(size(columns))
        .saturating_mul(size(folded) * bytes);
    let is_copied = largest > ContractionShape::COPIED_BYTES
        && size(rows) >= ContractionShape::COPIED_ROWS
        && size(columns) >= ContractionShape::COPIED_COLUMNS;
    for (operand, last) in [
        (first, [(rows, row), (folded, depth)]),
        (second, [(folded, depth), (columns, column)]),
    ] {
        let order = |groups: [(&Vec<usize>, usize); 3]| -> Vec<usize> {
            let groups = groups.iter().flat_map(|(group, _)| *group);
            groups.copied().collect()
        };
        let [before, after] = last;
        let turned = [(batches, 0), after, before];
        let lies_turned = is_copied && are_given && operand.1 == order(turned);
        let groups = match lies_turned {
            true => turned,
            false => [(batches, 0), before, after],
        };
        let order = order(groups);
        let (value, ty) = ordered(at, operand, &order, &extents, scalar, span)?;
        // Without letters of its own a column is one element.
        let is_there =
            |(group, _): &&(&Vec<usize>, usize)| !group.is_empty() || std::ptr::eq(*group, columns);
        let present = || groups.iter().filter(is_there);
        let shape: Vec<u64> = present().map(|(group, _)| size(group)).collect();
        let grouped = TensorType::new(computed_in(scalar), &shape);
        let value = match ty.same_shape_and_element(&grouped) {
            true => value,
            false => reshape(at, (value, &ty), &grouped, span)?,
        };
        inputs.push((value, present().map(|&(_, dimension)| dimension).collect()));
    }
    Ok(Some(Contraction {
        inputs,
        space: IterationSpace {
            result: kept,
            folded: vec![size(folded)],
        },
    }))
}

impl Groups {
    fn of(space: &IterationSpace, first: &[usize], second: &[usize]) -> Option<Groups> {
        let kept = space.result.len();
        let group = |in_first: bool, in_second: bool, dimensions: std::ops::Range<usize>| {
            let of_group = |dimension: &usize| {
                first.contains(dimension) == in_first && second.contains(dimension) == in_second
            };
            dimensions.filter(of_group).collect::<Vec<usize>>()
        };
        let groups = Groups {
            batches: group(true, true, 0..kept),
            rows: group(true, false, 0..kept),
            columns: group(false, true, 0..kept),
            folded: group(true, true, kept..kept + space.folded.len()),
        };
        let Groups {
            batches,
            rows,
            columns,
            folded,
        } = &groups;
        let in_order = batches
            .iter()
            .chain(rows)
            .chain(columns)
            .copied()
            .eq(0..kept);
        let all_folded = !folded.is_empty() && folded.len() == space.folded.len();
        let repeats = batches.len() + rows.len() + folded.len() != first.len()
            || batches.len() + folded.len() + columns.len() != second.len();
        (in_order && all_folded && !repeats && !columns.is_empty()).then_some(groups)
    }
}

/// Whether no operation makes the value, or only gives another shape to what is given.
pub(crate) fn is_given(value: Value<'_, '_>) -> bool {
    let Ok(result) = OperationResult::try_from(value) else {
        return true;
    };
    let owner = result.owner();
    let name = owner.name();
    let reshapes = ["tensor.expand_shape", "tensor.collapse_shape"];
    let is_reshape = name
        .as_string_ref()
        .as_str()
        .is_ok_and(|name| reshapes.contains(&name));
    is_reshape && owner.operand(0).is_ok_and(is_given)
}

/// The operand with its axes along the dimensions in this order: itself, or a copy.
fn ordered<'c: 'b, 'b>(
    at: At<'c, 'b>,
    (value, axes): &(Value<'c, 'b>, Vec<usize>),
    order: &[usize],
    extents: &[u64],
    scalar: ScalarType,
    span: Span,
) -> Built<(Value<'c, 'b>, TensorType)> {
    let shape: Vec<u64> = order.iter().map(|&dimension| extents[dimension]).collect();
    let result = TensorType::new(computed_in(scalar), &shape);
    if !scalar.is_half() && order == axes {
        return Ok((*value, result));
    }
    let from = |dimension: &usize| order.iter().position(|ordered| ordered == dimension);
    let map: Vec<usize> = axes.iter().filter_map(from).collect();
    let copy = Generic {
        iterators: vec![Iterator::Parallel; order.len()],
        inputs: vec![(*value, IndexMap::select(order.len(), map))],
        output: (empty(at, &result, span)?, IndexMap::identity(order.len())),
    };
    let value = copy.append(at, |at, elements| widen(at, scalar, elements[0]))?;
    Ok((value, result))
}
