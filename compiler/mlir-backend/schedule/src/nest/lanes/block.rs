//! A block of runs that fold at once.

use melior::ir::{Type, Value};
use mlir_pipeline::rewrite::{Place, Rewritten, internal};

use super::transpose::{columns, part};
use super::{Buffer, Fold, Operand, RUNS};
use crate::contraction::prefetch;
use crate::transfer::read_run;

/// How far ahead of a run's elements it asks for more. Eight streams are more than some processors
/// foresee well.
const AHEAD_BYTES: u64 = 256;

pub(super) struct Block<'f, 'c, 'a, 'n> {
    fold: &'f Fold<'c, 'a, 'n>,
    place: Place<'c, 'a>,
    /// Where the loops around are; of the two dimensions of the block, no position counts.
    positions: &'f [Value<'c, 'a>],
    /// The run of each lane, a list a vector. A lane without one repeats the last run, and nobody
    /// sees what it folds.
    runs: Vec<Vec<Value<'c, 'a>>>,
    count: usize,
}

impl<'f, 'c, 'a, 'n> Block<'f, 'c, 'a, 'n> {
    /// Of `count` runs from the one at `first`.
    pub(super) fn of(
        fold: &'f Fold<'c, 'a, 'n>,
        place: Place<'c, 'a>,
        positions: &'f [Value<'c, 'a>],
        first: Value<'c, 'a>,
        count: u64,
    ) -> Rewritten<Self> {
        let count = count.min(RUNS) as usize;
        let run = |lane: usize| place.after(first, lane.min(count - 1) as u64);
        let runs = (0..count).step_by(fold.lanes);
        let runs = runs.map(|from| (from..from + fold.lanes).map(run).collect());
        Ok(Block {
            fold,
            place,
            positions,
            runs: runs.collect::<Rewritten<_>>()?,
            count,
        })
    }

    pub(super) fn fold(&self) -> Rewritten<()> {
        let (place, lanes) = (self.place, self.fold.lanes as u64);
        let Some((Operand::Buffer(output), inputs)) = self.fold.operands.split_last() else {
            return Err(internal("a fold into no buffer"));
        };
        let zero = place.index(0)?;
        let gather = |place, buffer, position| {
            let runs = self.runs.iter();
            let vectors = runs.map(|runs| self.gather(place, buffer, runs, position));
            vectors.collect::<Rewritten<Vec<Value>>>()
        };
        // What is the same at each step is read once.
        let constant = inputs.iter().map(|input| match input {
            Operand::Scalar(value) => {
                let vector = self.fold.splat(place, *value)?;
                Ok(Some(vec![vector; self.runs.len()]))
            }
            Operand::Buffer(buffer) if buffer.walks(self.fold.dimensions.along) => Ok(None),
            Operand::Buffer(buffer) => Ok(Some(gather(place, *buffer, zero)?)),
        });
        let constant = constant.collect::<Rewritten<Vec<_>>>()?;
        let steps = |place: Place<'c, 'a>, position, wide: bool, sums: &[Value<'c, 'a>]| {
            let group = |(group, &sums): (usize, &Value<'c, 'a>)| {
                let runs = &self.runs[group];
                let vectors = inputs.iter().zip(&constant).map(|(input, constant)| {
                    match (input, constant, wide) {
                        (_, Some(vectors), _) => Ok(vec![vectors[group]; self.fold.lanes]),
                        (Operand::Buffer(buffer), None, true) => {
                            self.tile(place, *buffer, runs, position)
                        }
                        (Operand::Buffer(buffer), None, false) => {
                            Ok(vec![self.gather(place, *buffer, runs, position)?])
                        }
                        (Operand::Scalar(_), None, _) => Err(internal("a scalar that changes")),
                    }
                });
                let vectors = vectors.collect::<Rewritten<Vec<_>>>()?;
                let count = if wide { self.fold.lanes } else { 1 };
                (0..count).try_fold(sums, |sums, step| {
                    let elements: Vec<Value> = vectors.iter().map(|steps| steps[step]).collect();
                    self.fold.step(place, &elements, sums)
                })
            };
            sums.iter()
                .enumerate()
                .map(group)
                .collect::<Rewritten<Vec<Value>>>()
        };
        let length = self.fold.nest.extents[self.fold.dimensions.along];
        let rest = length % lanes;
        let sums = gather(place, *output, zero)?;
        let sums = place.each(
            (zero, length - rest, lanes),
            &sums,
            |place, position, sums| steps(place, position, true, sums),
        )?;
        let from = place.index(length - rest)?;
        let sums = match rest {
            0 => sums,
            _ => place.each((from, length, 1), &sums, |place, position, sums| {
                steps(place, position, false, sums)
            })?,
        };
        self.scatter(*output, &sums)
    }

