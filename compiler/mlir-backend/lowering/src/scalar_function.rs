//! Functions of scalars that are known where a program is compiled. A body calls such a function by
//! a symbol, which its module declares; what defines it joins the module later.

use ast_types::BinaryOp;
use melior::Context;
use melior::ir::attribute::Attribute;
use melior::ir::r#type::FunctionType;
use melior::ir::{Operation, Region, Type, Value};
use mlir_pipeline::{Call, NotLowered};
use neuro_hir::{HirExpr, HirFunction, LocalId};
use shared_types::{ScalarType, Span};

use crate::at::{At, Built, build};
use crate::check::{CheckKind, Checks, Point};
use crate::function::func;
use crate::types::{integer_type, scalar_type};

/// Finds the function that an expression in a body is: a closure or a name, or the parameter in
/// whose place the body's one call passes it.
pub type ScalarFunctions<'s> =
    &'s (dyn Fn(&HirFunction, &HirExpr) -> Result<ScalarFunction, NotLowered> + 's);

/// A function over numbers and bools. It takes what it has captured before its parameters.
#[derive(Clone, Debug)]
pub struct ScalarFunction {
    pub symbol: String,
    pub captures: Vec<Capture>,
    pub parameters: Vec<ScalarType>,
    pub result: ScalarType,
    /// Where there are some it gives an `i64` beside its result: 0, or which of these failed, from
    /// 1. The result is of no meaning then.
    pub checks: Vec<ScalarCheck>,
    pub span: Span,
}

/// A scalar that a closure reads from outside.
#[derive(Clone, Debug)]
pub struct Capture {
    /// Where the closure stands.
    pub local: LocalId,
    pub name: String,
    pub scalar: ScalarType,
}

pub type ScalarCheck = (BinaryOp, CheckKind, Span);

impl ScalarFunction {
    /// The result, then the number of the check that failed.
    pub(crate) fn results<'c>(&self, context: &'c Context) -> Vec<Type<'c>> {
        let number = (!self.checks.is_empty()).then(|| integer_type(context, 64));
        let result = scalar_type(context, self.result);
        [result].into_iter().chain(number).collect()
    }

    pub(crate) fn declare<'c>(&self, context: &'c Context) -> Built<Operation<'c>> {
        let captures = self.captures.iter().map(|capture| capture.scalar);
        let inputs = captures.chain(self.parameters.iter().copied());
        let inputs: Vec<Type> = inputs.map(|scalar| scalar_type(context, scalar)).collect();
        let ty = FunctionType::new(context, &inputs, &self.results(context));
        let private = Attribute::parse(context, "\"private\"");
        let visibility = private.map(|private| ("sym_visibility", private));
        let (symbol, body) = (&self.symbol, Region::new());
        func(context, symbol, ty, body, visibility.as_slice(), self.span)
    }

    pub(crate) fn call<'c, 'r>(
        &self,
        at: At<'c, 'r>,
        captured: &[Value<'c, 'r>],
        arguments: &[Value<'c, 'r>],
    ) -> Built<Operation<'c>> {
        let call = Call {
            callee: &self.symbol,
            tag: at.index(0)?,
            arguments: &[captured, arguments].concat(),
            results: &self.results(at.context),
        };
        build(call.operation(at.context, at.location))
    }

    /// `value`, after the function's checks, of which `number` failed.
    pub(crate) fn checked<'c: 'b, 'b, 'r>(
        &self,
        at: At<'c, 'r>,
        checks: &mut Checks<'c, 'b>,
        point: Point<'c, 'r>,
        number: Value<'c, 'r>,
        mut value: Value<'c, 'r>,
    ) -> Built<Value<'c, 'r>> {
        const EQUAL: i64 = melior::dialect::arith::CmpiPredicate::Eq as i64;
        for (check, this) in self.checks.iter().zip(1..) {
            let this = at.integer(64, this)?;
            let failed = at.compare("arith.cmpi", EQUAL, number, this)?;
            value = checks.check(at, point, failed, value, *check)?;
        }
        Ok(value)
    }
}
