//! The names of a program's functions beside those of the C library. A pass that needs `malloc`
//! takes what has the name already, so the program's functions get theirs when all passes are done.

use std::collections::HashSet;
use std::iter::successors;

use melior::Context;
use melior::ir::Module;
use melior::ir::attribute::StringAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike};

use crate::MlirError;
use crate::location::location_span;

/// Stands before each name until then; no name begins so.
pub const NAME_PREFIX: &str = ".";

/// Gives the functions their own names. No code refers to them: a body calls no function by name.
///
/// # Errors
/// [`MlirError::NameTaken`] where the code calls another function of the name.
pub fn restore_names(context: &Context, module: &Module<'_>) -> Result<(), MlirError> {
    let body = module.body();
    let operations = || successors(body.first_operation_mut(), |last| last.next_in_block_mut());
    let names: Vec<String> = operations().map(|operation| name(&operation)).collect();
    let taken: HashSet<&str> = names.iter().map(String::as_str).collect();
    for (mut operation, name) in operations().zip(&names) {
        let Some(own) = name.strip_prefix(NAME_PREFIX) else {
            continue;
        };
        if taken.contains(own) {
            return Err(MlirError::NameTaken {
                name: own.to_string(),
                span: location_span(operation.location()).unwrap_or_default(),
            });
        }
        operation.set_attribute(SYMBOL, StringAttribute::new(context, own).into());
    }
    Ok(())
}

const SYMBOL: &str = "sym_name";

fn name<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> String {
    let symbol = operation.attribute(SYMBOL);
    let symbol = symbol.and_then(StringAttribute::try_from);
    symbol.map_or(String::new(), |symbol| symbol.value().to_string())
}
