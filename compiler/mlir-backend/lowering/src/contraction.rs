//! `@`: a destination, its fill with zero, and a contraction that adds products in order
//! (backend specification, §Matrix multiplication).

use ast_types::BinaryOp;
use melior::ir::Value;
use neuro_hir::TensorType;
use shared_types::Span;

use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::check::{Checks, IterationSpace};
use crate::element::Arithmetic;
use crate::fill::{filled, number};
use crate::generic::{Generic, Iterator};
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
    let (Some(scalar), true) = (result.scalar().filter(|scalar| scalar.is_number()), agree) else {
        return Unlowered::refused("the operands do not form a product", span);
    };
    let space = IterationSpace {
        result: shape.clone(),
        folded: vec![left_shape[1]],
    };
    let operation = checks.operation(space, span)?;
    let computed = computed_in(scalar);
    let accumulator = TensorType::new(computed, &shape);
    let zero = filled(at, &accumulator, |at| number(at, computed, 0), span)?;

    let step = |op| Arithmetic {
        op,
        scalar: computed,
        span,
    };
    let (multiply, add) = (step(BinaryOp::Mul), step(BinaryOp::Add));
    let checked = multiply.is_checked(checks);
    let (row, column, contracted) = (0, 1, 2);
    let generic = Generic {
        iterators: vec![Iterator::Parallel, Iterator::Parallel, Iterator::Reduction],
        inputs: vec![
            (left.0, IndexMap::select(3, [row, contracted])),
            (right.0, IndexMap::select(3, [contracted, column])),
        ],
        output: (zero, IndexMap::select(3, [row, column])),
    };
    let sums = generic.append(at, |at, elements| {
        let point = if checked {
            checks.point(at, operation, &[row, column, contracted], span)?
        } else {
            Checks::unchecked()
        };
        let left = widen(at, scalar, elements[0])?;
        let right = widen(at, scalar, elements[1])?;
        let product = multiply.build(at, checks, point, left, right)?;
        add.build(at, checks, point, elements[2], product)
    })?;
    rounded(at, sums, result, span)
}
