use inkwell::AddressSpace;
use inkwell::llvm_sys::core::{
    LLVMGetBasicBlockParent, LLVMGetFirstUse, LLVMGetInstructionParent, LLVMGetNextUse,
    LLVMGetUser, LLVMIsAInstruction,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{AsValueRef, FunctionValue};

use super::name;

/// Memory that the threads of a block share.
pub(crate) struct Shared {
    /// What the code calls it.
    pub(crate) symbol: String,
    pub(crate) bytes: u64,
    /// The kernels that use it; `None` where another function does.
    pub(crate) kernels: Option<Vec<String>>,
}

const SPACE: u16 = 3;

/// Declares each shared global of a module under a name of its own, without a body: the emulator
/// says where it is.
pub(crate) fn externalize(
    module: &Module<'_>,
    layout: &TargetData,
    kernels: &[FunctionValue<'_>],
) -> Vec<Shared> {
    let mut all = Vec::new();
    for global in module.get_globals().collect::<Vec<_>>() {
        let space = global.as_pointer_value().get_type().get_address_space();
        let Ok(ty) = BasicTypeEnum::try_from(global.get_value_type()) else {
            continue;
        };
        if space != AddressSpace::from(SPACE) {
            continue;
        }
        let symbol = format!("emulator.shared.{}", all.len());
        let mut kernels_using = Some(Vec::new());
        users(global.as_value_ref(), &mut |function| {
            let kernel = kernels
                .iter()
                .find(|kernel| kernel.as_value_ref() == function);
            match (kernel, &mut kernels_using) {
                (Some(&kernel), Some(names)) => names.push(name(kernel)),
                _ => kernels_using = None,
            }
        });
        let declared = module.add_global(ty, Some(AddressSpace::from(SPACE)), &symbol);
        declared.set_alignment(global.get_alignment());
        global
            .as_pointer_value()
            .replace_all_uses_with(declared.as_pointer_value());
        // SAFETY: nothing uses it any longer.
        unsafe { global.delete() };
        all.push(Shared {
            symbol,
            bytes: layout.get_abi_size(&ty),
            kernels: kernels_using,
        });
    }
    all
}

/// The functions that use a constant, directly or through other constants.
fn users(value: LLVMValueRef, found: &mut impl FnMut(LLVMValueRef)) {
    // SAFETY: the module is alive, and nothing changes it meanwhile.
    unsafe {
        let mut next = LLVMGetFirstUse(value);
        while !next.is_null() {
            let user = LLVMGetUser(next);
            match LLVMIsAInstruction(user).is_null() {
                true => users(user, found),
                false => found(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))),
            }
            next = LLVMGetNextUse(next);
        }
    }
}
