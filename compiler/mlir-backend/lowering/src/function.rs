//! A function as `func.func`: a definition where the body lowers, else a declaration (backend
//! specification, §Lowering Rules).

use std::collections::HashMap;
use std::rc::Rc;

use melior::Context;
use melior::ir::attribute::{Attribute, TypeAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationResult};
use melior::ir::r#type::FunctionType;
use melior::ir::{Block, Operation, Region, RegionLike, Type, Value, ValueLike};
use mlir_pipeline::{MlirError, span_location};
use neuro_hir::{HirExpr, HirFunction, HirType, LocalId, Tier};
use shared_types::Span;

use crate::affine::IndexMap;
use crate::at::{At, Built, build, internal};
use crate::body::{Body, Lowered};
use crate::check::{Check, Checks, IterationSpace};
use crate::contraction_shape::ContractionShape;
use crate::elementwise::Operand;
use crate::movement;
use crate::scalar_function::{ScalarFunction, ScalarFunctions};
use crate::signature::Signature;
use crate::sort::SortForm;
use crate::traversal::Traversal;
use crate::types::declared_type;
use crate::unlowered::Unlowered;

/// A defined body and what its status word speaks of.
pub(crate) struct Definition<'c> {
    pub operation: Operation<'c>,
    pub checks: Vec<Check>,
    pub spaces: Vec<IterationSpace>,
    pub contractions: Vec<ContractionShape>,
    pub traversals: Vec<Traversal>,
    /// The functions that it calls by their symbols.
    pub called: Vec<Rc<ScalarFunction>>,
    /// Those of them that stand for parameters.
    pub passed: HashMap<LocalId, Rc<ScalarFunction>>,
    /// The parameters that a slice reads its source at, with the extent that they are below.
    pub positions: HashMap<LocalId, u64>,
    /// Where the pointers of function values lie among the parameters of the LLVM function.
    pub function_pointers: Vec<usize>,
}

/// How bodies are lowered. With a tier they are to link: they check their integers, and a function
/// value is two pointers, or what it has captured where a body finds which function that is.
#[derive(Clone, Copy)]
pub(crate) struct Manner<'s> {
    pub tier: Option<Tier>,
    pub sorts: SortForm,
    pub functions: Option<ScalarFunctions<'s>>,
}

/// The function as a definition named `symbol`.
pub(crate) fn define<'c>(
    context: &'c Context,
    function: &HirFunction,
    symbol: &str,
    manner: Manner<'_>,
    constants: &HashMap<&str, &HirExpr>,
) -> Built<Definition<'c>> {
    let signature = Signature::of(function, manner)?;
    let block = Block::new(&signature.inputs(context)?);
    let entry = At {
        context,
        block: &block,
        location: span_location(context, function.span),
    };
    let mut body = Body::new(entry, function, constants, manner);
    let function_pointers = signature.bind(&mut body, entry)?;
    if gives_scalar(&function.result) {
        return Unlowered::refused("a scalar result", function.span);
    }
    let mut results = Vec::new();
    if let Some(value) = body.function(&function.body)? {
        flatten(value, &mut results, function)?;
    }
    let mut values: Vec<Value> = Vec::new();
    for result in &results {
        values.push(owned(entry, result, &values, function)?);
    }
    let Checks {
        list,
        spaces,
        contractions,
        ..
    } = body.checks;
    let (traversals, positions) = (body.traversals, body.positions);
    let mut called = body.called;
    called.extend(signature.passed.values().cloned());
    entry.append(build(entry.operation("func.return").add_operands(&values))?);
    let outputs: Vec<Type> = values.iter().map(|value| value.r#type()).collect();
    let inputs = (0..block.argument_count())
        .map(|index| Ok(block.argument(index).map_err(internal)?.r#type()))
        .collect::<Built<Vec<_>>>()?;
    let region = Region::new();
    region.append_block(block);
    let ty = FunctionType::new(context, &inputs, &outputs);
    Ok(Definition {
        operation: func(context, symbol, ty, region, &[], function.span)?,
        checks: list,
        spaces,
        contractions,
        traversals,
        called,
        passed: signature.passed,
        positions,
        function_pointers,
    })
}

/// A body gives tensors; of rank 0 they are no scalars.
fn gives_scalar(result: &HirType) -> bool {
    match result {
        HirType::Scalar(_) => true,
        HirType::Tuple(members) => members.iter().any(gives_scalar),
        HirType::Void
        | HirType::Tensor(_)
        | HirType::Reference { .. }
        | HirType::Function(_)
        | HirType::String
        | HirType::Nominal(_) => false,
    }
}

/// The function as a private declaration.
pub(crate) fn declare<'c>(
    context: &'c Context,
    function: &HirFunction,
    symbol: &str,
    is_method: bool,
) -> Built<Operation<'c>> {
    let mut inputs = Vec::new();
    for (index, parameter) in function.parameters().iter().enumerate() {
        let receiver = is_method && index == 0;
        inputs.push(match receiver {
            true => crate::types::pointer_type(context),
            false => declared_type(context, &parameter.ty, parameter.span)?,
        });
    }
    let outputs = match &function.result {
        HirType::Void => vec![],
        ty => vec![declared_type(context, ty, function.span)?],
    };
    let ty = FunctionType::new(context, &inputs, &outputs);
    let private = Attribute::parse(context, "\"private\"");
    let visibility = private.map(|private| ("sym_visibility", private));
    func(
        context,
        symbol,
        ty,
        Region::new(),
        visibility.as_slice(),
        function.span,
    )
}

