use inkwell::basic_block::BasicBlock;
use inkwell::builder::BuilderError;
use inkwell::llvm_sys::core::{LLVMGetNumSuccessors, LLVMGetSuccessor};
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue};

use crate::callbacks::TURN;

/// Adds a call of the count before each branch that goes back: every loop has one.
pub(crate) fn add<'l>(
    module: &Module<'l>,
    functions: &[FunctionValue<'l>],
) -> Result<(), BuilderError> {
    let context = module.get_context();
    let turn = module.add_function(TURN, context.void_type().fn_type(&[], false), None);
    let builder = context.create_builder();
    for function in functions {
        let blocks = function.get_basic_blocks();
        for (at, block) in blocks.iter().enumerate() {
            let Some(branch) = block.get_terminator() else {
                continue;
            };
            let until_here = &blocks[..=at];
            // SAFETY: the branch is alive, and has each of these successors.
            let goes_back = unsafe {
                let count = LLVMGetNumSuccessors(branch.as_value_ref());
                (0..count).any(|index| {
                    let successor = LLVMGetSuccessor(branch.as_value_ref(), index);
                    until_here
                        .iter()
                        .map(BasicBlock::as_mut_ptr)
                        .any(|one| one == successor)
                })
            };
            if goes_back {
                builder.position_before(&branch);
                builder.build_call(turn, &[], "")?;
            }
        }
    }
    Ok(())
}
