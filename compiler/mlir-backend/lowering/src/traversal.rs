//! Traversals: one `linalg.generic` whose body calls the traversal's function through its function
//! value, element by element in row-major order, or by its symbol where that is known (backend
//! specification, §The other operations; numerics, §Slices, permutations, reshapes, traversals,
//! compound assignment).
//!
//! A call through a value has effects that only its caller knows, so such a body is not fused. No
//! function is called where an earlier check of the body has failed: the host would have stopped
//! there, and on other elements than the program's it may never end.

use melior::ir::Value;
use neuro_hir::TensorType;
use shared_types::Span;

use crate::accumulation::Accumulation;
use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::check::{Checks, IterationSpace};
use crate::elementwise::Operand;
use crate::fill::empty_like;
use crate::function_value::FunctionValue;
use crate::generic::{Generic, Iterator};
use crate::unlowered::Unlowered;

/// A traversal of a body: it calls its function once for each element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traversal {
    pub span: Span,
    /// How many elements it has.
    pub calls: u64,
}

/// `function` of the elements of the operands, which have the result's shape.
pub(crate) fn map<'c: 'b, 'b>(
    at: At<'c, 'b>,
    checks: &mut Checks<'c, 'b>,
    function: &FunctionValue<'c, 'b>,
    operands: &[(Value<'c, 'b>, TensorType)],
    result: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    let agree = operands
        .iter()
        .all(|(_, operand)| operand.extents().eq(result.extents()));
    let elements = operands.iter().map(|(_, operand)| operand.scalar());
    let taken = function.parameters.iter().copied().map(Some);
    if !agree || !elements.eq(taken) || result.scalar() != Some(function.result) {
        return Unlowered::refused("the function is not one of the elements", span);
    }
    let number = checks.operation(walked(result), span)?;
    let rank = result.rank();
    let identity = || IndexMap::identity(rank);
    let sources: Vec<_> = operands.iter().map(|(value, ty)| (*value, ty)).collect();
    let mut inputs: Vec<_> = sources
        .iter()
        .map(|&(value, _)| (value, identity()))
        .collect();
    let count = inputs.len();
    // Points that fail lower the word while others run.
    let noted = match function.is_called_back() {
        true => None,
        false => checks.noted(at, span)?,
    };
    inputs.extend(noted.map(|word| (word, IndexMap::scalar(rank))));
    let generic = Generic {
        iterators: vec![Iterator::Parallel; rank],
        inputs,
        output: (empty_like(at, result, &sources, span)?, identity()),
    };
    generic.append(at, |at, elements| {
        let intact = match noted {
            Some(_) => Some(Checks::holds(at, elements[count])?),
            None => checks.intact(at)?,
        };
        let (place, elements) = ((number, rank, span), &elements[..count]);
        function.apply(at, checks, place, intact, elements)
    })
}

/// `acc = function(acc, x)` of each element, from `initial`, into rank 0.
pub(crate) fn fold<'c: 'b, 'b>(
    at: At<'c, 'b>,
    checks: &mut Checks<'c, 'b>,
    function: &FunctionValue<'c, 'b>,
    (source, tensor): (Value<'c, 'b>, &TensorType),
    initial: &Operand<'c, 'b>,
    result: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    let accumulator = Some(function.result);
    let taken = function.parameters.iter().copied().map(Some);
    let is_scalar = matches!(initial, Operand::Scalar(..));
    if !taken.eq([accumulator, tensor.scalar()])
        || !is_scalar
        || initial.element() != accumulator
        || result.scalar() != accumulator
        || result.rank() != 0
    {
        return Unlowered::refused("the function is not one of the elements", span);
    }
    let number = checks.operation(walked(tensor), span)?;
    let rank = tensor.rank();
    let accumulation = Accumulation {
        iterators: vec![Iterator::Reduction; rank],
        inputs: vec![(source, IndexMap::identity(rank))],
        result,
        map: IndexMap::select(rank, []),
        tags: None,
        span,
    };
    let seed = |_| Ok(initial.value());
    accumulation.append(at, seed, |at, accumulated, elements| {
        if function.may_fail() {
            // The points run one after the other, and none after one that failed.
            checks.status();
        }
        let intact = checks.intact(at)?;
        let (place, arguments) = ((number, rank, span), [accumulated, elements[0]]);
        function.apply(at, checks, place, intact, &arguments)
    })
}

/// The positions of a traversal. What fails in its function is an operation of scalars: it has no
/// element.
fn walked(tensor: &TensorType) -> IterationSpace {
    IterationSpace {
        result: Vec::new(),
        folded: tensor.static_extents().unwrap_or_default(),
    }
}