pub(crate) fn func<'c>(
    context: &'c Context,
    symbol: &str,
    ty: FunctionType<'c>,
    region: Region<'c>,
    attributes: &[(&str, Attribute<'c>)],
    span: Span,
) -> Built<Operation<'c>> {
    let block = Block::new(&[]);
    let at = At {
        context,
        block: &block,
        location: span_location(context, span),
    };
    let mut all = vec![
        at.named("sym_name", at.string(symbol)),
        at.named("function_type", TypeAttribute::new(ty.into())),
    ];
    all.extend(
        attributes
            .iter()
            .map(|&(name, value)| at.named(name, value)),
    );
    build(
        at.operation("func.func")
            .add_attributes(&all)
            .add_regions([region]),
    )
}

/// The members of what a body hands back.
fn flatten<'c, 'b>(
    value: Lowered<'c, 'b>,
    into: &mut Vec<Operand<'c, 'b>>,
    function: &HirFunction,
) -> Built<()> {
    match value {
        Lowered::Operand(operand) => into.push(operand),
        Lowered::Tuple(members) => {
            for member in members {
                flatten(member, into, function)?;
            }
        }
        Lowered::Function(_) => return Unlowered::refused("a function as a result", function.span),
    }
    Ok(())
}

/// A result as a buffer of its own: what a generic or a sort has written, or a copy of a view and
/// of what is handed back already.
fn owned<'c: 'b, 'b>(
    at: At<'c, 'b>,
    result: &Operand<'c, 'b>,
    earlier: &[Value<'c, 'b>],
    function: &HirFunction,
) -> Built<Value<'c, 'b>> {
    let Operand::Tensor(value, tensor) = result else {
        return Unlowered::refused("a scalar result", function.span);
    };
    if !value.is_operation_result() {
        return Unlowered::refused("an argument handed back unchanged", function.span);
    }
    let made = OperationResult::try_from(*value).map_err(internal)?;
    let name = made.owner().name();
    let written = matches!(
        name.as_string_ref().as_str(),
        Ok("linalg.generic" | "bufferization.to_tensor")
    );
    if written && !earlier.contains(value) {
        return Ok(*value);
    }
    let map = IndexMap::identity(tensor.rank());
    movement::copy(at, *value, map, tensor, function.span)
}

/// A failed definition of the whole module's text.
pub(crate) fn failed(unlowered: Unlowered) -> MlirError {
    match unlowered {
        Unlowered::Failed(error) => error,
        Unlowered::Refused { reason, span, .. } => MlirError::UnsupportedType { ty: reason, span },
    }
}
