use std::cell::Cell;
use std::collections::HashSet;

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::llvm_sys::core::LLVMReplaceAllUsesWith;
use inkwell::module::{Linkage, Module};
use inkwell::types::ArrayType;
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValueEnum, CallSiteValue, FunctionValue, GlobalValue,
    InstructionOpcode, InstructionValue,
};

use super::{IMPLICIT, IMPLICIT_BYTES, POSITIONS, name};
use crate::EmulatorError;
use crate::callbacks::{ASSERT, BARRIER, CHECK, TRAP, TRIG_PREOP};

/// What a call of device code is here.
enum Meaning {
    /// The word of [`POSITIONS`].
    Position(u64),
    /// The pointer of [`IMPLICIT`].
    Implicit,
    Barrier,
    Trap,
    /// One divided by the operand.
    Reciprocal,
    /// A function of the host, of the C library unless it is ours.
    Host(&'static str),
    /// As it is: LLVM's own, or what is defined or mapped.
    Same,
}

/// The functions of the C library that the vendors' have the names of.
const LIBRARY: [&str; 28] = [
    "exp", "expf", "exp2", "exp2f", "log", "logf", "log2", "log2f", "log10", "log10f", "sqrt",
    "sqrtf", "sin", "sinf", "cos", "cosf", "tanh", "tanhf", "pow", "powf", "fmod", "fmodf", "fabs",
    "fabsf", "floor", "floorf", "ceil", "ceilf",
];

/// Replaces each call of what only the device has. Returns the names of the functions that have a
/// barrier.
pub(crate) fn replace<'l>(
    module: &Module<'l>,
    instructions: &[InstructionValue<'l>],
) -> Result<HashSet<String>, EmulatorError> {
    let failed = |error: BuilderError| EmulatorError::NotEmulated(error.to_string());
    let calls = Calls::new(module);
    let mut barriers = HashSet::new();
    for &instruction in instructions {
        match instruction.get_opcode() {
            InstructionOpcode::Call => {}
            InstructionOpcode::CallBr | InstructionOpcode::Invoke => {
                return Err(EmulatorError::NotEmulated("a call that unwinds".into()));
            }
            _ => continue,
        }
        let call = CallSiteValue::try_from(instruction)
            .map_err(|()| EmulatorError::NotEmulated("a call".into()))?;
        let Some(callee) = call.get_called_fn_value() else {
            return Err(EmulatorError::NotEmulated(
                "assembly, or a function by its address".into(),
            ));
        };
        let callee_name = name(callee);
        let meaning = meaning(&callee_name, callee.count_basic_blocks() > 0)
            .ok_or(EmulatorError::NotEmulated(callee_name))?;
        if let Meaning::Barrier = meaning
            && let Some(function) = instruction
                .get_parent()
                .and_then(|block| block.get_parent())
        {
            barriers.insert(name(function));
        }
        calls
            .replace(instruction, callee, meaning)
            .map_err(failed)?;
    }
    Ok(barriers)
}

fn meaning(callee: &str, is_defined: bool) -> Option<Meaning> {
    let axis = |text: &str, group| {
        let axis = ["x", "y", "z"].iter().position(|&axis| axis == text)?;
        Some(Meaning::Position(group * 3 + axis as u64))
    };
    if is_defined || [ASSERT, CHECK].contains(&callee) {
        return Some(Meaning::Same);
    }
    if let Some(rest) = callee.strip_prefix("llvm.nvvm.") {
        if let Some((register, of)) = rest
            .strip_prefix("read.ptx.sreg.")
            .and_then(|register| register.rsplit_once('.'))
        {
            let group = ["ctaid", "tid", "nctaid", "ntid"]
                .iter()
                .position(|&one| one == register)?;
            return axis(of, group as u64);
        }
        return match rest {
            "barrier0" | "barrier.cta.sync.aligned.all" => Some(Meaning::Barrier),
            _ => None,
        };
    }
    if let Some(rest) = callee.strip_prefix("llvm.amdgcn.") {
        return match rest {
            "implicitarg.ptr" => Some(Meaning::Implicit),
            "s.barrier" => Some(Meaning::Barrier),
            "trig.preop.f64" => Some(Meaning::Host(TRIG_PREOP)),
            _ if rest.starts_with("rcp.") => Some(Meaning::Reciprocal),
            _ => match rest.rsplit_once('.')? {
                ("workgroup.id", of) => axis(of, 0),
                ("workitem.id", of) => axis(of, 1),
                _ => None,
            },
        };
    }
    if callee == "llvm.trap" {
        return Some(Meaning::Trap);
    }
    if callee.starts_with("llvm.") && !callee.starts_with("llvm.r600.") {
        return Some(Meaning::Same);
    }
    let function = callee.strip_prefix("__nv_")?;
    let function = LIBRARY.iter().find(|&&one| one == function)?;
    Some(Meaning::Host(function))
}

struct Calls<'m, 'l> {
    module: &'m Module<'l>,
    context: ContextRef<'l>,
    builder: Builder<'l>,
    positions: GlobalValue<'l>,
    implicit: GlobalValue<'l>,
    barrier: FunctionValue<'l>,
    trap: FunctionValue<'l>,
    /// Barriers are told apart by where they are called.
    site: Cell<u64>,
}

impl<'m, 'l> Calls<'m, 'l> {
    fn new(module: &'m Module<'l>) -> Self {
        let context = module.get_context();
        let global = |name, ty: ArrayType<'l>| {
            let global = module.add_global(ty, None, name);
            global.set_initializer(&ty.const_zero());
            global.set_alignment(16);
            global
        };
        let void = context.void_type();
        let site = void.fn_type(&[context.i32_type().into()], false);
        let convergent = |function: FunctionValue<'l>| {
            let kind = Attribute::get_named_enum_kind_id("convergent");
            let attribute = context.create_enum_attribute(kind, 0);
            function.add_attribute(AttributeLoc::Function, attribute);
            function
        };
        Calls {
            positions: global(POSITIONS, context.i32_type().array_type(12)),
            implicit: global(IMPLICIT, context.i8_type().array_type(IMPLICIT_BYTES)),
            barrier: convergent(module.add_function(BARRIER, site, Some(Linkage::External))),
            trap: module.add_function(TRAP, void.fn_type(&[], false), Some(Linkage::External)),
            builder: context.create_builder(),
            site: Cell::new(0),
            context,
            module,
        }
    }

    fn replace(
        &self,
        call: InstructionValue<'l>,
        callee: FunctionValue<'l>,
        meaning: Meaning,
    ) -> Result<(), BuilderError> {
        let builder = &self.builder;
        builder.position_before(&call);
        let value: Option<BasicValueEnum<'l>> = match meaning {
            Meaning::Same => {
                if let Ok(call) = CallSiteValue::try_from(call) {
                    call.set_call_convention(0);
                }
                return Ok(());
            }
            Meaning::Position(word) => {
                let ty = self.context.i32_type();
                let index = ty.const_int(word, false);
                let base = self.positions.as_pointer_value();
                // SAFETY: the global has twelve words.
                let place = unsafe { builder.build_in_bounds_gep(ty, base, &[index], "")? };
                Some(builder.build_load(ty, place, "")?)
            }
            Meaning::Implicit => {
                let space = self.context.ptr_type(AddressSpace::from(4u16));
                let base = self.implicit.as_pointer_value();
                Some(base.const_address_space_cast(space).into())
            }
            Meaning::Barrier => {
                let site = self.site.replace(self.site.get() + 1);
                let site = self.context.i32_type().const_int(site, false);
                builder.build_call(self.barrier, &[site.into()], "")?;
                None
            }
            Meaning::Trap => {
                builder.build_call(self.trap, &[], "")?;
                None
            }
            Meaning::Reciprocal => match operand(call, 0) {
                Some(BasicMetadataValueEnum::FloatValue(value)) => {
                    let one = value.get_type().const_float(1.0);
                    Some(builder.build_float_div(one, value, "")?.into())
                }
                _ => return Ok(()),
            },
            Meaning::Host(name) => {
                let function = self
                    .module
                    .get_function(name)
                    .unwrap_or_else(|| self.module.add_function(name, callee.get_type(), None));
                let count = callee.count_params();
                let arguments: Vec<_> = (0..count).filter_map(|at| operand(call, at)).collect();
                let call = builder.build_call(function, &arguments, "")?;
                call.try_as_basic_value().basic()
            }
        };
        if let Some(value) = value {
            // SAFETY: both are of the module, and of one type.
            unsafe { LLVMReplaceAllUsesWith(call.as_value_ref(), value.as_value_ref()) };
        }
        call.erase_from_basic_block();
        Ok(())
    }
}

fn operand<'l>(call: InstructionValue<'l>, index: u32) -> Option<BasicMetadataValueEnum<'l>> {
    Some(call.get_operand(index)?.value()?.into())
}
