//! A stable bottom-up merge sort, one all-parallel generic a doubling of the block's width: each
//! point of a merge finds where its element comes from by a binary search.

use melior::dialect::arith::CmpiPredicate;
use melior::ir::{Type, Value, ValueLike};
use neuro_hir::TensorType;
use shared_types::ScalarType;

use super::Order;
use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::fill::empty;
use crate::generic::{Generic, Iterator};
use crate::half::widen;
use crate::types::{integer_type, scalar_type};

/// The elements in order.
pub(super) fn sort<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    order: Order<'_>,
) -> Built<Value<'c, 'b>> {
    merges(at, source, order, Keys::Carried, order.tensor)
}

/// The positions of the elements in order.
pub(super) fn positions<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    order: Order<'_>,
) -> Built<Value<'c, 'b>> {
    let ty = super::positions_type(order.tensor);
    let rank = ty.rank();
    let unordered = Generic {
        iterators: vec![Iterator::Parallel; rank],
        inputs: vec![],
        output: (empty(at, &ty, order.span)?, IndexMap::identity(rank)),
    };
    let unordered = unordered.append(at, |at, _| {
        let position = at.dimension(order.axis)?;
        at.emit(
            "arith.index_cast",
            &[position],
            integer_type(at.context, 32),
        )
    })?;
    merges(at, unordered, order, Keys::At(source), &ty)
}

/// Merges blocks of one, of two, of four and so on.
fn merges<'c: 'b, 'b>(
    at: At<'c, 'b>,
    carried: Value<'c, 'b>,
    order: Order<'_>,
    keys: Keys<'c, 'b>,
    ty: &TensorType,
) -> Built<Value<'c, 'b>> {
    let (scalar, extent) = order.parts()?;
    let widths = std::iter::successors(Some(1u64), |width| width.checked_mul(2));
    let mut widths = widths.take_while(|&width| width < extent);
    widths.try_fold(carried, |carried, width| {
        let merge = Merge {
            order,
            scalar,
            extent,
            width,
            carried,
            keys,
        };
        merge.append(at, ty)
    })
}

/// What a carried element is ordered by.
#[derive(Clone, Copy)]
enum Keys<'c, 'b> {
    /// Itself.
    Carried,
    /// The element of this tensor at the position, along the axis, that it is.
    At(Value<'c, 'b>),
}

/// Merges blocks of `width` along the order's axis, of `extent`.
#[derive(Clone, Copy)]
struct Merge<'c, 'b, 't> {
    order: Order<'t>,
    /// The keys' element type.
    scalar: ScalarType,
    extent: u64,
    width: u64,
    /// The tensor whose blocks are in order.
    carried: Value<'c, 'b>,
    keys: Keys<'c, 'b>,
}

/// The two blocks that a point's element may come from, and how many elements of the merged block
/// stand before it. All are `index` values.
#[derive(Clone, Copy)]
struct Blocks<'c, 'r> {
    /// The first position of the left block.
    start: Value<'c, 'r>,
    /// The end of the left block, the first position of the right one.
    middle: Value<'c, 'r>,
    left: Value<'c, 'r>,
    right: Value<'c, 'r>,
    before: Value<'c, 'r>,
}

impl<'c: 'b, 'b> Merge<'c, 'b, '_> {
    fn append(self, at: At<'c, 'b>, ty: &TensorType) -> Built<Value<'c, 'b>> {
        let rank = ty.rank();
        let generic = Generic {
            iterators: vec![Iterator::Parallel; rank],
            inputs: vec![],
            output: (empty(at, ty, self.order.span)?, IndexMap::identity(rank)),
        };
        generic.append(at, |at, _| {
            let point = (0..rank).map(|dimension| at.dimension(dimension));
            let point = point.collect::<Built<Vec<_>>>()?;
            self.element(at, &point)
        })
    }

