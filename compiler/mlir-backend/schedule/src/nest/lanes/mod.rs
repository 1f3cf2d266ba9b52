//! Folds of runs that lie in memory, a run in each lane of a vector: rows are read as they lie and
//! transposed in registers, so that a vector has the next element of each run. Each run still
//! folds in its order.

mod block;
mod step;
mod transpose;

use block::Block;
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{IntegerType, MemRefType, ShapedTypeLike};
use melior::ir::{OperationRef, Type, Value, ValueLike};
use mlir_pipeline::Access;
use mlir_pipeline::rewrite::{Place, Rewritten, destroy, internal};

use crate::nest::plan::LEAST_POINTS;
use crate::nest::read::Nest;

/// The runs of a block. More would be more streams than a processor fetches ahead of; fewer would
/// wait for their own sums.
pub(crate) const RUNS: u64 = 8;
/// The bytes of a vector of accumulators: processors with longer registers have no faster
/// exchange between lanes for them.
const VECTOR_BYTES: usize = 32;
/// A run shorter than this is not worth its transposition.
const LEAST_RUN: u64 = 16;

/// Whether so many runs are folded in lanes.
pub(crate) fn repays(runs: u64, run: u64) -> bool {
    runs >= RUNS && run >= LEAST_RUN && runs.saturating_mul(run) >= LEAST_POINTS
}

/// The dimensions of a nest that folds in lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes {
    /// Counts the runs of a block.
    pub runs: usize,
    /// Walks along a run.
    pub along: usize,
}

impl Lanes {
    /// `None` for a nest that folds another way.
    pub(crate) fn of(nest: &Nest) -> Option<Lanes> {
        let walked = |dimension: &usize| nest.extents[*dimension] > 1;
        let mut folded = (0..nest.extents.len())
            .filter(|&k| nest.folds[k])
            .filter(walked);
        let (Some(along), None) = (folded.next(), folded.next()) else {
            return None;
        };
        let operands = nest.inputs.iter().chain([&nest.output]);
        let is_placed = operands.flatten().all(Option::is_some);
        if !nest.fits_vectors || !is_placed || nest.folds_in_any_order || !nest.has_one_result {
            return None;
        }
        let lies_along = |input: &&Access| nest.contiguous(input) == Some(along);
        let has = |input: &Access, dimension| input.contains(&Some(dimension));
        let runs = (0..along).rev().find(|&dimension| {
            !nest.folds[dimension]
                && repays(nest.extents[dimension], nest.extents[along])
                && nest
                    .inputs
                    .iter()
                    .filter(lies_along)
                    .any(|input| has(input, dimension))
        })?;
        let is_read = |input: &Access| {
            nest.contiguous(input) == Some(along) || !(has(input, along) && has(input, runs))
        };
        nest.inputs
            .iter()
            .all(is_read)
            .then_some(Lanes { runs, along })
    }
}

/// Loops and vectors in place of a nest.
pub(crate) fn fold_in_lanes<'c>(
    context: &'c Context,
    generic: OperationRef<'c, '_>,
    nest: &Nest,
    dimensions: Lanes,
) -> Rewritten<()> {
    for dialect in ["arith", "memref", "scf", "ub", "vector"] {
        context.get_or_load_dialect(dialect);
    }
    let place = Place::before(context, generic).ok_or_else(|| internal("a nest in no block"))?;
    let fold = Fold::of(generic, nest, dimensions)?;
    fold.around(place, Vec::new())?;
    destroy(generic);
    Ok(())
}

/// A nest while its loops are written.
struct Fold<'c, 'a, 'n> {
    generic: OperationRef<'c, 'a>,
    nest: &'n Nest,
    dimensions: Lanes,
    /// What it reads, and last what it folds into.
    operands: Vec<Operand<'c, 'a, 'n>>,
    /// The runs that a vector has.
    lanes: usize,
}

