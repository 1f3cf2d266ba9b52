//! Loops whose steps threads share: each becomes a function of its own, a task, that computes a
//! range of the steps, and in its place stands a call that hands the task to the caller's threads
//! (the ABI, §Threads).
//!
//! A schedule marks a loop on buffers whose steps write elements of their own. What the mark says
//! is checked; a loop that does not bear it out stays a loop.

mod apart;
mod call;
mod task;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use melior::Context;
use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{
    OperationLike, OperationMutLike, OperationRefMut, WalkOrder, WalkResult,
};
use melior::ir::r#type::FunctionType;
use melior::ir::{Module, OperationRef, RegionLike, Type, Value, ValueLike};

use crate::rewrite::{block_of, is_view, is_within, name_of, nested, operations, source, users};
use crate::share::apart::steps_are_apart;
use crate::share::task::Task;
use crate::{Failure, MlirError, Session};

pub use call::define_sharing;

/// The attribute of a loop that may be shared.
pub const SHARED: &str = "neuro.shared";

/// Makes a task of each marked loop. The functions with one, whose symbols this gives, take two
/// more parameters: the code that shares a loop, and what that code is called with.
pub fn outline_shared_loops<'c>(
    session: &'c Session,
    module: &Module<'c>,
) -> Result<HashSet<String>, MlirError> {
    let mut sharing = HashSet::new();
    let mut next = module.body().first_operation();
    while let Some(function) = next {
        next = function.next_in_block();
        let symbol = function.attribute("sym_name");
        let Ok(symbol) = symbol.and_then(StringAttribute::try_from) else {
            continue;
        };
        let shared = outline(session, function, symbol.value());
        let failed = |error: melior::Error| Failure::new(error.to_string());
        if shared.map_err(|error| MlirError::PassPipelineFailed(failed(error)))? {
            sharing.insert(symbol.value().to_string());
        }
    }
    session.dump_after("share", module)?;
    Ok(sharing)
}

/// Whether the function has a task now.
fn outline<'c>(
    session: &'c Session,
    function: OperationRef<'c, '_>,
    symbol: &str,
) -> Result<bool, melior::Error> {
    let mut tasks = Vec::new();
    for shared in marked_loops(function) {
        if !steps_are_apart(shared) {
            continue;
        }
        tasks.extend(Task::of(session.context(), shared)?);
    }
    if tasks.is_empty() {
        return Ok(false);
    }
    let threads = add_pointers(session, function)?;
    for (number, task) in tasks.into_iter().enumerate() {
        task.place(session.context(), function, symbol, number, threads)?;
    }
    Ok(true)
}

/// The outermost ones.
fn marked_loops<'c, 'a>(function: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut loops = Vec::new();
    function.walk(WalkOrder::PreOrder, |operation| {
        let is_loop = operation.name().as_string_ref().as_str() == Ok("scf.for");
        if !is_loop || !operation.has_attribute(SHARED) {
            return WalkResult::Advance;
        }
        // SAFETY: the walk gives operations of the function, which live as long as it does.
        loops.push(unsafe { OperationRef::from_raw(operation.to_raw()) });
        WalkResult::Skip
    });
    loops
}

/// Two more parameters, both pointers.
fn add_pointers<'c, 'a>(
    session: &'c Session,
    function: OperationRef<'c, 'a>,
) -> Result<[Value<'c, 'a>; 2], melior::Error> {
    let context = session.context();
    let pointer = pointer_type(context);
    let region = function.region(0)?;
    let block = region.first_block().ok_or_else(|| no_block(function))?;
    let pointers = [0, 1].map(|_| block.add_argument(pointer, function.location()));
    let inputs: Vec<Type> = (0..block.argument_count())
        .map(|index| Ok(block.argument(index)?.r#type()))
        .collect::<Result<_, melior::Error>>()?;
    let ty = FunctionType::new(context, &inputs, &[]);
    // SAFETY: the function is one of the module that the caller may change.
    let mut function = unsafe { OperationRefMut::from_raw(function.to_raw()) };
    function.set_inherent_attribute("function_type", TypeAttribute::new(ty.into()).into());
    Ok(pointers)
}

fn pointer_type(context: &Context) -> Type<'_> {
    melior::dialect::llvm::r#type::pointer(context, 0)
}

fn no_block(function: OperationRef<'_, '_>) -> melior::Error {
    melior::Error::OperationExpected {
        expected: "an operation of a block",
        actual: function.to_string(),
    }
}

/// Whether each task may have a buffer of its own in the place of this one: only the loop uses it,
/// and each step writes it before it reads any of it.
fn is_scratch<'c, 'a>(buffer: Value<'c, 'a>, shared: OperationRef<'c, 'a>) -> bool {
    let uses = |operation: &OperationRef<'c, 'a>| {
        !is_view(&name_of(*operation)) && operation.operands().any(|one| source(one) == buffer)
    };
    let is_written_first = || {
        let step = block_of(shared).map(operations).unwrap_or_default();
        let users = step
            .into_iter()
            .map(|one| nested(one).into_iter().filter(uses));
        let mut users = users.map(Iterator::collect::<Vec<OperationRef>>);
        let first = users.find(|users| !users.is_empty()).unwrap_or_default();
        !first.is_empty() && first.into_iter().all(|user| only_writes(user, buffer))
    };
    only_used_in(buffer, shared) && is_written_first()
}

/// Whether an operation writes a buffer, and reads nothing of it.
fn only_writes<'c, 'a>(operation: OperationRef<'c, 'a>, buffer: Value<'c, 'a>) -> bool {
    let count = operation.operand_count();
    let of_buffer = (0..count).filter(|&index| {
        let operand = operation.operand(index);
        operand.is_ok_and(|operand| source(operand) == buffer)
    });
    let written = match name_of(operation).as_str() {
        "vector.transfer_write" | "vector.store" | "memref.store" | "memref.copy" => 1,
        "vector.maskedstore" => 0,
        "linalg.generic" => {
            let before = block_of(operation).and_then(|block| block.argument(count - 1).ok());
            match before.is_some_and(|before| users(before.into()).is_empty()) {
                true => count - 1,
                false => return false,
            }
        }
        _ => return false,
    };
    of_buffer.eq([written])
}

/// Whether only the loop uses a buffer, or a view of it, and what frees it.
fn only_used_in<'c, 'a>(buffer: Value<'c, 'a>, shared: OperationRef<'c, 'a>) -> bool {
    users(buffer).into_iter().all(|user| {
        if is_within(user, shared) {
            return true;
        }
        let name = name_of(user);
        let view = user.result(0).map(Value::from);
        name == "memref.dealloc"
            || is_view(&name)
                && view.is_ok_and(|view| !users(view).is_empty() && only_used_in(view, shared))
    })
}
