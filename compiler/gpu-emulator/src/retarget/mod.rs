//! Device code as code of the host.
//!
//! Address spaces stay as they are: the host has one flat one, which all of them are to it.

mod attributes;
mod calls;
mod checks;
mod entry;
mod shared;
mod turns;

use std::collections::HashSet;

use inkwell::module::Module;
use inkwell::targets::TargetData;
use inkwell::values::{FunctionValue, InstructionValue};

use crate::{EmulatorError, Vendor};

pub(crate) use attributes::Threads;
pub(crate) use entry::entry_name;
pub(crate) use shared::Shared;

/// The global that the positions of the running thread are in: twelve `i32`, the x, y and z of
/// its block, of the thread in it, of the grid's extents and of the block's.
pub(crate) const POSITIONS: &str = "emulator.positions";
/// What AMD's code reads the extents of the grid and the block from.
pub(crate) const IMPLICIT: &str = "emulator.implicit";
pub(crate) const IMPLICIT_BYTES: u32 = 256;

/// What is known of a retargeted module.
pub(crate) struct Retargeted {
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) shared: Vec<Shared>,
}

pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) parameters: usize,
    pub(crate) threads: Threads,
    /// Bytes of shared memory.
    pub(crate) shared: u64,
    pub(crate) has_barriers: bool,
}

/// Makes code of the host of a module of the vendor's: what is left calls [`crate::callbacks`] and
/// the C library. `checked` code asks before each access to memory.
pub(crate) fn retarget(
    module: &Module<'_>,
    layout: &TargetData,
    vendor: Vendor,
    checked: bool,
) -> Result<Retargeted, EmulatorError> {
    let triple = module.get_triple();
    let found = triple.as_str().to_string_lossy();
    let expected = vendor.architecture();
    if found.split('-').next() != Some(expected) {
        return Err(EmulatorError::OtherDevice {
            expected,
            found: found.into_owned(),
        });
    }
    let functions: Vec<FunctionValue<'_>> = module.get_functions().collect();
    let convention = vendor.kernel_convention();
    let is_kernel = |function: &&FunctionValue<'_>| {
        function.get_call_conventions() == convention && function.count_basic_blocks() > 0
    };
    let found: Vec<FunctionValue<'_>> = functions.iter().filter(is_kernel).copied().collect();
    let threads: Vec<Threads> = found.iter().map(|&kernel| Threads::of(kernel)).collect();
    let shared = shared::externalize(module, layout, &found);
    for &function in &functions {
        attributes::strip(module, function);
        function.set_call_conventions(0);
    }
    let instructions: Vec<InstructionValue<'_>> = functions
        .iter()
        .flat_map(|function| function.get_basic_block_iter())
        .flat_map(|block| block.get_instructions())
        .collect();
    if checked {
        checks::add(module, layout, &instructions)
            .map_err(|error| EmulatorError::NotEmulated(error.to_string()))?;
    }
    turns::add(module, &functions)
        .map_err(|error| EmulatorError::NotEmulated(error.to_string()))?;
    let barriers = calls::replace(module, &instructions)?;
    let names: HashSet<String> = found.iter().map(|&kernel| name(kernel)).collect();
    let elsewhere = barriers.iter().any(|function| !names.contains(function));
    let mut kernels = Vec::new();
    for (&kernel, threads) in found.iter().zip(threads) {
        entry::add(module, kernel)
            .map_err(|error| EmulatorError::NotEmulated(error.to_string()))?;
        let name = name(kernel);
        kernels.push(Kernel {
            parameters: kernel.count_params() as usize,
            threads,
            shared: shared
                .iter()
                .filter(|shared| {
                    shared
                        .kernels
                        .as_ref()
                        .is_none_or(|used| used.contains(&name))
                })
                .map(|shared| shared.bytes)
                .sum(),
            has_barriers: elsewhere || barriers.contains(&name),
            name,
        });
    }
    Ok(Retargeted { kernels, shared })
}

fn name(function: FunctionValue<'_>) -> String {
    function.get_name().to_string_lossy().into_owned()
}
