//! The lanes of a long run: lane `l` folds positions `l, l + 4096, …` in order (numerics,
//! §Reductions).

use melior::ir::attribute::{
    ArrayAttribute, Attribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute,
};
use melior::ir::{Value, ValueLike};
use neuro_hir::TensorType;

use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::check::Checks;
use crate::fill::filled;
use crate::generic::{Generic, Iterator};
use crate::half::computed_in;
use crate::reduction::Fold;
use crate::types::{integer_type, tensor_type};

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
                _ => reassociate(at, "tensor.collapse_shape", source, ty(&flat)?, &[together])?,
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
    let seeds = filled(at, &partials, |at| fold.seed(at), fold.span)?;

    // The whole steps: [.., steps, LANES, ..], the step folding outside the lane, so that the
    // lanes of one step are contiguous where the run is.
    let whole = match rest {
        0 => source,
        _ => slice(
            at,
            source,
            ty(&with(steps * LANES))?,
            axis,
            0,
            &with(steps * LANES),
        )?,
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
    let generic = Generic {
        iterators,
        inputs: vec![(stepped, IndexMap::identity(dimensions))],
        output: (
            seeds,
            IndexMap::select(dimensions, (0..dimensions).filter(|&k| k != axis)),
        ),
    };
    let value = generic.append(at, |at, elements| {
        fold.step(at, checks, Checks::unchecked(), elements[1], elements[0])
    })?;
    if rest == 0 {
        return Ok(Partials {
            value,
            extents: lanes,
            axis,
        });
    }

    // The first `rest` lanes have one position more.
    let tail = slice(
        at,
        source,
        ty(&with(rest))?,
        axis,
        steps * LANES,
        &with(rest),
    )?;
    let first = TensorType::new(computed_in(fold.scalar), &with(rest));
    let first = tensor_type(at.context, &first, fold.span)?;
    let begun = slice(at, value, first, axis, 0, &with(rest))?;
    let dimensions = extents.len();
    let generic = Generic {
        iterators: vec![Iterator::Parallel; dimensions],
        inputs: vec![(tail, IndexMap::identity(dimensions))],
        output: (begun, IndexMap::identity(dimensions)),
    };
    let ended = generic.append(at, |at, elements| {
        fold.step(at, checks, Checks::unchecked(), elements[1], elements[0])
    })?;
    let value = insert(at, ended, value, &with(rest))?;
    Ok(Partials {
        value,
        extents: lanes,
        axis,
    })
}

/// `extents` of the source, from `offset` along `axis`.
fn slice<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    ty: melior::ir::Type<'c>,
    axis: usize,
    offset: u64,
    extents: &[u64],
) -> Built<Value<'c, 'b>> {
    let mut offsets = vec![0; extents.len()];
    offsets[axis] = offset as i64;
    let operation = at
        .operation("tensor.extract_slice")
        .add_attributes(&window(at, &offsets, extents, 1))
        .add_operands(&[source])
        .add_results(&[ty]);
    at.value(operation)
}

/// `part` put over the start of `whole`.
fn insert<'c: 'b, 'b>(
    at: At<'c, 'b>,
    part: Value<'c, 'b>,
    whole: Value<'c, 'b>,
    extents: &[u64],
) -> Built<Value<'c, 'b>> {
    let operation = at
        .operation("tensor.insert_slice")
        .add_attributes(&window(at, &vec![0; extents.len()], extents, 2))
        .add_operands(&[part, whole])
        .add_results(&[whole.r#type()]);
    at.value(operation)
}

type NamedAttribute<'c> = (melior::ir::Identifier<'c>, Attribute<'c>);

/// The attributes of a slice with static offsets, sizes and unit strides, after `operands`
/// tensors.
fn window<'c>(
    at: At<'c, '_>,
    offsets: &[i64],
    extents: &[u64],
    operands: usize,
) -> Vec<NamedAttribute<'c>> {
    let sizes: Vec<i64> = extents.iter().map(|&extent| extent as i64).collect();
    let strides = vec![1; extents.len()];
    let mut segments = vec![1; operands];
    segments.extend([0; 3]);
    let list = |values: &[i64]| DenseI64ArrayAttribute::new(at.context, values);
    vec![
        at.named("static_offsets", list(offsets)),
        at.named("static_sizes", list(&sizes)),
        at.named("static_strides", list(&strides)),
        at.named(
            "operandSegmentSizes",
            DenseI32ArrayAttribute::new(at.context, &segments),
        ),
    ]
}

fn reassociate<'c: 'b, 'b>(
    at: At<'c, 'b>,
    name: &str,
    source: Value<'c, 'b>,
    ty: melior::ir::Type<'c>,
    groups: &[Vec<usize>],
) -> Built<Value<'c, 'b>> {
    let operation = at
        .operation(name)
        .add_attributes(&[reassociation(at, groups)])
        .add_operands(&[source])
        .add_results(&[ty]);
    at.value(operation)
}

fn expand<'c: 'b, 'b>(
    at: At<'c, 'b>,
    source: Value<'c, 'b>,
    ty: melior::ir::Type<'c>,
    groups: &[Vec<usize>],
    extents: &[u64],
) -> Built<Value<'c, 'b>> {
    let extents: Vec<i64> = extents.iter().map(|&extent| extent as i64).collect();
    let shape = DenseI64ArrayAttribute::new(at.context, &extents);
    let operation = at
        .operation("tensor.expand_shape")
        .add_attributes(&[
            reassociation(at, groups),
            at.named("static_output_shape", shape),
        ])
        .add_operands(&[source])
        .add_results(&[ty]);
    at.value(operation)
}

fn reassociation<'c>(at: At<'c, '_>, groups: &[Vec<usize>]) -> NamedAttribute<'c> {
    let wide = integer_type(at.context, 64);
    let group = |axes: &Vec<usize>| -> Attribute<'c> {
        let axes: Vec<Attribute> = axes
            .iter()
            .map(|&axis| IntegerAttribute::new(wide, axis as i64).into())
            .collect();
        ArrayAttribute::new(at.context, &axes).into()
    };
    let groups: Vec<Attribute> = groups.iter().map(group).collect();
    at.named("reassociation", ArrayAttribute::new(at.context, &groups))
}
