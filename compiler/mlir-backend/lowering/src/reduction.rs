//! Reductions: a seed and a fold, each run in order; long runs fold in lanes first (numerics,
//! §Reductions).

use ast_types::BinaryOp;
use melior::dialect::arith::{CmpfPredicate, CmpiPredicate};
use melior::ir::{Value, ValueLike};
use neuro_hir::{Reduction, TensorType};
use shared_types::{ScalarType, Span};

use crate::accumulation::Accumulation;
use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::check::{Checks, IterationSpace, Point};
use crate::element::Arithmetic;
use crate::fill::empty;
use crate::generic::{Generic, Iterator};
use crate::half::{computed_in, narrow, widen};
use crate::lanes::{self, LANES};
use crate::unlowered::Unlowered;

/// A fold of runs: what it does, and in which types.
#[derive(Clone, Copy)]
pub(crate) struct Fold {
    pub op: Reduction,
    /// The operand's element type.
    pub scalar: ScalarType,
    pub span: Span,
}

/// `op` over `axis`, or over everything into rank 0.
pub(crate) fn reduce<'c: 'b, 'b>(
    at: At<'c, 'b>,
    checks: &mut Checks<'c, 'b>,
    op: Reduction,
    axis: Option<usize>,
    operand: (Value<'c, 'b>, &TensorType),
    result: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    let (source, tensor) = operand;
    let (Some(scalar), Some(extents)) = (tensor.scalar(), tensor.static_extents()) else {
        return Unlowered::refused("a reduction of unknown extents", span);
    };
    let shape = neuro_hir::shape::reduce(tensor, axis);
    let agree = shape.is_some_and(|axes| axes.iter().map(|axis| axis.extent).eq(result.extents()));
    if !scalar.is_number() || !agree || result.scalar() != Some(scalar) {
        return Unlowered::refused("the result is not that of the reduction", span);
    }
    let folded: Vec<usize> = match axis {
        Some(axis) => vec![axis],
        None => (0..extents.len()).collect(),
    };
    let kept: Vec<usize> = (0..extents.len())
        .filter(|axis| !folded.contains(axis))
        .collect();
    let pick = |axes: &[usize]| axes.iter().map(|&axis| extents[axis]).collect::<Vec<_>>();
    let space = IterationSpace {
        result: pick(&kept),
        folded: pick(&folded),
    };
    let run = space.folded.iter().product::<u64>();
    let number = checks.operation(space, span)?;

    let fold = Fold { op, scalar, span };
    // A lane's partial answers are in the type that the run folds in.
    let laned = run > LANES
        && result.elements() != Some(0)
        && !(scalar.is_integer() && op == Reduction::Sum);
    let (source, fold, extents, folded) = if laned {
        let lanes = lanes::partials(at, checks, fold, source, &extents, axis)?;
        let fold = Fold {
            scalar: computed_in(scalar),
            ..fold
        };
        (lanes.value, fold, lanes.extents, vec![lanes.axis])
    } else {
        (source, fold, extents, folded)
    };

    let computed = computed_in(scalar);
    let accumulator = TensorType::new(computed, &result.static_extents().unwrap_or_default());
    let dimensions = extents.len();
    let kept: Vec<usize> = (0..dimensions)
        .filter(|axis| !folded.contains(axis))
        .collect();
    let iterator = |axis| match folded.contains(&axis) {
        true => Iterator::Reduction,
        false => Iterator::Parallel,
    };
    let accumulation = Accumulation {
        // The source's own order, so that memory is walked forward whichever axis folds.
        iterators: (0..dimensions).map(iterator).collect(),
        inputs: vec![(source, IndexMap::identity(dimensions))],
        result: &accumulator,
        map: IndexMap::select(dimensions, kept.iter().copied()),
        tags: None,
        span,
    };
    let order: Vec<usize> = kept.iter().chain(&folded).copied().collect();
    let checked = fold.addition().is_checked(checks) && op == Reduction::Sum;
    let seed = |at| fold.seed(at);
    let answers = accumulation.append(at, seed, |at, accumulated, elements| {
        let point = if checked {
            checks.point(at, number, &order, span)?
        } else {
            Checks::unchecked()
        };
        fold.step(at, checks, point, accumulated, elements[0])
    })?;
    if op == Reduction::Mean {
        return mean(at, answers, run, result, span);
    }
    rounded(at, answers, result, span)
}

