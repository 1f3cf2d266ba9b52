//! What several rewrites here ask of MLIR.

use std::collections::HashSet;
use std::ffi::c_void;

use melior::ir::attribute::StringAttribute;
use melior::ir::block::{BlockArgument, BlockLike};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationResult};
use melior::ir::{Module, Operation, OperationRef, Value};
pub use mlir_pipeline::rewrite::destroy;
pub(crate) use mlir_pipeline::rewrite::{
    Place, Rewritten, block_of, changed, internal, name_of, nested, operations, replace_uses,
};

/// The operations of a module's own block.
pub(crate) fn top<'c: 'a, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    operations(module.body())
}

/// The operations of a region, to ask of.
pub(crate) struct Inside(HashSet<*const c_void>);

impl Inside {
    pub(crate) fn of(operations: &[OperationRef<'_, '_>]) -> Self {
        let pointers = operations
            .iter()
            .map(|operation| operation.to_raw().ptr.cast_const());
        Inside(pointers.collect())
    }

    /// Whether one of them makes the value, or a block of one of them takes it.
    pub(crate) fn makes<'c: 'a, 'a>(&self, value: Value<'c, 'a>) -> bool {
        let owner = match OperationResult::try_from(value) {
            Ok(result) => Some(result.owner().to_raw()),
            Err(_) => BlockArgument::try_from(value).ok().and_then(|argument| {
                let owner = argument.owner().parent_operation()?;
                Some(owner.to_raw())
            }),
        };
        owner.is_some_and(|owner| self.0.contains(&owner.ptr.cast_const()))
    }
}

pub(crate) fn symbol(operation: OperationRef<'_, '_>) -> Option<String> {
    let symbol = operation.attribute("sym_name");
    let symbol = symbol.and_then(StringAttribute::try_from);
    symbol.ok().map(|symbol| symbol.value().to_string())
}

/// Takes the operation out of its block, for another to own.
pub(crate) fn taken<'c>(operation: OperationRef<'c, '_>) -> Operation<'c> {
    changed(operation).remove_from_parent();
    // SAFETY: it has no other owner now.
    unsafe { Operation::from_raw(operation.to_raw()) }
}

/// Whether only kernels call a function: it is no host function.
pub fn is_of_kernels(function: OperationRef<'_, '_>) -> bool {
    let visibility = function.attribute("sym_visibility");
    let visibility = visibility.and_then(StringAttribute::try_from);
    visibility.is_ok_and(|visibility| visibility.value() == "private")
}

/// Moves the functions of a module to the end of another one of the same context, which may declare
/// them.
pub fn move_functions<'c>(from: Module<'c>, to: &Module<'c>) {
    let functions = top(&from);
    let moved: HashSet<String> = functions.iter().copied().filter_map(symbol).collect();
    for declaration in top(to) {
        if symbol(declaration).is_some_and(|name| moved.contains(&name)) {
            destroy(declaration);
        }
    }
    for function in functions {
        to.body().append_operation(taken(function));
    }
}
