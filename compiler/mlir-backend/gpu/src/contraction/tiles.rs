//! A block of threads a tile of the result: it stages tiles of the operands in shared memory, and
//! each thread adds the products of its own elements, their sums in registers.

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::{Type, Value, ValueLike};

use super::operand::{Operand, Positions};
use super::plan::Tile;
use super::product::Product;
use super::staging::{Stage, WIDTH, shared_type};
use super::values::{barrier, beyond, broadcast, extract, rolled_fold, split, times};
use crate::ir::{Place, Rewritten, internal};
use crate::launch::{Launch, compare_below};

/// What the threads of a tile know.
struct Kernel<'p, 'c, 'a> {
    product: &'p Product<'c, 'a>,
    left: Stage<'p, 'c, 'a>,
    right: Stage<'p, 'c, 'a>,
    /// Where a thread's rows and columns begin in the tile, each a group of neighbours.
    rows: Vec<Value<'c, 'a>>,
    columns: Vec<Value<'c, 'a>>,
}

/// Puts the launch of a contraction's tiles before it.
pub(crate) fn build<'c, 'a>(
    context: &'c Context,
    product: &Product<'c, 'a>,
    tile: &Tile,
) -> Rewritten<()> {
    let place = Place::before(context, product.generic)
        .ok_or_else(|| internal("an operation without a block"))?;
    let shape = product.shape();
    let [row_tiles, column_tiles] = tile.counts(&shape);
    let launch = Launch::line(tile.blocks(&shape), tile.threads());
    let element = product.result.element;
    let shared = [tile.rows, tile.columns].map(|extent| shared_type(place, element, tile, extent));
    let [left, right] = shared;
    let (block, end) = launch.put_sharing(place, &[left?, right?])?;
    let place = Place {
        block,
        before: Some(end),
        ..place
    };
    let argument = |index| Ok(block.argument(index).map_err(internal)?.into());
    let (rest, column_tile) = split(place, argument(0)?, column_tiles)?;
    let (batch, row_tile) = split(place, rest, row_tiles)?;
    let mut batches: Positions = vec![None; product.extents.len()];
    product.spread(place, &product.batches, batch, &mut batches)?;
    let thread: Value = argument(3)?;
    let stage = |factor, kept, extent, number, shared| {
        Ok(Stage {
            product,
            factor,
            kept,
            extent,
            first: times(place, number, extent)?,
            batches: &batches,
            thread,
            threads: tile.threads(),
            shared: Operand {
                buffer: argument(shared)?,
                dimensions: vec![0, 1, 2],
                element,
                bytes: product.result.bytes,
                is_plain: true,
            },
        })
    };
    let groups = |number, extent: u64, thread_extent: u64| {
        let first = times(place, number, WIDTH)?;
        let apart = extent / (thread_extent / WIDTH);
        let groups = (0..thread_extent / WIDTH).map(|group| beyond(place, first, group * apart));
        groups.collect::<Rewritten<Vec<Value>>>()
    };
    let across = tile.columns / tile.thread_columns;
    let (thread_row, thread_column) = split(place, thread, across)?;
    let kernel = Kernel {
        product,
        left: stage(&product.left, &product.rows, tile.rows, row_tile, 12)?,
        right: stage(
            &product.right,
            &product.columns,
            tile.columns,
            column_tile,
            13,
        )?,
        rows: groups(thread_row, tile.rows, tile.thread_rows)?,
        columns: groups(thread_column, tile.columns, tile.thread_columns)?,
    };
    let sums = kernel.sums(place, tile)?;
    kernel.write(place, &batches, &sums)
}

