use inkwell::builder::BuilderError;
use inkwell::llvm_sys::core::{LLVMGetNumOperands, LLVMGetOperand, LLVMIsAFunction};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue};

/// The names of what [`add_constructors`] adds. A body's own is a C identifier.
pub(crate) const CONSTRUCT: &str = "module.construct";
pub(crate) const DESTRUCT: &str = "module.destruct";

/// Adds a function that calls a module's constructors and one that calls its destructors, where the
/// module has them not: a linker would find them in the object file, what loads it here does not.
pub(crate) fn add_constructors(module: &Module<'_>) -> Result<(), BuilderError> {
    if module.get_function(CONSTRUCT).is_some() {
        return Ok(());
    }
    for (list, name) in [
        ("llvm.global_ctors", CONSTRUCT),
        ("llvm.global_dtors", DESTRUCT),
    ] {
        let context = module.get_context();
        let ty = context.void_type().fn_type(&[], false);
        let all = module.add_function(name, ty, None);
        let builder = context.create_builder();
        builder.position_at_end(context.append_basic_block(all, "entry"));
        for function in listed(module, list) {
            builder.build_call(function, &[], "")?;
        }
        builder.build_return(None)?;
        if let Some(global) = module.get_global(list) {
            // SAFETY: nothing refers to the list.
            unsafe { global.delete() };
        }
    }
    Ok(())
}

/// The functions of a list of `{ priority, function, data }`. The backend gives all one priority.
fn listed<'l>(module: &Module<'l>, list: &str) -> Vec<FunctionValue<'l>> {
    let initializer = module
        .get_global(list)
        .and_then(|global| global.get_initializer());
    let Some(entries) = initializer.map(|value| value.as_value_ref()) else {
        return Vec::new();
    };
    // SAFETY: the module is alive; the list is an array of structs, whose second member is a
    // function or null.
    unsafe {
        (0..LLVMGetNumOperands(entries))
            .filter_map(|index| {
                let entry = LLVMGetOperand(entries, index as u32);
                let function = LLVMIsAFunction(LLVMGetOperand(entry, 1));
                FunctionValue::new(function)
            })
            .collect()
    }
}