impl<'c, 'a, 'n> Fold<'c, 'a, 'n> {
    fn of(
        generic: OperationRef<'c, 'a>,
        nest: &'n Nest,
        dimensions: Lanes,
    ) -> Rewritten<Fold<'c, 'a, 'n>> {
        let mut accesses = nest.inputs.iter().chain([&nest.output]);
        let operands = generic.operands().map(|value| {
            let Ok(buffer) = MemRefType::try_from(value.r#type()) else {
                return Ok(Operand::Scalar(value));
            };
            let access = accesses
                .next()
                .ok_or_else(|| internal("a buffer that is not walked"))?;
            let element = buffer.element();
            Ok(Operand::Buffer(Buffer {
                value,
                access,
                element,
            }))
        });
        let operands = operands.collect::<Rewritten<Vec<Operand>>>()?;
        let buffers = operands.iter().filter_map(Operand::buffer);
        let widest = buffers.map(|buffer| buffer.bytes()).max().unwrap_or(1);
        Ok(Fold {
            generic,
            nest,
            dimensions,
            operands,
            lanes: VECTOR_BYTES / widest.max(VECTOR_BYTES / RUNS as usize),
        })
    }

    fn vector(&self, element: Type<'c>) -> Type<'c> {
        Type::vector(&[self.lanes as u64], element)
    }

    /// A vector of one element, repeated.
    fn splat(&self, place: Place<'c, 'a>, element: Value<'c, 'a>) -> Rewritten<Value<'c, 'a>> {
        place.emit(
            "vector.broadcast",
            &[element],
            self.vector(element.r#type()),
        )
    }

    /// The loops over the dimensions after those with positions, and in them the runs.
    fn around(&self, place: Place<'c, 'a>, positions: Vec<Value<'c, 'a>>) -> Rewritten<()> {
        let Some(&extent) = self.nest.extents.get(positions.len()) else {
            return self.all_runs(place, positions);
        };
        let dimension = positions.len();
        let zero = place.index(0)?;
        if extent == 1 || dimension == self.dimensions.runs || dimension == self.dimensions.along {
            return self.around(place, [positions, vec![zero]].concat());
        }
        place.each((zero, extent, 1), &[], |place, position, _| {
            self.around(place, [positions, vec![position]].concat())?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    fn all_runs(&self, place: Place<'c, 'a>, positions: Vec<Value<'c, 'a>>) -> Rewritten<()> {
        let runs = self.nest.extents[self.dimensions.runs];
        let rest = runs % RUNS;
        let block = |place, first, count| Block::of(self, place, &positions, first, count)?.fold();
        place.each(
            (place.index(0)?, runs - rest, RUNS),
            &[],
            |place, first, _| {
                block(place, first, RUNS)?;
                Ok(Vec::new())
            },
        )?;
        match rest {
            0 => Ok(()),
            _ => block(place, place.index(runs - rest)?, rest),
        }
    }
}

/// What a step takes an element of.
#[derive(Clone, Copy)]
enum Operand<'c, 'a, 'n> {
    Scalar(Value<'c, 'a>),
    Buffer(Buffer<'c, 'a, 'n>),
}

impl<'c, 'a, 'n> Operand<'c, 'a, 'n> {
    fn buffer(&self) -> Option<Buffer<'c, 'a, 'n>> {
        match self {
            Operand::Scalar(_) => None,
            Operand::Buffer(buffer) => Some(*buffer),
        }
    }
}

/// A buffer, and how the nest walks it.
#[derive(Clone, Copy)]
struct Buffer<'c, 'a, 'n> {
    value: Value<'c, 'a>,
    access: &'n Access,
    element: Type<'c>,
}

impl Buffer<'_, '_, '_> {
    fn bytes(&self) -> usize {
        let bits = IntegerType::try_from(self.element).map_or_else(
            |_| self.element.float_width() as usize,
            |integer| integer.width() as usize,
        );
        bits / 8
    }

    fn walks(&self, dimension: usize) -> bool {
        self.access.contains(&Some(dimension))
    }
}
