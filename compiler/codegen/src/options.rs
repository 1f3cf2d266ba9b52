//! The options of LLVM that it has for a process alone.

use std::sync::Once;

use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;

/// Turns off an optimization of x86's that ends the process on a masked load whose value is stored
/// (docs/upstream.md). It only spares some loads a wait.
pub(crate) fn set_options() {
    static SET: Once = Once::new();
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    SET.call_once(|| {
        let arguments = [c"codegen".as_ptr(), c"-x86-disable-avoid-SFB".as_ptr()];
        // SAFETY: the strings live for ever, there are as many as said, and the code generator that
        // knows the option is linked.
        unsafe {
            LLVMParseCommandLineOptions(arguments.len() as i32, arguments.as_ptr(), c"".as_ptr());
        }
    });
}
