//! Parallel loops as launches: blocks cover the grid, each one runs a tile of threads, and a thread
//! past the extents does nothing (backend specification, §GPU kernels).

use melior::Context;
use melior::dialect::arith::CmpiPredicate;
use melior::ir::attribute::{DenseI32ArrayAttribute, FlatSymbolRefAttribute, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationMutLike};
use melior::ir::r#type::IntegerType;
use melior::ir::{BlockRef, OperationRef, Type, Value};

use mlir_pipeline::integer_constant;

use crate::Chip;
use crate::ir::{
    Place, Rewritten, block_of, changed, destroy, internal, name_of, nested, operations,
    replace_uses, taken,
};

/// The gpu module of every kernel. No function has the name: theirs begin `__neuro_gpu_`.
pub(crate) const KERNELS: &str = "neuro_gpu_kernels";

/// Where a dimension of a loop runs: an axis of the grid and so many threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mapped {
    dimension: usize,
    axis: usize,
    threads: u64,
}

/// The tile that fits a loop's rank; what has none runs inside a thread.
fn tile(extents: &[u64], most: [u64; 3]) -> Vec<Mapped> {
    let mapped = |list: &[(usize, usize, u64)]| -> Vec<Mapped> {
        let each = list.iter();
        each.map(|&(dimension, axis, threads)| Mapped {
            dimension,
            axis,
            threads,
        })
        .collect()
    };
    let (x, y, z) = (0, 1, 2);
    let fitting = match extents.len() {
        0 => mapped(&[]),
        1 => mapped(&[(0, x, 256)]),
        2 => mapped(&[(1, x, 32), (0, y, 8)]),
        3 => mapped(&[(2, x, 32), (1, y, 8), (0, z, 1)]),
        _ => mapped(&[(0, x, 16), (1, y, 16), (2, z, 1)]),
    };
    let holds = |mapped: &Mapped| {
        mapped.axis == x || extents[mapped.dimension].div_ceil(mapped.threads) <= most[mapped.axis]
    };
    match extents.len() {
        2 | 3 if !fitting.iter().all(holds) => {
            let outermost = [(0, x, 16), (1, y, 16), (2, z, 1)];
            mapped(&outermost[..extents.len()])
        }
        _ => fitting,
    }
}

/// A launch, by its grid and its block, counted along x, y and z.
pub(crate) struct Launch {
    blocks: [u64; 3],
    threads: [u64; 3],
}

impl Launch {
    /// Of one thread.
    pub(crate) const SINGLE: Launch = Launch {
        blocks: [1; 3],
        threads: [1; 3],
    };

    /// Along x alone.
    pub(crate) fn line(blocks: u64, threads: u64) -> Launch {
        Launch {
            blocks: [blocks, 1, 1],
            threads: [threads, 1, 1],
        }
    }

    /// The block of the operation's threads, and what ends it.
    pub(crate) fn put<'c, 'a>(
        &self,
        place: Place<'c, 'a>,
    ) -> Rewritten<(BlockRef<'c, 'a>, OperationRef<'c, 'a>)> {
        self.put_sharing(place, &[])
    }

    /// The same with memory of these types, which the threads of a block share: the block's last
    /// arguments.
    pub(crate) fn put_sharing<'c, 'a>(
        &self,
        place: Place<'c, 'a>,
        shared: &[Type<'c>],
    ) -> Rewritten<(BlockRef<'c, 'a>, OperationRef<'c, 'a>)> {
        let mut sizes = Vec::new();
        for size in self.blocks.into_iter().chain(self.threads) {
            sizes.push(place.index(size)?);
        }
        // No dependencies, the sizes of the grid and of a block, nothing of clusters and memory.
        let segments = [0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0];
        let segments = DenseI32ArrayAttribute::new(place.context, &segments);
        let wide = IntegerType::new(place.context, 64).into();
        let count = IntegerAttribute::new(wide, shared.len() as i64);
        let launch = place
            .operation("gpu.launch")
            .add_operands(&sizes)
            .add_attributes(&[
                place.named("operandSegmentSizes", segments),
                place.named("workgroup_attributions", count),
            ]);
        let arguments = [&[Type::index(place.context); 12], shared].concat();
        let block = place.with_block(launch, &arguments, 0)?;
        let end = place
            .end_of(block)
            .build(place.operation("gpu.terminator"))?;
        Ok((block, end))
    }
}

/// Names the kernels of a function's launches, in order.
pub(crate) fn name_kernels<'c>(context: &'c Context, function: OperationRef<'c, '_>, symbol: &str) {
    let launches = nested(function).into_iter();
    let launches = launches.filter(|&operation| name_of(operation) == "gpu.launch");
    for (number, launch) in launches.enumerate() {
        let kernel = format!("{symbol}_{number}");
        for (attribute, name) in [("module", KERNELS), ("function", &kernel)] {
            let name = FlatSymbolRefAttribute::new(context, name);
            changed(launch).set_inherent_attribute(attribute, name.into());
        }
    }
}