impl Fold {
    /// What a run starts from. A NaN is replaced by any number, so it starts a float's max and
    /// min as the first element would; an integer's limit is replaced by all that beats it.
    pub(crate) fn seed<'c: 'b, 'b>(self, at: At<'c, 'b>) -> Built<Value<'c, 'b>> {
        let computed = computed_in(self.scalar);
        let bits = computed.bytes() as u32 * 8;
        match (self.op, computed.integer_range()) {
            (Reduction::Sum | Reduction::Mean, None) => at.float(computed, -0.0),
            (Reduction::Max | Reduction::Min, None) => at.float(computed, f64::NAN),
            (Reduction::Sum | Reduction::Mean, Some(_)) => at.integer(bits, 0),
            (Reduction::Max, Some((lowest, _))) => at.integer(bits, lowest),
            (Reduction::Min, Some((_, highest))) => at.integer(bits, highest),
        }
    }

    /// `accumulator` with one more element.
    pub(crate) fn step<'c: 'r, 'b, 'r>(
        self,
        at: At<'c, 'r>,
        checks: &mut Checks<'c, 'b>,
        point: Point<'c, 'r>,
        accumulator: Value<'c, 'r>,
        element: Value<'c, 'r>,
    ) -> Built<Value<'c, 'r>> {
        let element = widen(at, self.scalar, element)?;
        match self.op {
            Reduction::Sum | Reduction::Mean => {
                self.addition()
                    .build(at, checks, point, accumulator, element)
            }
            Reduction::Max | Reduction::Min => self.further(at, accumulator, element),
        }
    }

    fn addition(self) -> Arithmetic {
        Arithmetic {
            op: BinaryOp::Add,
            scalar: computed_in(self.scalar),
            span: self.span,
        }
    }

    /// The accumulator, or the element that takes its place: one strictly beyond it, and any where
    /// it is a NaN. A NaN that replaces another changes nothing.
    fn further<'c: 'r, 'r>(
        self,
        at: At<'c, 'r>,
        accumulator: Value<'c, 'r>,
        element: Value<'c, 'r>,
    ) -> Built<Value<'c, 'r>> {
        let ty = accumulator.r#type();
        let select =
            |condition, element, other| at.emit("arith.select", &[condition, element, other], ty);
        let maximum = self.op == Reduction::Max;
        if self.scalar.is_integer() {
            let predicate = match (maximum, self.scalar.is_signed()) {
                (true, true) => CmpiPredicate::Sgt,
                (true, false) => CmpiPredicate::Ugt,
                (false, true) => CmpiPredicate::Slt,
                (false, false) => CmpiPredicate::Ult,
            };
            let beyond = at.compare("arith.cmpi", predicate as i64, element, accumulator)?;
            return select(beyond, element, accumulator);
        }
        let beyond = match maximum {
            true => CmpfPredicate::Ogt,
            false => CmpfPredicate::Olt,
        };
        // Processors have the first of these selections as one instruction. It gives a NaN only
        // from a NaN accumulator; asked of the accumulator itself, LLVM would make one selection
        // by two comparisons of the two.
        let beyond = at.compare("arith.cmpf", beyond as i64, element, accumulator)?;
        let further = select(beyond, element, accumulator)?;
        let uno = CmpfPredicate::Uno as i64;
        let from_nan = at.compare("arith.cmpf", uno, further, further)?;
        select(from_nan, element, further)
    }
}

/// The sums divided by the run's length, then rounded to the result's type.
fn mean<'c: 'b, 'b>(
    at: At<'c, 'b>,
    sums: Value<'c, 'b>,
    run: u64,
    result: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    let Some(scalar) = result.scalar().filter(|scalar| scalar.is_float()) else {
        return Unlowered::refused("a mean is of floats", span);
    };
    let computed = computed_in(scalar);
    // To nearest even in the type itself: through `f64` would round an `f32` twice.
    let length = match computed {
        ScalarType::F32 => f64::from(run as f32),
        _ => run as f64,
    };
    let length = at.float(computed, length)?;
    finish(at, sums, result, span, |at, sum| {
        let mean = at.emit("arith.divf", &[sum, length], sum.r#type())?;
        narrow(at, scalar, mean)
    })
}

/// Answers in the type they were computed in, rounded to the result's.
pub(crate) fn rounded<'c: 'b, 'b>(
    at: At<'c, 'b>,
    answers: Value<'c, 'b>,
    result: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    match result.scalar() {
        Some(scalar) if scalar.is_half() => finish(at, answers, result, span, |at, answer| {
            narrow(at, scalar, answer)
        }),
        _ => Ok(answers),
    }
}

/// One more pass over the answers, into the result.
fn finish<'c: 'b, 'b>(
    at: At<'c, 'b>,
    answers: Value<'c, 'b>,
    result: &TensorType,
    span: Span,
    body: impl for<'r> FnOnce(At<'c, 'r>, Value<'c, 'r>) -> Built<Value<'c, 'r>>,
) -> Built<Value<'c, 'b>> {
    let rank = result.rank();
    let generic = Generic {
        iterators: vec![Iterator::Parallel; rank],
        inputs: vec![(answers, IndexMap::identity(rank))],
        output: (empty(at, result, span)?, IndexMap::identity(rank)),
    };
    generic.append(at, |at, elements| body(at, elements[0]))
}
