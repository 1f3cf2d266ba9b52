use inkwell::OptimizationLevel;
use inkwell::attributes::AttributeLoc;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetData, TargetMachine,
    TargetMachineOptions,
};

use crate::options::set_options;
use crate::{CodegenError, Processor};

/// LLVM's code generator for a processor.
///
/// Its floats are those of numerics: no option here relaxes them, and LLVM's default fuses no
/// multiply with an add that the IR has apart.
pub struct Machine<'p> {
    machine: TargetMachine,
    processor: &'p Processor,
}

impl<'p> Machine<'p> {
    pub fn new(processor: &'p Processor) -> Result<Self, CodegenError> {
        Target::initialize_native(&InitializationConfig::default())
            .map_err(CodegenError::Machine)?;
        set_options();
        let failed = |message: &dyn ToString| CodegenError::Machine(message.to_string());
        let triple = TargetMachine::get_default_triple();
        let target = Target::from_triple(&triple).map_err(|message| failed(&message))?;
        let options = TargetMachineOptions::new()
            .set_cpu(&processor.cpu)
            .set_features(&processor.features)
            .set_level(OptimizationLevel::Aggressive)
            .set_reloc_mode(RelocMode::PIC)
            .set_code_model(CodeModel::Small);
        let machine = target
            .create_target_machine_from_options(&triple, options)
            .ok_or_else(|| failed(&format!("no code generator for {triple}")))?;
        Ok(Machine { machine, processor })
    }

    /// How big and how aligned types are.
    pub fn layout(&self) -> TargetData {
        self.machine.get_target_data()
    }

    /// Optimizes a module at `-O3`, whatever machine it names, and compiles it to an object file.
    ///
    /// What LLVM cannot select ends the process: the caller takes care of intrinsics of other
    /// machines.
    pub fn compile(&self, module: &Module<'_>) -> Result<MemoryBuffer<'static>, CodegenError> {
        module.set_triple(&self.machine.get_triple());
        module.set_data_layout(&self.machine.get_target_data().get_data_layout());
        let context = module.get_context();
        let attributes = [
            context.create_string_attribute("target-cpu", &self.processor.cpu),
            context.create_string_attribute("target-features", &self.processor.features),
        ];
        for function in module.get_functions() {
            for attribute in attributes {
                function.add_attribute(AttributeLoc::Function, attribute);
            }
        }
        let options = PassBuilderOptions::create();
        options.set_loop_vectorization(true);
        options.set_loop_slp_vectorization(true);
        options.set_loop_interleaving(true);
        options.set_loop_unrolling(true);
        let failed = |message: &dyn ToString| CodegenError::Compile(message.to_string());
        module.verify().map_err(|message| failed(&message))?;
        module
            .run_passes("default<O3>", &self.machine, options)
            .map_err(|message| failed(&message))?;
        self.machine
            .write_to_memory_buffer(module, FileType::Object)
            .map_err(|message| failed(&message))
    }
}
