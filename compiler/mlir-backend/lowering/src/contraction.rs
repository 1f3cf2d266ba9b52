//! Contractions: a destination, its fill with zero, and a generic that adds products in order
//! (backend specification, §Matrix multiplication).

use ast_types::BinaryOp;
use melior::ir::Value;
use neuro_hir::TensorType;
use shared_types::Span;

use crate::accumulation::Accumulation;
use crate::affine::IndexMap;
use crate::arrange::{arrange, is_given};
use crate::at::{At, Built};
use crate::check::{Checks, IterationSpace};
use crate::contraction_shape::ContractionShape;
use crate::element::Arithmetic;
use crate::fill::number;
use crate::generic::Iterator;
use crate::half::{computed_in, widen};
use crate::movement::reshape;
use crate::reduction::rounded;
use crate::unlowered::Unlowered;

/// `left @ right`, rank 2. Every extent is static: no operand of the destination tells the
/// contracted one.
pub(crate) fn product<'c: 'b, 'b>(
    at: At<'c, 'b>,
    checks: &mut Checks<'c, 'b>,
    left: (Value<'c, 'b>, &TensorType),
    right: (Value<'c, 'b>, &TensorType),
    result: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    let (Some(shape), Some(left_shape)) = (result.static_extents(), left.1.static_extents()) else {
        return Unlowered::refused("a product of unknown extents", span);
    };
    let agree = neuro_hir::shape::matmul(left.1, right.1)
        .is_some_and(|axes| axes.iter().map(|axis| axis.extent).eq(result.extents()));
    if !agree || left.1.scalar() != result.scalar() || right.1.scalar() != result.scalar() {
        return Unlowered::refused("the operands do not form a product", span);
    }
    let (row, column, contracted) = (0, 1, 2);
    let contraction = Contraction {
        inputs: vec![
            (left.0, vec![row, contracted]),
            (right.0, vec![contracted, column]),
        ],
        space: IterationSpace {
            result: shape,
            folded: vec![left_shape[1]],
        },
    };
    contract(at, checks, contraction, result, span)
}

/// Products of the inputs' elements, added over the folded dimensions of the space, which come
/// after the result's and nest in their order, the last one fastest.
pub(crate) struct Contraction<'c, 'b> {
    /// Multiplied left to right, each with the dimension that each of its axes runs along; their
    /// element type is the result's.
    pub inputs: Vec<(Value<'c, 'b>, Vec<usize>)>,
    pub space: IterationSpace,
}

pub(crate) fn contract<'c: 'b, 'b>(
    at: At<'c, 'b>,
    checks: &mut Checks<'c, 'b>,
    contraction: Contraction<'c, 'b>,
    result: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    let Some(scalar) = result.scalar().filter(|scalar| scalar.is_number()) else {
        return Unlowered::refused("a contraction of elements without arithmetic", span);
    };
    let computed = computed_in(scalar);
    let operation = checks.operation(contraction.space.clone(), span)?;
    let result_shape = contraction.space.result.clone();
    let arranged = match checks.is_linked() && (computed.is_float() || !checks.overflow()) {
        true => arrange(at, &contraction, scalar, span)?,
        false => None,
    };
    let tags = arranged.as_ref().map(|arranged| {
        checks.contraction(ContractionShape {
            number: 0,
            scalar: computed,
            kept: arranged.space.result.clone(),
            folded: arranged.space.folded.iter().product(),
            operands: arranged
                .inputs
                .iter()
                .map(|(_, axes)| axes.clone())
                .collect(),
            of_arguments: arranged.inputs.iter().all(|(value, _)| is_given(*value)),
        })
    });
    let element = match arranged {
        Some(_) => computed,
        None => scalar,
    };
    let Contraction { inputs, space } = arranged.unwrap_or(contraction);
    let (kept, folded) = (space.result.len(), space.folded.len());
    let accumulator = TensorType::new(computed, &space.result);
    let step = |op| Arithmetic {
        op,
        scalar: computed,
        span,
    };
    let (multiply, add) = (step(BinaryOp::Mul), step(BinaryOp::Add));
    let checked = add.is_checked(checks);
    let dimensions: Vec<usize> = (0..kept + folded).collect();
    let mut iterators = vec![Iterator::Parallel; kept];
    iterators.resize(kept + folded, Iterator::Reduction);
    let accumulation = Accumulation {
        iterators,
        inputs: inputs
            .into_iter()
            .map(|(value, axes)| (value, IndexMap::select(kept + folded, axes)))
            .collect(),
        result: &accumulator,
        map: IndexMap::select(kept + folded, 0..kept),
        tags,
        span,
    };
    let zero = |at| number(at, computed, 0);
    let sums = accumulation.append(at, zero, |at, sum, factors| {
        let point = if checked {
            checks.point(at, operation, &dimensions, span)?
        } else {
            Checks::unchecked()
        };
        let mut product = None;
        for &factor in factors {
            let factor = widen(at, element, factor)?;
            product = Some(match product {
                None => factor,
                Some(product) => multiply.build(at, checks, point, product, factor)?,
            });
        }
        match product {
            Some(product) => add.build(at, checks, point, sum, product),
            None => Unlowered::refused("a contraction of nothing", span),
        }
    })?;
    let whole = TensorType::new(computed, &result_shape);
    let sums = match whole.same_shape_and_element(&accumulator) {
        true => sums,
        false => reshape(at, (sums, &accumulator), &whole, span)?,
    };
    rounded(at, sums, result, span)
}