    /// The indices of an element of a buffer.
    fn indices(
        &self,
        buffer: Buffer<'c, 'a, 'n>,
        run: Value<'c, 'a>,
        position: Value<'c, 'a>,
    ) -> Vec<Value<'c, 'a>> {
        let dimensions = self.fold.dimensions;
        let walked = buffer.access.iter().flatten();
        let index = walked.map(|&dimension| match dimension {
            _ if dimension == dimensions.runs => run,
            _ if dimension == dimensions.along => position,
            _ => self.positions[dimension],
        });
        index.collect()
    }

    /// The element of each run at one position.
    fn gather(
        &self,
        place: Place<'c, 'a>,
        buffer: Buffer<'c, 'a, 'n>,
        runs: &[Value<'c, 'a>],
        position: Value<'c, 'a>,
    ) -> Rewritten<Value<'c, 'a>> {
        let load = |&run: &Value<'c, 'a>| {
            let operands = [vec![buffer.value], self.indices(buffer, run, position)].concat();
            place.emit("memref.load", &operands, buffer.element)
        };
        if !buffer.walks(self.fold.dimensions.runs) {
            return self.fold.splat(place, load(&runs[0])?);
        }
        let elements = runs.iter().map(load).collect::<Rewritten<Vec<_>>>()?;
        place.emit(
            "vector.from_elements",
            &elements,
            self.fold.vector(buffer.element),
        )
    }

    /// The elements of each run at as many positions as there are lanes, a vector a position.
    fn tile(
        &self,
        place: Place<'c, 'a>,
        buffer: Buffer<'c, 'a, 'n>,
        runs: &[Value<'c, 'a>],
        position: Value<'c, 'a>,
    ) -> Rewritten<Vec<Value<'c, 'a>>> {
        let lanes = self.fold.lanes;
        if !buffer.walks(self.fold.dimensions.runs) {
            let steps = (0..lanes as u64).map(|step| {
                let position = place.after(position, step)?;
                self.gather(place, buffer, runs, position)
            });
            return steps.collect();
        }
        let part = part(lanes, buffer.bytes());
        let ahead = place.after(position, AHEAD_BYTES / buffer.bytes() as u64)?;
        for &run in runs {
            prefetch(
                place,
                buffer.value,
                &self.indices(buffer, run, ahead),
                false,
            )?;
        }
        let mut all = Vec::new();
        for first in (0..lanes).step_by(part) {
            let position = place.after(position, first as u64)?;
            let rows = runs
                .iter()
                .map(|&run| self.read(place, buffer, run, position, part));
            let rows = rows.collect::<Rewritten<Vec<_>>>()?;
            all.extend(columns(place, &rows, part, buffer.element)?);
        }
        Ok(all)
    }

    /// So many elements of a run.
    fn read(
        &self,
        place: Place<'c, 'a>,
        buffer: Buffer<'c, 'a, 'n>,
        run: Value<'c, 'a>,
        position: Value<'c, 'a>,
        count: usize,
    ) -> Rewritten<Value<'c, 'a>> {
        let padding = place.emit("ub.poison", &[], buffer.element)?;
        let indices = self.indices(buffer, run, position);
        let ty = Type::vector(&[count as u64], buffer.element);
        read_run(place, buffer.value, &indices, padding, ty)
    }

    fn scatter(&self, buffer: Buffer<'c, 'a, 'n>, vectors: &[Value<'c, 'a>]) -> Rewritten<()> {
        let (place, lanes) = (self.place, self.fold.lanes);
        let zero = place.index(0)?;
        for (runs, (&vector, first)) in self
            .runs
            .iter()
            .zip(vectors.iter().zip((0..).step_by(lanes)))
        {
            let types = vec![buffer.element; lanes];
            let elements = place
                .operation("vector.to_elements")
                .add_operands(&[vector]);
            let elements = place.build(elements.add_results(&types))?;
            for (lane, &run) in runs.iter().enumerate().take(self.count - first) {
                let element: Value = elements.result(lane).map_err(internal)?.into();
                let indices = self.indices(buffer, run, zero);
                let store = place.operation("memref.store");
                place
                    .build(store.add_operands(&[vec![element, buffer.value], indices].concat()))?;
            }
        }
        Ok(())
    }
}