    /// The element that comes to `point`.
    fn element<'r>(self, at: At<'c, 'r>, point: &[Value<'c, 'r>]) -> Built<Value<'c, 'r>> {
        let index = Type::index(at.context);
        let flag = integer_type(at.context, 1);
        let blocks = self.blocks(at, point[self.order.axis])?;
        let from_left = self.split(at, point, blocks)?;
        let from_right = at.emit("arith.subi", &[blocks.before, from_left], index)?;
        let less = |a, b| at.compare("arith.cmpi", CmpiPredicate::Ult as i64, a, b);
        let left_has = less(from_left, blocks.left)?;
        let right_has = less(from_right, blocks.right)?;
        // A block without one more element is not read: its first position stands in, or the
        // other block's.
        let position = |has, base, offset| {
            let there = at.emit("arith.addi", &[base, offset], index)?;
            at.emit("arith.select", &[has, there, blocks.start], index)
        };
        let left = self.read(at, point, position(left_has, blocks.start, from_left)?)?;
        let right = self.read(at, point, position(right_has, blocks.middle, from_right)?)?;
        let right_first = self.order.before(at, self.scalar, right.key, left.key)?;
        // The right one comes only if it is strictly before: equal elements keep their order.
        let right_first = at.emit("arith.andi", &[right_has, right_first], flag)?;
        let truth = at.boolean(true)?;
        let left_done = at.emit("arith.xori", &[left_has, truth], flag)?;
        let takes_right = at.emit("arith.ori", &[left_done, right_first], flag)?;
        let ty = left.carried.r#type();
        at.emit(
            "arith.select",
            &[takes_right, right.carried, left.carried],
            ty,
        )
    }

    fn blocks<'r>(self, at: At<'c, 'r>, position: Value<'c, 'r>) -> Built<Blocks<'c, 'r>> {
        let index = Type::index(at.context);
        // The width is a power of two.
        let within = at.index(2 * self.width - 1)?;
        let before = at.emit("arith.andi", &[position, within], index)?;
        let start = at.emit("arith.subi", &[position, before], index)?;
        let extent = at.index(self.extent)?;
        let width = at.index(self.width)?;
        let end_after = |from| {
            let end = at.emit("arith.addi", &[from, width], index)?;
            at.emit("arith.minui", &[end, extent], index)
        };
        let middle = end_after(start)?;
        let end = end_after(middle)?;
        Ok(Blocks {
            start,
            middle,
            left: at.emit("arith.subi", &[middle, start], index)?,
            right: at.emit("arith.subi", &[end, middle], index)?,
            before,
        })
    }

    /// How many of the elements before the point come from the left block: the smallest number
    /// such that the next left element stands strictly after the last right one taken.
    fn split<'r>(
        self,
        at: At<'c, 'r>,
        point: &[Value<'c, 'r>],
        blocks: Blocks<'c, 'r>,
    ) -> Built<Value<'c, 'r>> {
        let index = Type::index(at.context);
        let zero = at.index(0)?;
        let all_right = at.compare(
            "arith.cmpi",
            CmpiPredicate::Ugt as i64,
            blocks.before,
            blocks.right,
        )?;
        let beyond = at.emit("arith.subi", &[blocks.before, blocks.right], index)?;
        let low = at.emit("arith.select", &[all_right, beyond, zero], index)?;
        let high = at.emit("arith.minui", &[blocks.before, blocks.left], index)?;

        let ends = at.repeat_while(
            &[low, high],
            |at, ends| at.compare("arith.cmpi", CmpiPredicate::Ult as i64, ends[0], ends[1]),
            |at, ends| self.halve(at, point, blocks, (ends[0], ends[1])),
        )?;
        Ok(ends[0])
    }

    /// One halving of the range `low..=high`, of two or more.
    fn halve<'r>(
        self,
        at: At<'c, 'r>,
        point: &[Value<'c, '_>],
        blocks: Blocks<'c, '_>,
        (low, high): (Value<'c, 'r>, Value<'c, 'r>),
    ) -> Built<Vec<Value<'c, 'r>>> {
        let index = Type::index(at.context);
        let one = at.index(1)?;
        let half = at.arith("shrui", at.arith("addi", low, high)?, one)?;
        let taken = at.arith("subi", blocks.before, half)?;
        let last_taken = at.arith("subi", taken, one)?;
        let left = self.read(at, point, at.arith("addi", blocks.start, half)?)?;
        let right = self.read(at, point, at.arith("addi", blocks.middle, last_taken)?)?;
        let right_first = self.order.before(at, self.scalar, right.key, left.key)?;
        let above = at.arith("addi", half, one)?;
        Ok(vec![
            at.emit("arith.select", &[right_first, low, above], index)?,
            at.emit("arith.select", &[right_first, half, high], index)?,
        ])
    }

    /// The carried element at a position along the axis, and its key, widened.
    fn read<'r>(
        self,
        at: At<'c, 'r>,
        point: &[Value<'c, '_>],
        position: Value<'c, 'r>,
    ) -> Built<Read<'c, 'r>> {
        let extract = |tensor, position, scalar| {
            let mut operands: Vec<Value> = vec![tensor];
            operands.extend_from_slice(point);
            operands[1 + self.order.axis] = position;
            at.emit("tensor.extract", &operands, scalar_type(at.context, scalar))
        };
        let (carried, key) = match self.keys {
            Keys::Carried => {
                let element = extract(self.carried, position, self.scalar)?;
                (element, element)
            }
            Keys::At(keys) => {
                let carried = extract(self.carried, position, ScalarType::I32)?;
                let index = Type::index(at.context);
                let original = at.emit("arith.index_cast", &[carried], index)?;
                (carried, extract(keys, original, self.scalar)?)
            }
        };
        Ok(Read {
            carried,
            key: widen(at, self.scalar, key)?,
        })
    }
}

#[derive(Clone, Copy)]
struct Read<'c, 'r> {
    carried: Value<'c, 'r>,
    key: Value<'c, 'r>,
}
