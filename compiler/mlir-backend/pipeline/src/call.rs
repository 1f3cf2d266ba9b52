//! Calls of functions of the module that do nothing but compute, as values.
//!
//! Until fusion is done such a call is a cast, as a check is: so it is moved, repeated and dropped
//! with what it belongs to, which MLIR does not do with calls (docs/upstream.md).

use melior::Context;
use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::{Identifier, Location, Type, Value, ValueLike};

use crate::MlirError;
use crate::rewrite::{Place, destroy, internal, nested, replace_uses};

/// A call as a value.
pub struct Call<'c, 'r, 's> {
    pub callee: &'s str,
    /// Any value of a type that no result has: a cast to the types that it is of would be dropped.
    pub tag: Value<'c, 'r>,
    pub arguments: &'s [Value<'c, 'r>],
    pub results: &'s [Type<'c>],
}

const CALLEE: &str = "neuro.callee";

impl<'c> Call<'c, '_, '_> {
    pub fn operation(&self, context: &'c Context, location: Location<'c>) -> OperationBuilder<'c> {
        let callee = FlatSymbolRefAttribute::new(context, self.callee);
        OperationBuilder::new("builtin.unrealized_conversion_cast", location)
            .add_operands(&[self.tag])
            .add_operands(self.arguments)
            .add_attributes(&[(Identifier::new(context, CALLEE), callee.into())])
            .add_results(self.results)
    }
}

/// The calls in a function.
pub(crate) fn calls<'c, 'a>(function: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut calls = nested(function);
    calls.retain(|call| call.attribute(CALLEE).is_ok());
    calls
}

/// Makes each of them a call.
pub(crate) fn lower_calls<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
) -> Result<(), MlirError> {
    for call in calls(function) {
        let place =
            Place::before(context, call).ok_or_else(|| internal("a call without a block"))?;
        let callee = call.attribute(CALLEE).map_err(internal)?;
        let arguments: Vec<Value> = call.operands().skip(1).collect();
        let results: Vec<Value> = call.results().map(Value::from).collect();
        let types: Vec<Type> = results.iter().map(|result| result.r#type()).collect();
        let lowered = place
            .operation("func.call")
            .add_attributes(&[place.named("callee", callee)])
            .add_operands(&arguments)
            .add_results(&types);
        let lowered = place.build(lowered)?;
        for (index, result) in results.into_iter().enumerate() {
            replace_uses(result, lowered.result(index).map_err(internal)?.into());
        }
        destroy(call);
    }
    Ok(())
}
