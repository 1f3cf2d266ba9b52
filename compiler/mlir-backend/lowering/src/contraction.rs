//! Contractions: a destination, its fill with zero, and a generic that adds products in order
//! (backend specification, §Matrix multiplication).

use ast_types::BinaryOp;
use melior::ir::Value;
use neuro_hir::TensorType;
use shared_types::Span;

use crate::accumulation::Accumulation;
use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::check::{Checks, IterationSpace};
use crate::element::Arithmetic;
use crate::fill::number;
use crate::generic::Iterator;
use crate::half::{computed_in, widen};
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
            (left.0, IndexMap::select(3, [row, contracted])),
            (right.0, IndexMap::select(3, [contracted, column])),
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
    /// Multiplied left to right; their element type is the result's.
    pub inputs: Vec<(Value<'c, 'b>, IndexMap)>,
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
    let Contraction { inputs, space } = contraction;
    let (kept, folded) = (space.result.len(), space.folded.len());
    let computed = computed_in(scalar);
    let accumulator = TensorType::new(computed, &space.result);
    let operation = checks.operation(space, span)?;
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
        inputs,
        result: &accumulator,
        map: IndexMap::select(kept + folded, 0..kept),
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
            let factor = widen(at, scalar, factor)?;
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
    rounded(at, sums, result, span)
}
