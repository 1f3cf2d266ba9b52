//! What a definition takes, as the arguments of its block.

use std::collections::HashMap;
use std::rc::Rc;

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::{Location, Type, Value};
use mlir_pipeline::span_location;
use neuro_hir::{HirExpr, HirExprKind, HirFunction, HirStatementKind, HirType, LocalId};
use shared_types::Span;

use crate::at::{At, Built, internal};
use crate::body::{Body, Lowered};
use crate::buffers::to_tensor;
use crate::elementwise::Operand;
use crate::function::Manner;
use crate::function_value::{self, FunctionValue};
use crate::scalar_function::{ScalarFunction, ScalarFunctions};
use crate::types::{buffer_type, scalar_type, tensor_type};
use crate::unlowered::Unlowered;

/// What a definition takes.
pub(crate) struct Signature<'f> {
    function: &'f HirFunction,
    /// The parameter that is a buffer.
    target: Option<usize>,
    linked: bool,
    /// The functions that its one call passes, where bodies find them.
    pub passed: HashMap<LocalId, Rc<ScalarFunction>>,
}

impl<'f> Signature<'f> {
    pub(crate) fn of(function: &'f HirFunction, manner: Manner<'_>) -> Built<Self> {
        Ok(Signature {
            function,
            target: assigned_parameter(function),
            linked: manner.tier.is_some(),
            passed: passed(function, manner.functions)?,
        })
    }

    /// The types of a definition's block arguments: a function value of a body to link is two
    /// pointers, or what it has captured.
    pub(crate) fn inputs<'c>(&self, context: &'c Context) -> Built<Vec<(Type<'c>, Location<'c>)>> {
        let mut inputs = Vec::new();
        for (index, parameter) in self.function.parameters().iter().enumerate() {
            let types = match (parameter.ty.as_tensor(), parameter.ty.referent()) {
                (Some(tensor), _) if self.target == Some(index) => {
                    vec![buffer_type(context, tensor, parameter.span)?]
                }
                (_, HirType::Function(_)) => match self.passed.get(&LocalId(index as u32)) {
                    Some(passed) => {
                        let captures = passed.captures.iter();
                        let types = captures.map(|capture| scalar_type(context, capture.scalar));
                        types.collect()
                    }
                    None => function_value::parameter_types(context, self.linked),
                },
                _ => vec![operand_type(context, &parameter.ty, parameter.span)?],
            };
            let location = span_location(context, parameter.span);
            inputs.extend(types.into_iter().map(|ty| (ty, location)));
        }
        Ok(inputs)
    }

    /// Binds the parameters to those arguments. The answer is where the pointers of function values
    /// lie among the parameters of the LLVM function.
    pub(crate) fn bind<'c: 'b, 'b>(
        &self,
        body: &mut Body<'c, 'b, '_>,
        entry: At<'c, 'b>,
    ) -> Built<Vec<usize>> {
        let mut arguments = 0..entry.block.argument_count();
        let mut argument = || {
            let index = arguments.next().unwrap_or_default();
            Ok::<Value, Unlowered>(entry.block.argument(index).map_err(internal)?.into())
        };
        let mut function_pointers = Vec::new();
        let mut words = 0;
        for (index, parameter) in self.function.parameters().iter().enumerate() {
            let local = LocalId(index as u32);
            if let Some(passed) = self.passed.get(&local) {
                let captured = passed.captures.iter().map(|_| argument());
                let captured = captured.collect::<Built<Vec<_>>>()?;
                words += captured.len();
                let value = FunctionValue::known(passed.clone(), captured);
                body.bind(local, Lowered::Function(value));
                continue;
            }
            let mut value = argument()?;
            if let HirType::Function(signature) = parameter.ty.referent() {
                let callee = if self.linked {
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
            if let (Some(tensor), true) = (parameter.ty.as_tensor(), self.target == Some(index)) {
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
}

/// The functions that the one call of a body passes.
fn passed(
    function: &HirFunction,
    functions: Option<ScalarFunctions<'_>>,
) -> Built<HashMap<LocalId, Rc<ScalarFunction>>> {
    let mut passed = HashMap::new();
    let Some(find) = functions else {
        return Ok(passed);
    };
    for (index, parameter) in function.parameters().iter().enumerate() {
        if let HirType::Function(_) = parameter.ty.referent() {
            let local = LocalId(index as u32);
            let place = HirExpr {
                kind: HirExprKind::Local(local),
                ty: parameter.ty.clone(),
                span: parameter.span,
            };
            passed.insert(local, Rc::new(find(function, &place)?));
        }
    }
    Ok(passed)
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

/// A parameter of a definition: numbers, bools and tensors of them, owned or borrowed.
fn operand_type<'c>(context: &'c Context, ty: &HirType, span: Span) -> Built<Type<'c>> {
    if let Some(tensor) = ty.as_tensor() {
        return tensor_type(context, tensor, span);
    }
    match ty.as_scalar() {
        Some(scalar) => Ok(scalar_type(context, scalar)),
        None => Unlowered::refused(format!("a parameter of type `{ty}`"), span),
    }
}
