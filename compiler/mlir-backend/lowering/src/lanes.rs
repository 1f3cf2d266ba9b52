//! The lanes of a long run: lane `l` folds positions `l, l + 4096, …` in order (numerics,
//! §Reductions).

use melior::ir::Value;
use neuro_hir::TensorType;

use crate::accumulation::Accumulation;
use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::check::Checks;
use crate::generic::{Generic, Iterator};
use crate::half::computed_in;
use crate::reduction::Fold;
use crate::types::tensor_type;
use crate::views::{collapse, expand, overwrite_start, window};

/// A run longer than this folds in as many lanes.
pub(crate) const LANES: u64 = 4096;

/// The lanes' answers: a tensor with `LANES` in place of the run, along `axis`.
pub(crate) struct Partials<'c, 'b> {
    pub value: Value<'c, 'b>,
    pub extents: Vec<u64>,
    pub axis: usize,
}

/// Folds the runs of `source` along `axis`, or the whole of it as one run, into lanes. A run is
/// longer than `LANES`. A lane's seed changes no bit: `-0.0 + x` is `x`, and the others are
/// replaced.
pub(crate) fn partials<'c: 'b, 'b>(
    at: At<'c, 'b>,
    checks: &mut Checks<'c, 'b>,
    fold: Fold,
    source: Value<'c, 'b>,
    extents: &[u64],
    axis: Option<usize>,
) -> Built<Partials<'c, 'b>> {
    let tensor = |extents: &[u64]| TensorType::new(fold.scalar, extents);
    let ty = |extents: &[u64]| tensor_type(at.context, &tensor(extents), fold.span);
    let (source, extents, axis) = match axis {
        Some(axis) => (source, extents.to_vec(), axis),
        None => {
            let flat = vec![extents.iter().product()];
            let together = (0..extents.len()).collect();
            let value = match extents.len() {
                1 => source,
                _ => collapse(at, source, ty(&flat)?, &[together])?,
            };
            (value, flat, 0)
        }
    };
    let run = extents[axis];
    let (steps, rest) = (run / LANES, run % LANES);
    let with = |extent: u64| {
        let mut extents = extents.clone();
        extents[axis] = extent;
        extents
    };

    let lanes = with(LANES);
    let partials = TensorType::new(computed_in(fold.scalar), &lanes);

    // The whole steps: [.., steps, LANES, ..], the step folding outside the lane, so that the
    // lanes of one step are contiguous where the run is.
    let whole = match rest {
        0 => source,
        _ => {
            let extents = with(steps * LANES);
            window(at, source, ty(&extents)?, (axis, 0), &extents)?
        }
    };
    let mut split = with(steps);
    split.insert(axis + 1, LANES);
    let groups: Vec<Vec<usize>> = (0..extents.len())
        .map(|k| match k.cmp(&axis) {
            std::cmp::Ordering::Less => vec![k],
            std::cmp::Ordering::Equal => vec![k, k + 1],
            std::cmp::Ordering::Greater => vec![k + 1],
        })
        .collect();
    let stepped = expand(at, whole, ty(&split)?, &groups, &split)?;
    let dimensions = split.len();
    let mut iterators = vec![Iterator::Parallel; dimensions];
    iterators[axis] = Iterator::Reduction;
    let accumulation = Accumulation {
        iterators,
        inputs: vec![(stepped, IndexMap::identity(dimensions))],
        result: &partials,
        map: IndexMap::select(dimensions, (0..dimensions).filter(|&k| k != axis)),
        tags: None,
        span: fold.span,
    };
    let seed = |at| fold.seed(at);
    let value = accumulation.append(at, seed, |at, accumulated, elements| {
        fold.step(at, checks, Checks::unchecked(), accumulated, elements[0])
    })?;
    if rest == 0 {
        return Ok(Partials {
            value,
            extents: lanes,
            axis,
        });
    }

    // The first `rest` lanes have one position more.
    let more = with(rest);
    let tail = window(at, source, ty(&more)?, (axis, steps * LANES), &more)?;
    let first = TensorType::new(computed_in(fold.scalar), &more);
    let first = tensor_type(at.context, &first, fold.span)?;
    let begun = window(at, value, first, (axis, 0), &more)?;
    let dimensions = extents.len();
    let generic = Generic {
        iterators: vec![Iterator::Parallel; dimensions],
        inputs: vec![(tail, IndexMap::identity(dimensions))],
        output: (begun, IndexMap::identity(dimensions)),
    };
    let ended = generic.append(at, |at, elements| {
        fold.step(at, checks, Checks::unchecked(), elements[1], elements[0])
    })?;
    let value = overwrite_start(at, ended, value, &more)?;
    Ok(Partials {
        value,
        extents: lanes,
        axis,
    })
}
