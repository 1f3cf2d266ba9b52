//! Element-wise operations: one `linalg.generic` each, its operands broadcast by their maps
//! (backend specification, §Tensor Arithmetic and §Broadcasting).

use melior::ir::Value;
use neuro_hir::TensorType;
use shared_types::{ScalarType, Span};

use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::check::{Checks, IterationSpace};
use crate::element::Arithmetic;
use crate::fill::empty_like;
use crate::generic::{Generic, Iterator};
use crate::half::{narrow, widen};
use crate::unlowered::Unlowered;

/// What an element-wise operation reads.
#[derive(Clone)]
pub(crate) enum Operand<'c, 'b> {
    Tensor(Value<'c, 'b>, TensorType),
    Scalar(Value<'c, 'b>, ScalarType),
}

impl<'c, 'b> Operand<'c, 'b> {
    pub(crate) fn value(&self) -> Value<'c, 'b> {
        match self {
            Operand::Tensor(value, _) | Operand::Scalar(value, _) => *value,
        }
    }

    pub(crate) fn element(&self) -> Option<ScalarType> {
        match self {
            Operand::Tensor(_, tensor) => tensor.scalar(),
            Operand::Scalar(_, scalar) => Some(*scalar),
        }
    }

    fn map(&self, result: &TensorType) -> Option<IndexMap> {
        match self {
            Operand::Tensor(_, tensor) => IndexMap::broadcast(tensor, result),
            Operand::Scalar(..) => Some(IndexMap::scalar(result.rank())),
        }
    }
}

/// `left op right`, broadcast to `result`.
pub(crate) fn arithmetic<'c: 'b, 'b>(
    at: At<'c, 'b>,
    checks: &mut Checks<'c, 'b>,
    arithmetic: &Arithmetic,
    operands: [Operand<'c, 'b>; 2],
    result: &TensorType,
) -> Built<Value<'c, 'b>> {
    let span = arithmetic.span;
    let number = checks.operation(space(result), span)?;
    let checked = arithmetic.is_checked(checks);
    let dimensions: Vec<usize> = (0..result.rank()).collect();
    map_elements(at, &operands, result, span, |at, elements| {
        let point = if checked {
            checks.point(at, number, &dimensions, span)?
        } else {
            Checks::unchecked()
        };
        arithmetic.build(at, checks, point, elements[0], elements[1])
    })
}

/// A function of floats, computed in the type that halves widen to.
pub(crate) fn float_function<'c: 'b, 'b>(
    at: At<'c, 'b>,
    checks: &mut Checks<'c, 'b>,
    operands: &[Operand<'c, 'b>],
    result: &TensorType,
    span: Span,
    function: impl for<'r> FnOnce(At<'c, 'r>, &[Value<'c, 'r>]) -> Built<Value<'c, 'r>>,
) -> Built<Value<'c, 'b>> {
    let Some(scalar) = result.scalar().filter(|scalar| scalar.is_float()) else {
        return Unlowered::refused("the mathematics is of floats", span);
    };
    checks.operation(space(result), span)?;
    map_elements(at, operands, result, span, |at, elements| {
        let widened = elements[..operands.len()]
            .iter()
            .map(|&element| widen(at, scalar, element))
            .collect::<Built<Vec<_>>>()?;
        narrow(at, scalar, function(at, &widened)?)
    })
}

/// The space of an operation whose points are its result's.
pub(crate) fn space(result: &TensorType) -> IterationSpace {
    IterationSpace {
        result: result.static_extents().unwrap_or_default(),
        folded: Vec::new(),
    }
}

fn map_elements<'c: 'b, 'b>(
    at: At<'c, 'b>,
    operands: &[Operand<'c, 'b>],
    result: &TensorType,
    span: Span,
    body: impl for<'r> FnOnce(At<'c, 'r>, &[Value<'c, 'r>]) -> Built<Value<'c, 'r>>,
) -> Built<Value<'c, 'b>> {
    let mut inputs = Vec::new();
    let mut tensors = Vec::new();
    for operand in operands {
        if operand.element() != result.scalar() {
            return Unlowered::refused("the operands' element types differ", span);
        }
        let Some(map) = operand.map(result) else {
            return Unlowered::refused("an operand's shape does not broadcast", span);
        };
        inputs.push((operand.value(), map));
        if let Operand::Tensor(value, tensor) = operand {
            tensors.push((*value, tensor));
        }
    }
    let rank = result.rank();
    let generic = Generic {
        iterators: vec![Iterator::Parallel; rank],
        inputs,
        output: (
            empty_like(at, result, &tensors, span)?,
            IndexMap::identity(rank),
        ),
    };
    generic.append(at, body)
}
