use inkwell::OptimizationLevel;
use inkwell::attributes::AttributeLoc;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine,
    TargetMachineOptions,
};

use crate::RuntimeError;

/// Makes code for the processor that this runs on.
///
/// Its floats are those of numerics: no option here relaxes them, and LLVM's default fuses no
/// multiply with an add that the IR has apart.
pub(crate) struct Host {
    machine: TargetMachine,
    cpu: String,
    features: String,
}

impl Host {
    pub(crate) fn new() -> Result<Host, RuntimeError> {
        Target::initialize_native(&InitializationConfig::default()).map_err(RuntimeError::Host)?;
        let failed = |message: &dyn ToString| RuntimeError::Host(message.to_string());
        let triple = TargetMachine::get_default_triple();
        let target = Target::from_triple(&triple).map_err(|message| failed(&message))?;
        let cpu = TargetMachine::get_host_cpu_name().to_string();
        let features = TargetMachine::get_host_cpu_features().to_string();
        let options = TargetMachineOptions::new()
            .set_cpu(&cpu)
            .set_features(&features)
            .set_level(OptimizationLevel::Aggressive)
            .set_reloc_mode(RelocMode::PIC)
            .set_code_model(CodeModel::Small);
        let machine = target
            .create_target_machine_from_options(&triple, options)
            .ok_or_else(|| failed(&format!("no code generator for {triple}")))?;
        Ok(Host {
            machine,
            cpu,
            features,
        })
    }

    /// Optimizes a module, and compiles it to an object file.
    pub(crate) fn compile(
        &self,
        module: &Module<'_>,
    ) -> Result<MemoryBuffer<'static>, RuntimeError> {
        module.set_triple(&self.machine.get_triple());
        module.set_data_layout(&self.machine.get_target_data().get_data_layout());
        let context = module.get_context();
        let attributes = [
            context.create_string_attribute("target-cpu", &self.cpu),
            context.create_string_attribute("target-features", &self.features),
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
        let failed = |message: &dyn ToString| RuntimeError::Compile(message.to_string());
        module.verify().map_err(|message| failed(&message))?;
        module
            .run_passes("default<O3>", &self.machine, options)
            .map_err(|message| failed(&message))?;
        self.machine
            .write_to_memory_buffer(module, FileType::Object)
            .map_err(|message| failed(&message))
    }
}
