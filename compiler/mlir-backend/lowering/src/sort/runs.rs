//! The sort of one run after another, over buffers in which each run is contiguous.

use melior::ir::{Type, Value};
use neuro_hir::TensorType;
use shared_types::ScalarType;

use super::Order;
use super::counting::Counting;
use super::insertion::Insertion;
use super::key::Key;
use super::radix::Radix;
use crate::at::{At, Built};
use crate::buffers::{alloc, flat, load, store, to_buffer, to_tensor};
use crate::fill::{filled, number};
use crate::movement::permute;
use crate::types::{buffer_type, integer_type, scalar_type, tensor_type};
use crate::unlowered::Unlowered;

/// A run of so many elements or more sorts by its bytes (backend specification, §The other
/// operations).
const RADIX: u64 = 256;
/// Where no more elements than these are wanted of a long run, they are held in order instead.
const FEW: u64 = 16;

/// What a sort gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Elements,
    Positions,
}

/// Runs of one extent that lie one after another, and where the first elements of each in order
/// go, as many of each.
#[derive(Clone, Copy)]
pub(super) struct Runs<'c, 'b> {
    pub key: Key,
    pub extent: u64,
    pub kept: u64,
    pub wanted: Wanted,
    /// The element type.
    scalar: ScalarType,
    count: u64,
    /// The elements, along one axis.
    source: Value<'c, 'b>,
    /// What is wanted, along one axis.
    result: Value<'c, 'b>,
}

/// One of the runs.
#[derive(Clone, Copy)]
pub(super) struct Run<'c, 'b, 'r> {
    pub runs: Runs<'c, 'b>,
    /// Where it starts in the source and in the result.
    source: Value<'c, 'r>,
    result: Value<'c, 'r>,
}

/// The elements in order; the axis has two or more.
pub(super) fn sort<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    order: Order<'_>,
) -> Built<Value<'c, 'b>> {
    let (scalar, extent) = order.parts()?;
    first(
        at,
        source,
        order,
        Wanted::Elements,
        order.first(scalar, extent),
    )
}

/// The positions of the first `kept` elements in order.
pub(super) fn first_positions<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    order: Order<'_>,
    kept: u64,
) -> Built<Value<'c, 'b>> {
    let result = order.first(ScalarType::I32, kept);
    first(at, source, order, Wanted::Positions, result)
}

fn first<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    order: Order<'_>,
    wanted: Wanted,
    result: TensorType,
) -> Built<Value<'c, 'b>> {
    let span = order.span;
    let (scalar, extent) = order.parts()?;
    let (Some(total), Some(results)) = (order.tensor.elements(), result.elements()) else {
        return Unlowered::refused("a sort of too many elements", span);
    };
    if results == 0 {
        let element = result.scalar().unwrap_or(scalar);
        return filled(at, &result, |at| number(at, element, 0), span);
    }
    // Along the last axis a run is contiguous.
    let rank = result.rank();
    let mut inward: Vec<usize> = (0..rank).filter(|&axis| axis != order.axis).collect();
    inward.push(order.axis);
    let moved = |tensor: &TensorType| {
        let axes = inward.iter().map(|&axis| tensor.axes[axis].clone());
        tensor.with_axes(axes.collect())
    };
    let (from, to) = (moved(order.tensor), moved(&result));
    let is_last = order.axis + 1 == rank;
    let source = match is_last {
        true => source,
        false => permute(at, (source, order.tensor), &inward, &from, span)?,
    };

    let source = to_buffer(at, source, buffer_type(at.context, &from, span)?)?;
    let element = scalar_type(at.context, result.scalar().unwrap_or(scalar));
    let ordered = alloc(at, element, &to.static_extents().unwrap_or_default())?;
    let count = total / extent;
    let runs = Runs {
        key: Key::new(order, scalar),
        extent,
        kept: results / count,
        wanted,
        scalar,
        count,
        source: flat(at, source, total)?,
        result: flat(at, ordered, results)?,
    };
    runs.append(at)?;
    let ordered = to_tensor(at, ordered, tensor_type(at.context, &to, span)?)?;
    if is_last {
        return Ok(ordered);
    }
    let mut outward: Vec<usize> = (0..rank - 1).collect();
    outward.insert(order.axis, rank - 1);
    permute(at, (ordered, &to), &outward, &result, span)
}

impl<'c: 'b, 'b> Runs<'c, 'b> {
    fn append(self, at: At<'c, 'b>) -> Built<()> {
        if self.extent < RADIX {
            let counting = Counting::new(at, self)?;
            self.each(at, |at, run| counting.sort(at, run))
        } else if self.kept <= FEW {
            let insertion = Insertion::new(at, self)?;
            self.each(at, |at, run| insertion.sort(at, run))
        } else {
            let radix = Radix::new(at, self)?;
            self.each(at, |at, run| radix.sort(at, run))
        }
    }

    fn each(
        self,
        at: At<'c, 'b>,
        body: impl for<'r> FnOnce(At<'c, 'r>, Run<'c, 'b, 'r>) -> Built<()>,
    ) -> Built<()> {
        at.repeat(self.count, |at, number| {
            let start = |extent| at.arith("muli", number, at.index(extent)?);
            let run = Run {
                runs: self,
                source: start(self.extent)?,
                result: start(self.kept)?,
            };
            body(at, run)
        })
    }

    /// The type of the elements.
    pub(super) fn element(&self, at: At<'c, '_>) -> Type<'c> {
        scalar_type(at.context, self.scalar)
    }
}

impl<'c> Run<'c, '_, '_> {
    pub(super) fn element<'r>(
        &self,
        at: At<'c, 'r>,
        position: Value<'c, '_>,
    ) -> Built<Value<'c, 'r>> {
        let position = at.arith("addi", self.source, position)?;
        load(at, self.runs.source, &[position])
    }

    pub(super) fn key<'r>(&self, at: At<'c, 'r>, position: Value<'c, '_>) -> Built<Value<'c, 'r>> {
        let element = self.element(at, position)?;
        self.runs.key.of(at, element)
    }

    /// Gives the element at a position the place `rank` in order.
    pub(super) fn place(
        &self,
        at: At<'c, '_>,
        rank: Value<'c, '_>,
        position: Value<'c, '_>,
    ) -> Built<()> {
        let value = match self.runs.wanted {
            Wanted::Elements => self.element(at, position)?,
            Wanted::Positions => to_position(at, position)?,
        };
        self.put(at, rank, value)
    }

    /// Writes what is wanted of the element at the place `rank` in order.
    pub(super) fn put(
        &self,
        at: At<'c, '_>,
        rank: Value<'c, '_>,
        wanted: Value<'c, '_>,
    ) -> Built<()> {
        let rank = at.arith("addi", self.result, rank)?;
        store(at, wanted, self.runs.result, &[rank])
    }
}

/// An `index` as a position of a result.
pub(super) fn to_position<'c: 'b, 'b>(
    at: At<'c, 'b>,
    index: Value<'c, '_>,
) -> Built<Value<'c, 'b>> {
    at.emit("arith.index_cast", &[index], integer_type(at.context, 32))
}
