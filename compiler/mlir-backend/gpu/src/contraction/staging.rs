//! An operand's tile in shared memory, where the threads of a block put it together.

use melior::ir::r#type::MemRefType;
use melior::ir::{Attribute, Type, Value};

use super::factor::Factor;
use super::operand::{Operand, Positions};
use super::plan::Tile;
use super::product::Product;
use super::values::{add, beyond, least, split, times, when};
use crate::ir::{Place, Rewritten, internal};
use crate::launch::compare_below;

/// The axes of shared memory: which of two tiles, the position that is added over, and the row or
/// the column.
const DEPTH: usize = 1;
const KEPT: usize = 2;

/// Elements that a thread reads at once from shared memory.
pub(crate) const WIDTH: u64 = 4;

/// What a tile's row in shared memory is longer than its elements: threads that write down a
/// column then write to different banks.
const PADDING: u64 = 4;

/// How one operand's tiles come to shared memory.
pub(crate) struct Stage<'p, 'c, 'a> {
    pub product: &'p Product<'c, 'a>,
    pub factor: &'p Factor<'c, 'a>,
    /// The dimensions of its rows or columns, how many of them a tile has, and the first.
    pub kept: &'p [usize],
    pub extent: u64,
    pub first: Value<'c, 'a>,
    /// The batch.
    pub batches: &'p Positions<'c, 'a>,
    pub thread: Value<'c, 'a>,
    pub threads: u64,
    pub shared: Operand<'c, 'a>,
}

/// The vectors that a tile is moved in, along the operand's innermost axis.
struct Pieces {
    width: u64,
    along_kept: bool,
    count: u64,
}

/// The type of an operand's two tiles: one is read while the other one is written.
pub(crate) fn shared_type<'c>(
    place: Place<'c, '_>,
    element: Type<'c>,
    tile: &Tile,
    extent: u64,
) -> Rewritten<Type<'c>> {
    let space = Attribute::parse(place.context, "#gpu.address_space<workgroup>")
        .ok_or_else(|| internal("an address space"))?;
    let extents = [2, tile.depth, extent + PADDING].map(|extent| extent as i64);
    Ok(MemRefType::new(element, &extents, None, Some(space)).into())
}

/// The bytes of both operands' tiles.
pub(crate) fn shared_bytes(tile: &Tile, bytes: u64) -> u64 {
    2 * tile.depth * (tile.rows + tile.columns + 2 * PADDING) * bytes
}

