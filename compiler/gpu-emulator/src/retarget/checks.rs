use inkwell::AddressSpace;
use inkwell::builder::BuilderError;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::{
    LLVMGetConstOpcode, LLVMGetInstructionOpcode, LLVMGetOperand, LLVMIsAAllocaInst,
    LLVMIsAConstantExpr, LLVMIsAGlobalVariable, LLVMIsAInstruction,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    AsValueRef, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue,
    IntValue, PointerValue,
};

use super::name;
use crate::callbacks::CHECK;

const READ: u64 = 0;
const WRITE: u64 = 1;
const ATOMIC: u64 = 2;

/// The address spaces of a thread's own stack and of what cannot be written.
const CONSTANT: u16 = 4;
const PRIVATE: u16 = 5;

/// Adds a call of the check before each access to memory that is neither a thread's own nor the
/// code's.
pub(crate) fn add<'l>(
    module: &Module<'l>,
    layout: &TargetData,
    instructions: &[InstructionValue<'l>],
) -> Result<(), BuilderError> {
    let context = module.get_context();
    let pointer = context.ptr_type(AddressSpace::default());
    let (word, kind) = (context.i64_type(), context.i32_type());
    let ty = context
        .void_type()
        .fn_type(&[pointer.into(), word.into(), kind.into()], false);
    let check = module.add_function(CHECK, ty, None);
    let sized = |ty: BasicTypeEnum<'l>| word.const_int(layout.get_store_size(&ty), false);
    for &instruction in instructions {
        let value = |index| {
            instruction
                .get_operand(index)
                .and_then(|operand| operand.value())
        };
        let of = |ty| BasicTypeEnum::try_from(ty).ok().map(sized);
        match instruction.get_opcode() {
            InstructionOpcode::Load => {
                let bytes = of(instruction.get_type());
                insert(module, check, instruction, value(0), bytes, READ)?;
            }
            InstructionOpcode::Store => {
                let bytes = value(0).map(|stored| sized(stored.get_type()));
                insert(module, check, instruction, value(1), bytes, WRITE)?;
            }
            InstructionOpcode::AtomicRMW | InstructionOpcode::AtomicCmpXchg => {
                let bytes = value(1).map(|given| sized(given.get_type()));
                insert(module, check, instruction, value(0), bytes, ATOMIC)?;
            }
            InstructionOpcode::Call => {
                let callee = CallSiteValue::try_from(instruction).ok();
                let callee = callee.and_then(|call| call.get_called_fn_value()).map(name);
                let callee = callee.unwrap_or_default();
                let moves = ["llvm.memcpy.", "llvm.memmove."];
                let bytes = value(2).and_then(|bytes| IntValue::try_from(bytes).ok());
                if moves.iter().any(|prefix| callee.starts_with(prefix)) {
                    insert(module, check, instruction, value(1), bytes, READ)?;
                    insert(module, check, instruction, value(0), bytes, WRITE)?;
                } else if callee.starts_with("llvm.memset.") {
                    insert(module, check, instruction, value(0), bytes, WRITE)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn insert<'l>(
    module: &Module<'l>,
    check: FunctionValue<'l>,
    before: InstructionValue<'l>,
    address: Option<BasicValueEnum<'l>>,
    bytes: Option<IntValue<'l>>,
    kind: u64,
) -> Result<(), BuilderError> {
    let (Some(BasicValueEnum::PointerValue(address)), Some(bytes)) = (address, bytes) else {
        return Ok(());
    };
    if is_own(address) {
        return Ok(());
    }
    let context = module.get_context();
    let builder = context.create_builder();
    builder.position_before(&before);
    let flat = context.ptr_type(AddressSpace::default());
    let address = builder.build_address_space_cast(address, flat, "")?;
    let bytes = builder.build_int_z_extend_or_bit_cast(bytes, context.i64_type(), "")?;
    let kind = context.i32_type().const_int(kind, false);
    builder.build_call(check, &[address.into(), bytes.into(), kind.into()], "")?;
    Ok(())
}

/// Whether a pointer is to a thread's stack, or to what the code itself holds.
fn is_own(pointer: PointerValue<'_>) -> bool {
    let space = pointer.get_type().get_address_space();
    if [CONSTANT, PRIVATE].map(AddressSpace::from).contains(&space) {
        return true;
    }
    let mut base = pointer.as_value_ref();
    // SAFETY: the module is alive; each cast is of what it was asked to be.
    unsafe {
        while let Some(LLVMOpcode::LLVMGetElementPtr | LLVMOpcode::LLVMAddrSpaceCast) = opcode(base)
        {
            base = LLVMGetOperand(base, 0);
        }
        if !LLVMIsAAllocaInst(base).is_null() {
            return true;
        }
        !LLVMIsAGlobalVariable(base).is_null()
            && PointerValue::new(base).get_type().get_address_space() != AddressSpace::from(3u16)
    }
}

/// # Safety
/// The value is of a module that is alive.
unsafe fn opcode(value: LLVMValueRef) -> Option<LLVMOpcode> {
    // SAFETY: as above.
    unsafe {
        if !LLVMIsAInstruction(value).is_null() {
            Some(LLVMGetInstructionOpcode(value))
        } else if !LLVMIsAConstantExpr(value).is_null() {
            Some(LLVMGetConstOpcode(value))
        } else {
            None
        }
    }
}
