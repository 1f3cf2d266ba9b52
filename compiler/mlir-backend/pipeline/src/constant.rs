use melior::ir::Value;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationResult};

/// The value of an integer constant.
pub fn integer_constant(value: Value<'_, '_>) -> Option<i64> {
    let owner = OperationResult::try_from(value).ok()?.owner();
    let value = owner.attribute("value").ok()?;
    let is_constant = owner.name().as_string_ref().as_str() == Ok("arith.constant");
    let value = IntegerAttribute::try_from(value).ok()?;
    is_constant.then(|| value.value())
}
