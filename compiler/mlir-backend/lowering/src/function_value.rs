//! Function values over numbers and bools, as bodies call them: through pointers, or by a symbol
//! where the function is known.

use std::rc::Rc;

use melior::ir::attribute::{Attribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{Block, Operation, Region, RegionLike, Type, Value};
use neuro_hir::FunctionType;
use shared_types::{ScalarClass, ScalarType, Span};

use crate::at::{At, Built, build, internal};
use crate::check::Checks;
use crate::fill::number;
use crate::scalar_function::ScalarFunction;
use crate::types::{pointer_type, scalar_type};

/// A function value over numbers and bools, as a body has it.
#[derive(Clone)]
pub(crate) struct FunctionValue<'c, 'b> {
    code: Code<'c, 'b>,
    pub parameters: Vec<ScalarType>,
    pub result: ScalarType,
}

#[derive(Clone)]
enum Code<'c, 'b> {
    /// Its code, which takes its environment before the arguments, and that.
    Pointers([Value<'c, 'b>; 2]),
    Known {
        function: Rc<ScalarFunction>,
        captured: Vec<Value<'c, 'b>>,
    },
}

impl<'c: 'b, 'b> FunctionValue<'c, 'b> {
    /// From the two pointers that stand for it in a linked body's signature; `None` where the
    /// function is not one over numbers and bools.
    pub(crate) fn of_pointers(
        pointers: [Value<'c, 'b>; 2],
        signature: &FunctionType,
    ) -> Option<Self> {
        let (parameters, result) = signature.element_types()?;
        Some(FunctionValue {
            code: Code::Pointers(pointers),
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

    pub(crate) fn known(function: Rc<ScalarFunction>, captured: Vec<Value<'c, 'b>>) -> Self {
        FunctionValue {
            parameters: function.parameters.clone(),
            result: function.result,
            code: Code::Known { function, captured },
        }
    }

    /// Whether it is called through its pointers, by whoever made them.
    pub(crate) fn is_called_back(&self) -> bool {
        match self.code {
            Code::Pointers(_) => true,
            Code::Known { .. } => false,
        }
    }

    /// Whether a check of it may fail, as its caller sees.
    pub(crate) fn may_fail(&self) -> bool {
        match &self.code {
            Code::Pointers(_) => false,
            Code::Known { function, .. } => !function.checks.is_empty(),
        }
    }

    /// What a call in the region of an operation gives, where `intact` says that no earlier check
    /// has failed; else zeros.
    fn call_while<'r>(
        &self,
        at: At<'c, 'r>,
        intact: Option<Value<'c, 'r>>,
        arguments: &[Value<'c, 'r>],
    ) -> Built<Vec<Value<'c, 'r>>> {
        let Some(intact) = intact else {
            return append(at, self.call(at, arguments)?);
        };
        let types = match &self.code {
            Code::Pointers(_) => vec![scalar_type(at.context, self.result)],
            Code::Known { function, .. } => function.results(at.context),
        };
        let call = branch(at, |at| append(at, self.call(at, arguments)?))?;
        let zeros = branch(at, |at| {
            let mut zeros = vec![number(at, self.result, 0)?];
            for _ in 1..types.len() {
                zeros.push(at.integer(64, 0)?);
            }
            Ok(zeros)
        })?;
        let operation = at
            .operation("scf.if")
            .add_operands(&[intact])
            .add_results(&types)
            .add_regions([call, zeros]);
        append(at, build(operation)?)
    }

    fn call(&self, at: At<'c, '_>, arguments: &[Value<'c, '_>]) -> Built<Operation<'c>> {
        let pointers = match &self.code {
            Code::Pointers(pointers) => pointers,
            Code::Known { function, captured } => return function.call(at, captured, arguments),
        };
        let segments = [(pointers.len() + arguments.len()) as i32, 0];
        let array = |values: &[i32]| DenseI32ArrayAttribute::new(at.context, values);
        build(
            at.operation("llvm.call")
                .add_attributes(&[
                    at.named("arg_attrs", self.extensions(at)?),
                    at.named("op_bundle_sizes", array(&[])),
                    at.named("operandSegmentSizes", array(&segments)),
                ])
                .add_operands(pointers)
                .add_operands(arguments)
                .add_results(&[scalar_type(at.context, self.result)]),
        )
    }

    /// The function at a point of operation `number`, whose dimensions are all of `rank`.
    pub(crate) fn apply<'r>(
        &self,
        at: At<'c, 'r>,
        checks: &mut Checks<'c, 'b>,
        (number, rank, span): (usize, usize, Span),
        intact: Option<Value<'c, 'r>>,
        arguments: &[Value<'c, 'r>],
    ) -> Built<Value<'c, 'r>> {
        match (&self.code, &self.call_while(at, intact, arguments)?[..]) {
            (Code::Known { function, .. }, &[value, failed]) => {
                let dimensions: Vec<usize> = (0..rank).collect();
                let point = checks.point(at, number, &dimensions, span)?;
                function.checked(at, checks, point, failed, value)
            }
            (_, results) => Ok(results[0]),
        }
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

fn append<'c: 'r, 'r>(at: At<'c, 'r>, operation: Operation<'c>) -> Built<Vec<Value<'c, 'r>>> {
    let operation = at.append(operation);
    let results = (0..operation.result_count()).map(|index| at.result(operation, index));
    results.collect()
}

/// A region that gives some values.
fn branch<'c, 'r>(
    at: At<'c, 'r>,
    body: impl for<'i> FnOnce(At<'c, 'i>) -> Built<Vec<Value<'c, 'i>>>,
) -> Built<Region<'c>> {
    let block = Block::new(&[]);
    {
        let inner = At {
            context: at.context,
            block: &block,
            location: at.location,
        };
        let values = body(inner)?;
        inner.append(build(inner.operation("scf.yield").add_operands(&values))?);
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
