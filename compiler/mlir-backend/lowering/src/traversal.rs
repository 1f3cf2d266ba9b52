//! Traversals: one `linalg.generic` whose body calls the traversal's function through its function
//! value, element by element in row-major order (backend specification, §The other operations;
//! numerics, §Slices, permutations, reshapes, traversals, compound assignment).
//!
//! A call has effects that only its caller knows. So such a body is not fused, and where an
//! earlier check of it has failed the function is not called: the host would have stopped there.

use melior::ir::attribute::{Attribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute};
use melior::ir::{Block, Region, RegionLike, Type, Value};
use neuro_hir::{FunctionType, TensorType};
use shared_types::{ScalarClass, ScalarType, Span};

use crate::accumulation::Accumulation;
use crate::affine::IndexMap;
use crate::at::{At, Built, build, internal};
use crate::check::{Checks, IterationSpace};
use crate::elementwise::{Operand, space};
use crate::fill::{empty_like, number};
use crate::generic::{Generic, Iterator};
use crate::types::{pointer_type, scalar_type};
use crate::unlowered::Unlowered;

/// A traversal of a body: it calls its function once for each element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traversal {
    pub span: Span,
    /// How many elements it has.
    pub calls: u64,
}

/// A function value over numbers and bools, as a body has it.
#[derive(Clone)]
pub(crate) struct FunctionValue<'c, 'b> {
    /// It takes the environment, then the arguments.
    code: Value<'c, 'b>,
    environment: Value<'c, 'b>,
    parameters: Vec<ScalarType>,
    result: ScalarType,
}

impl<'c: 'b, 'b> FunctionValue<'c, 'b> {
    /// From the two pointers that stand for it in a linked body's signature; `None` where the
    /// function is not one over numbers and bools.
    pub(crate) fn of_pointers(
        [code, environment]: [Value<'c, 'b>; 2],
        signature: &FunctionType,
    ) -> Option<Self> {
        let (parameters, result) = signature.element_types()?;
        Some(FunctionValue {
            code,
            environment,
            parameters,
            result,
        })
    }

    /// From the pair that it is elsewhere.
    pub(crate) fn of_pair(
        at: At<'c, 'b>,
        pair: Value<'c, 'b>,
        signature: &FunctionType,
    ) -> Built<Option<Self>> {
        let member = |index: i64| {
            let position = DenseI64ArrayAttribute::new(at.context, &[index]);
            let operation = at
                .operation("llvm.extractvalue")
                .add_attributes(&[at.named("position", position)])
                .add_operands(&[pair])
                .add_results(&[pointer_type(at.context)]);
            at.value(operation)
        };
        let pointers = [member(0)?, member(1)?];
        Ok(FunctionValue::of_pointers(pointers, signature))
    }

    /// Calls the function in the region of an operation, or where an earlier check has failed
    /// gives zero.
    fn call_while_intact<'r>(
        &self,
        at: At<'c, 'r>,
        checks: &Checks<'c, 'b>,
        arguments: &[Value<'c, 'r>],
    ) -> Built<Value<'c, 'r>> {
        let Some(intact) = checks.intact(at)? else {
            return self.call(at, arguments);
        };
        let call = branch(at, |at| self.call(at, arguments))?;
        let zero = branch(at, |at| number(at, self.result, 0))?;
        let operation = at
            .operation("scf.if")
            .add_operands(&[intact])
            .add_results(&[scalar_type(at.context, self.result)])
            .add_regions([call, zero]);
        at.value(operation)
    }

    fn call<'r>(&self, at: At<'c, 'r>, arguments: &[Value<'c, '_>]) -> Built<Value<'c, 'r>> {
        let mut operands = vec![self.code, self.environment];
        operands.extend(arguments);
        let segments = [operands.len() as i32, 0];
        let array = |values: &[i32]| DenseI32ArrayAttribute::new(at.context, values);
        let operation = at
            .operation("llvm.call")
            .add_attributes(&[
                at.named("arg_attrs", self.extensions(at)?),
                at.named("op_bundle_sizes", array(&[])),
                at.named("operandSegmentSizes", array(&segments)),
            ])
            .add_operands(&operands)
            .add_results(&[scalar_type(at.context, self.result)]);
        at.value(operation)
    }

    /// A narrow integer argument is extended by its sign, as callers in C extend it. Of a narrow
    /// result nothing beyond its own bits is read.
    fn extensions(&self, at: At<'c, '_>) -> Built<Attribute<'c>> {
        let extension = |scalar: &ScalarType| match scalar.class() {
            _ if scalar.bytes() >= 4 => ", {}",
            ScalarClass::Signed => ", {llvm.signext}",
            ScalarClass::Unsigned | ScalarClass::Bool => ", {llvm.zeroext}",
            ScalarClass::Float | ScalarClass::Char => ", {}",
        };
        let extensions: String = self.parameters.iter().map(extension).collect();
        let text = format!("[{{}}{extensions}]");
        let missing = || internal(melior::Error::AttributeParse(text.clone()));
        Attribute::parse(at.context, &text).ok_or_else(missing)
    }
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
    checks.operation(space(result), span)?;
    let rank = result.rank();
    let identity = || IndexMap::identity(rank);
    let sources: Vec<_> = operands.iter().map(|(value, ty)| (*value, ty)).collect();
    let generic = Generic {
        iterators: vec![Iterator::Parallel; rank],
        inputs: sources
            .iter()
            .map(|&(value, _)| (value, identity()))
            .collect(),
        output: (empty_like(at, result, &sources, span)?, identity()),
    };
    let count = sources.len();
    generic.append(at, |at, elements| {
        function.call_while_intact(at, checks, &elements[..count])
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
    let space = IterationSpace {
        result: Vec::new(),
        folded: tensor.static_extents().unwrap_or_default(),
    };
    checks.operation(space, span)?;
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
        function.call_while_intact(at, checks, &[accumulated, elements[0]])
    })
}

/// A region that gives one value.
fn branch<'c, 'r>(
    at: At<'c, 'r>,
    body: impl for<'i> FnOnce(At<'c, 'i>) -> Built<Value<'c, 'i>>,
) -> Built<Region<'c>> {
    let block = Block::new(&[]);
    {
        let inner = At {
            context: at.context,
            block: &block,
            location: at.location,
        };
        let value = body(inner)?;
        inner.append(build(inner.operation("scf.yield").add_operands(&[value]))?);
    }
    let region = Region::new();
    region.append_block(block);
    Ok(region)
}

/// How a function value stands in a signature: a pair, and in that of a linked body two pointers,
/// since a pair by value is passed otherwise by LLVM than by C.
pub(crate) fn parameter_types(context: &melior::Context, linked: bool) -> Vec<Type<'_>> {
    match linked {
        true => vec![pointer_type(context); 2],
        false => vec![crate::types::function_value_type(context)],
    }
}