/// Makes a launch of a `scf.parallel` from 0 in steps of 1; an empty one goes.
pub(crate) fn launch_loop<'c>(
    context: &'c Context,
    parallel: OperationRef<'c, '_>,
    chip: Chip,
) -> Rewritten<()> {
    let extents = extents(parallel)?;
    if extents.contains(&0) {
        destroy(parallel);
        return Ok(());
    }
    let most = chip.blocks();
    let tile = tile(&extents, most);
    let mut launch = Launch::SINGLE;
    for mapped in &tile {
        let blocks = extents[mapped.dimension].div_ceil(mapped.threads);
        launch.blocks[mapped.axis] = blocks.min(most[mapped.axis]);
        launch.threads[mapped.axis] = mapped.threads;
    }
    let place =
        Place::before(context, parallel).ok_or_else(|| internal("a loop without a block"))?;
    let (block, end) = launch.put(place)?;
    let mut place = Place {
        block,
        before: Some(end),
        ..place
    };
    let argument = |index| Ok::<Value, _>(block.argument(index).map_err(internal)?.into());
    let index = Type::index(context);
    let mut positions: Vec<Option<Value>> = vec![None; extents.len()];
    let mut looped = Vec::new();
    let mut guard: Option<Value> = None;
    for mapped in &tile {
        let Mapped {
            dimension,
            axis,
            threads,
        } = *mapped;
        let extent = extents[dimension];
        let (block_at, thread_at) = (argument(axis)?, argument(3 + axis)?);
        let at = match threads {
            1 => block_at,
            _ => {
                let threads = place.index(threads)?;
                let start = place.emit("arith.muli", &[block_at, threads], index)?;
                place.emit("arith.addi", &[start, thread_at], index)?
            }
        };
        let covered = launch.blocks[axis] * threads;
        if covered < extent {
            looped.push((dimension, at, extent, covered));
            continue;
        }
        positions[dimension] = Some(at);
        if covered > extent {
            let extent = place.index(extent)?;
            let within = compare_below(place, at, extent)?;
            guard = Some(match guard {
                None => within,
                Some(others) => {
                    let flag = IntegerType::new(context, 1).into();
                    place.emit("arith.andi", &[others, within], flag)?
                }
            });
        }
    }
    if let Some(guard) = guard {
        let branch = place.operation("scf.if").add_operands(&[guard]);
        place = within(place, branch, &[], 1)?;
    }
    let zero = place.index(0)?;
    let serial = (0..extents.len())
        .filter(|&dimension| tile.iter().all(|mapped| mapped.dimension != dimension));
    looped.extend(serial.map(|dimension| (dimension, zero, extents[dimension], 1)));
    looped.sort_by_key(|&(dimension, ..)| dimension);
    for (dimension, start, extent, step) in looped {
        let (extent, step) = (place.index(extent)?, place.index(step)?);
        let operation = place
            .operation("scf.for")
            .add_operands(&[start, extent, step]);
        place = within(place, operation, &[index], 0)?;
        positions[dimension] = Some(place.block.argument(0).map_err(internal)?.into());
    }
    let body = block_of(parallel).ok_or_else(|| internal("a loop without a body"))?;
    for (dimension, position) in positions.into_iter().enumerate() {
        let old = body.argument(dimension).map_err(internal)?;
        let position = position.ok_or_else(|| internal("a dimension without a position"))?;
        replace_uses(old.into(), position);
    }
    let mut inside = operations(body);
    // What ends it, which reduces nothing.
    inside.pop();
    for operation in inside {
        place.put(taken(operation));
    }
    destroy(parallel);
    Ok(())
}

/// A place in the block of a loop or a branch, before what ends it.
pub(crate) fn within<'c, 'a>(
    place: Place<'c, 'a>,
    operation: OperationBuilder<'c>,
    arguments: &[Type<'c>],
    empty: usize,
) -> Rewritten<Place<'c, 'a>> {
    let block = place.with_block(operation, arguments, empty)?;
    let inner = place.end_of(block);
    let end = inner.build(place.operation("scf.yield"))?;
    Ok(Place {
        before: Some(end),
        ..inner
    })
}

pub(crate) fn compare_below<'c, 'a>(
    place: Place<'c, 'a>,
    left: Value<'c, 'a>,
    right: Value<'c, 'a>,
) -> Rewritten<Value<'c, 'a>> {
    place.compare(CmpiPredicate::Ult, [left, right])
}

fn extents(parallel: OperationRef<'_, '_>) -> Rewritten<Vec<u64>> {
    let rank = block_of(parallel).map_or(0, |block| block.argument_count());
    let fixed = |index| parallel.operand(index).ok().and_then(integer_constant);
    let extent = |dimension| match (
        fixed(dimension),
        fixed(rank + dimension),
        fixed(2 * rank + dimension),
    ) {
        (Some(0), Some(extent), Some(1)) => u64::try_from(extent).ok(),
        _ => None,
    };
    let extents: Option<Vec<u64>> = (0..rank).map(extent).collect();
    extents.ok_or_else(|| internal("a parallel loop that does not run from 0 by 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: [u64; 3] = [i32::MAX as u64, 65_535, 65_535];

    fn tiles(extents: &[u64]) -> Vec<(usize, usize, u64)> {
        let tile = tile(extents, MOST).into_iter();
        tile.map(|mapped| (mapped.dimension, mapped.axis, mapped.threads))
            .collect()
    }

    #[test]
    fn tiles_fit_the_rank() {
        assert_eq!(tiles(&[5]), [(0, 0, 256)]);
        assert_eq!(tiles(&[5, 7]), [(1, 0, 32), (0, 1, 8)]);
        assert_eq!(tiles(&[5, 7, 9]), [(2, 0, 32), (1, 1, 8), (0, 2, 1)]);
        assert_eq!(tiles(&[5, 7, 9, 2]), [(0, 0, 16), (1, 1, 16), (2, 2, 1)]);
    }

    #[test]
    fn a_long_outer_axis_goes_on_x() {
        assert_eq!(tiles(&[8 * 65_535, 7]), [(1, 0, 32), (0, 1, 8)]);
        assert_eq!(tiles(&[8 * 65_535 + 1, 7]), [(0, 0, 16), (1, 1, 16)]);
        assert_eq!(tiles(&[65_535, 7, 9]), [(2, 0, 32), (1, 1, 8), (0, 2, 1)]);
        assert_eq!(tiles(&[65_536, 7, 9]), [(0, 0, 16), (1, 1, 16), (2, 2, 1)]);
    }
}
