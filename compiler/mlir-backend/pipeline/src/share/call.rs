//! A shared loop in LLVM IR: what calls the caller's threads, and what they call.

use inkwell::builder::BuilderError;
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{BasicMetadataValueEnum, FunctionValue};
use inkwell::{AddressSpace, IntPredicate};

use crate::{Failure, MlirError};

/// The name of a task. A body's own is a C identifier.
pub(crate) fn task_name(symbol: &str, number: usize) -> String {
    format!("{symbol}.task{number}")
}

/// The name of what shares it.
pub(crate) fn share_name(symbol: &str, number: usize) -> String {
    format!("{symbol}.share{number}")
}

/// Defines what [`crate::outline_shared_loops`] declared. `share` puts its arguments after the
/// first three into an array of 64-bit words, and calls the code that shares loops with its pool,
/// the count of steps, the task's entry and the array; without such code it calls the entry for all
/// steps. The entry takes the array and a range of steps.
pub fn define_sharing(module: &Module<'_>) -> Result<(), MlirError> {
    let failed = |error: BuilderError| {
        MlirError::TranslationFailed(Failure::new(format!("a shared loop: {error}")))
    };
    for share in module.get_functions() {
        let name = share.get_name().to_string_lossy().into_owned();
        let Some((symbol, number)) = name.rsplit_once(".share") else {
            continue;
        };
        let number = number.parse().ok();
        let task = number.and_then(|number| module.get_function(&task_name(symbol, number)));
        if let (0, Some(task)) = (share.count_basic_blocks(), task) {
            let entry = add_entry(module, task).map_err(failed)?;
            define(share, entry).map_err(failed)?;
            for function in [share, task] {
                function.set_linkage(Linkage::Internal);
            }
        }
    }
    Ok(())
}

/// `void entry(ptr words, i64 from, i64 to)`.
fn add_entry<'l>(
    module: &Module<'l>,
    task: FunctionValue<'l>,
) -> Result<FunctionValue<'l>, BuilderError> {
    let context: ContextRef = module.get_context();
    let (pointer, word) = (
        context.ptr_type(AddressSpace::default()),
        context.i64_type(),
    );
    let types = [pointer.into(), word.into(), word.into()];
    let name = format!("{}.entry", task.get_name().to_string_lossy());
    let ty = context.void_type().fn_type(&types, false);
    let entry = module.add_function(&name, ty, Some(Linkage::Internal));
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(entry, "entry"));
    let given = entry.get_params();
    let mut arguments: Vec<BasicMetadataValueEnum> = vec![given[1].into(), given[2].into()];
    for (index, parameter) in task.get_param_iter().skip(2).enumerate() {
        let index = word.const_int(index as u64, false);
        // SAFETY: the array has a word for each parameter after the range.
        let place = unsafe {
            builder.build_in_bounds_gep(word, given[0].into_pointer_value(), &[index], "")?
        };
        arguments.push(builder.build_load(parameter.get_type(), place, "")?.into());
    }
    builder.build_call(task, &arguments, "")?;
    builder.build_return(None)?;
    Ok(entry)
}

fn define<'l>(share: FunctionValue<'l>, entry: FunctionValue<'l>) -> Result<(), BuilderError> {
    let context = share.get_type().get_context();
    let (pointer, word) = (
        context.ptr_type(AddressSpace::default()),
        context.i64_type(),
    );
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(share, "entry"));
    let given = share.get_params();
    let (code, pool, count) = (given[0].into_pointer_value(), given[1], given[2]);
    let captured = &given[3..];
    let words = builder.build_alloca(word.array_type(captured.len() as u32), "words")?;
    for (index, &value) in captured.iter().enumerate() {
        let index = word.const_int(index as u64, false);
        // SAFETY: the array has a word for each value.
        let place = unsafe { builder.build_in_bounds_gep(word, words, &[index], "")? };
        builder.build_store(place, value)?;
    }
    let alone = context.append_basic_block(share, "alone");
    let shared = context.append_basic_block(share, "shared");
    let none = builder.build_int_compare(IntPredicate::EQ, code, pointer.const_null(), "")?;
    builder.build_conditional_branch(none, alone, shared)?;

    builder.position_at_end(alone);
    let all = [words.into(), word.const_zero().into(), count.into()];
    builder.build_call(entry, &all, "")?;
    builder.build_return(None)?;

    builder.position_at_end(shared);
    let types = [pointer.into(), word.into(), pointer.into(), pointer.into()];
    let ty = context.void_type().fn_type(&types, false);
    let entry = entry.as_global_value().as_pointer_value();
    let arguments = [pool.into(), count.into(), entry.into(), words.into()];
    builder.build_indirect_call(ty, code, &arguments, "")?;
    builder.build_return(None)?;
    Ok(())
}
