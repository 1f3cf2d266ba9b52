//! A function as `func.func`: a definition where the body lowers, else a declaration (backend
//! specification, §Lowering Rules).

use std::collections::HashMap;

use melior::Context;
use melior::ir::attribute::{Attribute, TypeAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationResult};
use melior::ir::r#type::FunctionType;
use melior::ir::{Block, Location, Operation, Region, RegionLike, Type, Value, ValueLike};
use mlir_pipeline::{MlirError, span_location};
use neuro_hir::{HirExpr, HirExprKind, HirFunction, HirStatementKind, HirType, LocalId, Tier};

use crate::affine::IndexMap;
use crate::at::{At, Built, build, internal};
use crate::body::{Body, Lowered};
use crate::buffers::to_tensor;
use crate::check::{Check, Checks, IterationSpace};
use crate::contraction_shape::ContractionShape;
use crate::elementwise::Operand;
use crate::sort::SortForm;
use crate::traversal::{FunctionValue, Traversal};
use crate::types::{buffer_type, declared_type, scalar_type, tensor_type};
use crate::unlowered::Unlowered;
use crate::{movement, traversal};

/// A defined body and what its status word speaks of.
pub(crate) struct Definition<'c> {
    pub operation: Operation<'c>,
    pub checks: Vec<Check>,
    pub spaces: Vec<IterationSpace>,
    pub contractions: Vec<ContractionShape>,
    pub traversals: Vec<Traversal>,
    /// The parameters that a slice reads its source at, with the extent that they are below.
    pub positions: HashMap<LocalId, u64>,
    /// Where the pointers of function values lie among the parameters of the LLVM function.
    pub function_pointers: Vec<usize>,
}

/// The function as a definition named `symbol`. With a tier it is one to link: the body checks its
/// integers, and a function value is two pointers.
pub(crate) fn define<'c>(
    context: &'c Context,
    function: &HirFunction,
    symbol: &str,
    tier: Option<Tier>,
    sorts: SortForm,
    constants: &HashMap<&str, &HirExpr>,
) -> Built<Definition<'c>> {
    let linked = tier.is_some();
    let target = assigned_parameter(function);
    let block = Block::new(&inputs(context, function, target, linked)?);
    let entry = At {
        context,
        block: &block,
        location: span_location(context, function.span),
    };
    let mut body = Body::new(entry, constants, sorts, Checks::new(entry, tier));
    let function_pointers = bind_parameters(&mut body, entry, function, target, linked)?;
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
    entry.append(build(entry.operation("func.return").add_operands(&values))?);
    let outputs: Vec<Type> = values.iter().map(|value| value.r#type()).collect();
    let inputs = (0..block.argument_count())
        .map(|index| Ok(block.argument(index).map_err(internal)?.r#type()))
        .collect::<Built<Vec<_>>>()?;
    let region = Region::new();
    region.append_block(block);
    let ty = FunctionType::new(context, &inputs, &outputs);
    Ok(Definition {
        operation: func(context, symbol, ty, region, &[], function)?,
        checks: list,
        spaces,
        contractions,
        traversals,
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

/// The types of a definition's block arguments: the parameter at `target` is a buffer, a function
/// value of a body to link is two pointers.
fn inputs<'c>(
    context: &'c Context,
    function: &HirFunction,
    target: Option<usize>,
    linked: bool,
) -> Built<Vec<(Type<'c>, Location<'c>)>> {
    let mut inputs = Vec::new();
    for (index, parameter) in function.parameters().iter().enumerate() {
        let types = match (parameter.ty.as_tensor(), parameter.ty.referent()) {
            (Some(tensor), _) if target == Some(index) => {
                vec![buffer_type(context, tensor, parameter.span)?]
            }
            (_, HirType::Function(_)) => traversal::parameter_types(context, linked),
            _ => vec![operand_type(context, &parameter.ty, parameter.span)?],
        };
        let location = span_location(context, parameter.span);
        inputs.extend(types.into_iter().map(|ty| (ty, location)));
    }
    Ok(inputs)
}

/// Binds the parameters to the arguments of the block of [`inputs`]. The answer is where the
/// pointers of function values lie among the parameters of the LLVM function.
fn bind_parameters<'c: 'b, 'b>(
    body: &mut Body<'c, 'b, '_>,
    entry: At<'c, 'b>,
    function: &HirFunction,
    target: Option<usize>,
    linked: bool,
) -> Built<Vec<usize>> {
    let mut arguments = 0..entry.block.argument_count();
    let mut argument = || {
        let index = arguments.next().unwrap_or_default();
        Ok::<Value, Unlowered>(entry.block.argument(index).map_err(internal)?.into())
    };
    let mut function_pointers = Vec::new();
    let mut words = 0;
    for (index, parameter) in function.parameters().iter().enumerate() {
        let local = LocalId(index as u32);
        let mut value = argument()?;
        if let HirType::Function(signature) = parameter.ty.referent() {
            let callee = if linked {
                function_pointers.extend([words, words + 1]);
                FunctionValue::of_pointers([value, argument()?], signature)
            } else {
                FunctionValue::of_pair(entry, value, signature)?
            };
            if let Some(callee) = callee {
                body.bind(local, Lowered::Function(callee));
            }
            words += 2;
            continue;
        }
        if let (Some(tensor), true) = (parameter.ty.as_tensor(), target == Some(index)) {
            body.bind_target(local, value);
            let ty = tensor_type(entry.context, tensor, parameter.span)?;
            // As they are before the assignment.
            value = to_tensor(entry, value, ty)?;
        }
        let operand = match (parameter.ty.as_tensor(), parameter.ty.as_scalar()) {
            (Some(tensor), _) => Operand::Tensor(value, tensor.clone()),
            (None, Some(scalar)) => Operand::Scalar(value, scalar),
            (None, None) => continue,
        };
        words += parameter
            .ty
            .as_tensor()
            .map_or(1, |tensor| 3 + 2 * tensor.rank());
        body.bind(local, Lowered::Operand(operand));
    }
    Ok(function_pointers)
}

/// The `&mut` tensor parameter that the body ends in assigning to, by its position.
fn assigned_parameter(function: &HirFunction) -> Option<usize> {
    let HirStatementKind::CompoundAssign { place, .. } = &function.body.statements.last()?.kind
    else {
        return None;
    };
    let HirExprKind::Local(LocalId(index)) = place.kind else {
        return None;
    };
    let parameter = function.parameters().get(index as usize)?;
    matches!(parameter.ty, HirType::Reference { mutable: true, .. }).then_some(index as usize)
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
        function,
    )
}

fn func<'c>(
    context: &'c Context,
    symbol: &str,
    ty: FunctionType<'c>,
    region: Region<'c>,
    attributes: &[(&str, Attribute<'c>)],
    function: &HirFunction,
) -> Built<Operation<'c>> {
    let block = Block::new(&[]);
    let at = At {
        context,
        block: &block,
        location: span_location(context, function.span),
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

/// A parameter of a definition: numbers, bools and tensors of them, owned or borrowed.
fn operand_type<'c>(
    context: &'c Context,
    ty: &HirType,
    span: shared_types::Span,
) -> Built<Type<'c>> {
    if let Some(tensor) = ty.as_tensor() {
        return tensor_type(context, tensor, span);
    }
    match ty.as_scalar() {
        Some(scalar) => Ok(scalar_type(context, scalar)),
        None => Unlowered::refused(format!("a parameter of type `{ty}`"), span),
    }
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