impl<'c, 'a> Stage<'_, 'c, 'a> {
    /// A thread's part of the tile that begins at a position of the contracted axis and has so
    /// many.
    pub(crate) fn load(
        &self,
        place: Place<'c, 'a>,
        from: Value<'c, 'a>,
        depth: u64,
    ) -> Rewritten<Vec<Value<'c, 'a>>> {
        let pieces = self.pieces(depth);
        let (along, past) = match pieces.along_kept {
            true => (self.kept.last(), pieces.width),
            false => (self.product.folded.last(), 1),
        };
        let along = *along.ok_or_else(|| internal("an operand without an axis"))?;
        let size = self.product.size(self.kept);
        let load = |round| {
            let (kept, deep) = self.place_of(place, &pieces, depth, round)?;
            let mut kept = add(place, self.first, kept)?;
            if !size.is_multiple_of(self.extent) {
                // Past the end the last ones are read once more; nothing of them is kept.
                kept = least(place, kept, size - past)?;
            }
            let deep = add(place, from, deep)?;
            let mut positions = self.batches.clone();
            self.product
                .spread(place, self.kept, kept, &mut positions)?;
            self.product
                .spread(place, &self.product.folded, deep, &mut positions)?;
            self.factor.load(place, &positions, along, pieces.width)
        };
        (0..self.rounds(depth) as u64).map(load).collect()
    }

    /// How many vectors [`Stage::load`] gives.
    pub(crate) fn rounds(&self, depth: u64) -> usize {
        self.pieces(depth).count.div_ceil(self.threads) as usize
    }

    /// Writes what [`Stage::load`] gave.
    pub(crate) fn store(
        &self,
        place: Place<'c, 'a>,
        slot: Value<'c, 'a>,
        depth: u64,
        loaded: &[Value<'c, 'a>],
    ) -> Rewritten<()> {
        let pieces = self.pieces(depth);
        let along = if pieces.along_kept { KEPT } else { DEPTH };
        for (round, &vector) in (0..).zip(loaded) {
            let place = match self.all_have(&pieces, round) {
                true => place,
                false => {
                    let piece = beyond(place, self.thread, round * self.threads)?;
                    let count = place.index(pieces.count)?;
                    when(place, compare_below(place, piece, count)?)?
                }
            };
            let (kept, deep) = self.place_of(place, &pieces, depth, round)?;
            let positions = vec![Some(slot), Some(deep), Some(kept)];
            self.shared
                .store(place, vector, &positions, along, pieces.width)?;
        }
        Ok(())
    }

    /// A vector of the tile.
    pub(crate) fn read(
        &self,
        place: Place<'c, 'a>,
        slot: Value<'c, 'a>,
        deep: Value<'c, 'a>,
        kept: Value<'c, 'a>,
    ) -> Rewritten<Value<'c, 'a>> {
        let positions = vec![Some(slot), Some(deep), Some(kept)];
        self.shared.load(place, &positions, KEPT, WIDTH)
    }

    /// The position in the operand of one in the tile, and a place where it is in there.
    pub(crate) fn within(
        &self,
        place: Place<'c, 'a>,
        position: Value<'c, 'a>,
    ) -> Rewritten<(Place<'c, 'a>, Value<'c, 'a>)> {
        let position = add(place, self.first, position)?;
        let size = self.product.size(self.kept);
        if size.is_multiple_of(self.extent) {
            return Ok((place, position));
        }
        let size = place.index(size)?;
        Ok((
            when(place, compare_below(place, position, size)?)?,
            position,
        ))
    }

    fn pieces(&self, depth: u64) -> Pieces {
        let last = |group: &[usize]| {
            group
                .last()
                .copied()
                .filter(|&axis| self.factor.is_contiguous(axis))
        };
        let widest = |axis: Option<usize>, extent: u64| {
            let axis = axis.map_or(1, |axis| self.product.extents[axis]);
            let fits = |width: &u64| {
                width * self.factor.bytes() <= 16
                    && axis.is_multiple_of(*width)
                    && extent.is_multiple_of(*width)
            };
            [4, 2].into_iter().find(fits).unwrap_or(1)
        };
        let kept = last(self.kept);
        let along_kept = kept.is_some();
        let width = match along_kept {
            true => widest(kept, self.extent),
            false => widest(last(&self.product.folded), depth),
        };
        Pieces {
            width,
            along_kept,
            count: self.extent * depth / width,
        }
    }

    /// Whether each thread has a piece in a round.
    fn all_have(&self, pieces: &Pieces, round: u64) -> bool {
        (round + 1) * self.threads <= pieces.count
    }

    /// Where in the tile a thread's piece of a round is, along its rows or columns and along the
    /// contracted axis: threads that follow each other have pieces that do in memory.
    fn place_of(
        &self,
        place: Place<'c, 'a>,
        pieces: &Pieces,
        depth: u64,
        round: u64,
    ) -> Rewritten<(Value<'c, 'a>, Value<'c, 'a>)> {
        let mut piece = beyond(place, self.thread, round * self.threads)?;
        if !self.all_have(pieces, round) {
            piece = least(place, piece, pieces.count - 1)?;
        }
        let extent = if pieces.along_kept {
            self.extent
        } else {
            depth
        };
        let (other, along) = split(place, piece, extent / pieces.width)?;
        let along = times(place, along, pieces.width)?;
        Ok(match pieces.along_kept {
            true => (along, other),
            false => (other, along),
        })
    }
}
