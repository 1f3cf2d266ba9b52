//! Sorts (numerics, §Sorts), in two forms of one order: all-parallel merges of tensors, and loops
//! over buffers that sort one run after another.

mod counting;
mod insertion;
mod key;
mod merge;
mod order;
mod radix;
mod runs;
mod survey;

use melior::ir::{Type, Value};
use neuro_hir::TensorType;
use shared_types::ScalarType;

use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::fill::empty;
use crate::generic::{Generic, Iterator};
use crate::movement::{self, SourceIndex, copy};
use crate::types::scalar_type;
use crate::unlowered::Unlowered;

pub(crate) use order::Order;

/// How bodies sort. The answers are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortForm {
    /// Merges of blocks that double, each of them parallel in all points: what a GPU runs.
    Merge,
    /// Runs one after another, by keys that are integers: what is fast on a processor.
    Runs,
}

/// The elements in order.
pub(crate) fn sort<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    order: Order<'_>,
    form: SortForm,
) -> Built<Value<'c, 'b>> {
    let (_, extent) = order.parts()?;
    if extent < 2 {
        let map = IndexMap::identity(order.tensor.rank());
        return copy(at, source, map, order.tensor, order.span);
    }
    match form {
        SortForm::Merge => merge::sort(at, source, order),
        SortForm::Runs => runs::sort(at, source, order),
    }
}

/// The `i32` positions along the axis that put the elements in order.
pub(crate) fn positions<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    order: Order<'_>,
    form: SortForm,
) -> Built<Value<'c, 'b>> {
    let (_, extent) = order.parts()?;
    if i32::try_from(extent).is_err() {
        return Unlowered::limit("a sort along more than 2^31 positions", order.span);
    }
    match form {
        SortForm::Merge => merge::positions(at, source, order),
        SortForm::Runs => runs::first_positions(at, source, order, extent),
    }
}

/// The first `k` elements of an order, and their positions.
pub(crate) fn top<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    order: Order<'_>,
    k: u64,
    form: SortForm,
) -> Built<[(Value<'c, 'b>, TensorType); 2]> {
    let (scalar, extent) = order.parts()?;
    if k > extent {
        return Unlowered::refused("more elements than the axis has", order.span);
    }
    let [elements, places] = [scalar, ScalarType::I32].map(|ty| order.first(ty, k));
    let first = match form {
        SortForm::Merge => {
            let all = positions(at, source, order, form)?;
            let start = SourceIndex::Range {
                start: 0,
                reversed: false,
            };
            movement::slice(at, all, &vec![start; places.rank()], &places, order.span)?
        }
        SortForm::Runs => runs::first_positions(at, source, order, k)?,
    };
    let rank = elements.rank();
    let gather = Generic {
        iterators: vec![Iterator::Parallel; rank],
        inputs: vec![(first, IndexMap::identity(rank))],
        output: (empty(at, &elements, order.span)?, IndexMap::identity(rank)),
    };
    let top = gather.append(at, |at, place| {
        let point = (0..rank).map(|dimension| at.dimension(dimension));
        let mut point = point.collect::<Built<Vec<_>>>()?;
        point[order.axis] = at.emit("arith.index_cast", &place[..1], Type::index(at.context))?;
        let operands: Vec<Value> = [&[source], &point[..]].concat();
        at.emit("tensor.extract", &operands, scalar_type(at.context, scalar))
    })?;
    Ok([(top, elements), (first, places)])
}

/// The type of [`positions`].
pub(crate) fn positions_type(tensor: &TensorType) -> TensorType {
    TensorType::with_extents(ScalarType::I32, tensor.extents())
}