impl<'c, 'a> Kernel<'_, 'c, 'a> {
    /// A thread's sums: of each of its rows, those of its columns' groups.
    fn sums(&self, place: Place<'c, 'a>, tile: &Tile) -> Rewritten<Vec<Value<'c, 'a>>> {
        let folded = self.product.size(&self.product.folded);
        let (whole, rest) = (folded / tile.depth, folded % tile.depth);
        let start = broadcast(place, self.product.start, WIDTH)?;
        let mut sums = vec![start; self.rows.len() * WIDTH as usize * self.columns.len()];
        if whole > 0 {
            let count = sums.len();
            let first = self.load(place, place.index(0)?, tile.depth)?;
            let handed = [sums, first].concat();
            sums = rolled_fold(place, whole, &handed, |place, number, handed| {
                let (sums, loaded) = handed.split_at(count);
                let (_, slot) = split(place, number, 2)?;
                self.store(place, slot, tile.depth, loaded)?;
                barrier(place)?;
                // The next tiles are on their way while these are multiplied.
                let next = beyond(place, number, 1)?;
                let more = compare_below(place, next, place.index(whole)?)?;
                let types: Vec<Type> = loaded.iter().map(ValueLike::r#type).collect();
                let loaded = place.choose(more, &types, |place, more| match more {
                    true => self.load(place, times(place, next, tile.depth)?, tile.depth),
                    false => Ok(loaded.to_vec()),
                })?;
                let sums = self.multiply(place, slot, tile.depth, tile.at_once, sums)?;
                Ok([sums, loaded].concat())
            })?;
            sums.truncate(count);
        }
        if rest > 0 {
            let from = place.index(whole * tile.depth)?;
            let slot = place.index(whole % 2)?;
            let loaded = self.load(place, from, rest)?;
            self.store(place, slot, rest, &loaded)?;
            barrier(place)?;
            sums = self.multiply(place, slot, rest, 1, &sums)?;
        }
        Ok(sums)
    }

    fn load(
        &self,
        place: Place<'c, 'a>,
        from: Value<'c, 'a>,
        depth: u64,
    ) -> Rewritten<Vec<Value<'c, 'a>>> {
        let left = self.left.load(place, from, depth)?;
        Ok([left, self.right.load(place, from, depth)?].concat())
    }

    fn store(
        &self,
        place: Place<'c, 'a>,
        slot: Value<'c, 'a>,
        depth: u64,
        loaded: &[Value<'c, 'a>],
    ) -> Rewritten<()> {
        let (left, right) = loaded.split_at(self.left.rounds(depth));
        self.left.store(place, slot, depth, left)?;
        self.right.store(place, slot, depth, right)
    }

    /// The sums with the products of a tile's positions, in order, so many in a step of a loop.
    fn multiply(
        &self,
        place: Place<'c, 'a>,
        slot: Value<'c, 'a>,
        depth: u64,
        at_once: u64,
        sums: &[Value<'c, 'a>],
    ) -> Rewritten<Vec<Value<'c, 'a>>> {
        rolled_fold(place, depth / at_once, sums, |place, number, sums| {
            let first = times(place, number, at_once)?;
            let mut sums = sums.to_vec();
            for by in 0..at_once {
                sums = self.step(place, slot, beyond(place, first, by)?, &sums)?;
            }
            Ok(sums)
        })
    }

    /// The sums with the products of one position of a tile.
    fn step(
        &self,
        place: Place<'c, 'a>,
        slot: Value<'c, 'a>,
        deep: Value<'c, 'a>,
        sums: &[Value<'c, 'a>],
    ) -> Rewritten<Vec<Value<'c, 'a>>> {
        let read = |stage: &Stage<'_, 'c, 'a>, groups: &[Value<'c, 'a>]| {
            let vectors = groups.iter().map(|&at| stage.read(place, slot, deep, at));
            vectors.collect::<Rewritten<Vec<Value>>>()
        };
        let left = read(&self.left, &self.rows)?;
        let right = read(&self.right, &self.columns)?;
        let mut sums = sums.iter();
        let mut next = Vec::new();
        for vector in left {
            for row in 0..WIDTH {
                let element = extract(place, vector, self.product.result.element, row)?;
                let element = broadcast(place, element, WIDTH)?;
                for (&columns, &sum) in right.iter().zip(sums.by_ref()) {
                    next.push(self.product.step(place, sum, element, columns)?);
                }
            }
        }
        Ok(next)
    }

    /// Writes the sums of the rows and columns that the result has.
    fn write(
        &self,
        place: Place<'c, 'a>,
        batches: &Positions<'c, 'a>,
        sums: &[Value<'c, 'a>],
    ) -> Rewritten<()> {
        let product = self.product;
        let (_, column) = product.last()?;
        // A vector is all in the result or all out of it, or else its elements are looked at.
        let width = match product.extents[column].is_multiple_of(WIDTH) {
            true => WIDTH,
            false => 1,
        };
        let mut sums = sums.iter();
        for &group in &self.rows {
            for by in 0..WIDTH {
                let row = beyond(place, group, by)?;
                let (place, row) = self.left.within(place, row)?;
                let mut positions = batches.clone();
                product.spread(place, &product.rows, row, &mut positions)?;
                for (&group, &sum) in self.columns.iter().zip(sums.by_ref()) {
                    for by in (0..WIDTH).step_by(width as usize) {
                        let part = match width {
                            WIDTH => sum,
                            _ => {
                                let element = extract(place, sum, product.result.element, by)?;
                                broadcast(place, element, 1)?
                            }
                        };
                        let at = beyond(place, group, by)?;
                        let (place, at) = self.right.within(place, at)?;
                        let mut positions = positions.clone();
                        product.spread(place, &product.columns, at, &mut positions)?;
                        product
                            .result
                            .store(place, part, &positions, column, width)?;
                    }
                }
            }
        }
        Ok(())
    }
}
