//! Kernels as the device's binary, embedded in the host functions that launch them.

use melior::ir::attribute::{ArrayAttribute, AttributeLike};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Module};
use mlir_pipeline::{Failure, MlirError, Session, run_passes};
use mlir_sys::{mlirAttributeIsAGPUObjectAttr, mlirGPUObjectAttrGetObject};

use crate::inspect::inspect;
use crate::ir::{internal, name_of, top};
use crate::library::use_instructions;
use crate::passes::{host, kernels};
use crate::toolkit::Toolkit;
use crate::{Chip, Vendor};

/// What of a device's code a binary holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// What the vendor's driver takes: PTX, or a code object.
    Native,
    /// Assembly: PTX, or AMD's.
    Assembly,
    /// LLVM bitcode, for the emulator.
    Bitcode,
}

impl Form {
    pub(crate) fn format(self, vendor: Vendor) -> &'static str {
        match (self, vendor) {
            (Form::Native, Vendor::Amd) => "bin",
            (Form::Native, Vendor::Nvidia) | (Form::Assembly, _) => "isa",
            (Form::Bitcode, _) => "llvm",
        }
    }
}

/// Makes the binary of a module's kernels and lowers its host functions to the `llvm` dialect; gives
/// the binary, empty where there is no kernel. `linked` says that the vendor's mathematics will be.
///
/// # Errors
/// [`MlirError::GpuSerializationFailed`], as where AMD's linker is not there.
pub fn serialize<'c>(
    session: &'c Session,
    module: &mut Module<'c>,
    chip: Chip,
    form: Form,
    linked: bool,
) -> Result<Vec<u8>, MlirError> {
    let toolkit = match form {
        Form::Bitcode => Toolkit::of_emulator(chip.vendor)?,
        Form::Native | Form::Assembly => Toolkit::find(chip.vendor)?,
    };
    if form == Form::Native && chip.vendor == Vendor::Amd {
        let linker = toolkit.as_ref().map(Toolkit::linker);
        if !linker.as_ref().is_some_and(|linker| linker.is_file()) {
            let place = linker.map_or("on the path".into(), |at| at.display().to_string());
            let message = format!(
                "a code object is linked by `ld.lld`, which is not {place}; ROCM_PATH names the \
                 folder where ROCm is"
            );
            return Err(MlirError::GpuSerializationFailed(Failure::new(message)));
        }
    }
    let option = toolkit.as_ref().map(Toolkit::option).transpose()?;
    run_passes(session, module, &kernels(chip))?;
    use_instructions(session.context(), module, chip, linked)?;
    session.dump_after("instructions", module)?;
    let stages = host(chip, form, &option.unwrap_or_default());
    run_passes(session, module, &stages[..1]).map_err(|error| match error {
        MlirError::PassPipelineFailed(failure) => MlirError::GpuSerializationFailed(failure),
        error => error,
    })?;
    let binary = object(module)?;
    if !binary.is_empty() {
        let failed = |message| MlirError::GpuSerializationFailed(Failure::new(message));
        inspect(&binary, chip, form).map_err(failed)?;
    }
    run_passes(session, module, &stages[1..])?;
    Ok(binary)
}

/// The one object of the one binary.
fn object(module: &Module<'_>) -> Result<Vec<u8>, MlirError> {
    let mut objects = Vec::new();
    for binary in top(module) {
        if name_of(binary) != "gpu.binary" {
            continue;
        }
        let list = binary
            .attribute("objects")
            .and_then(ArrayAttribute::try_from);
        let list = list.map_err(internal)?;
        for index in 0..list.len() {
            objects.extend(bytes(list.element(index).map_err(internal)?));
        }
    }
    match objects.len() {
        0 => Ok(Vec::new()),
        1 => Ok(objects.swap_remove(0)),
        count => Err(internal(format!("{count} device binaries"))),
    }
}

fn bytes(object: Attribute<'_>) -> Option<Vec<u8>> {
    // SAFETY: the attribute is alive and asked for what it is; its bytes live as long as it does,
    // and are copied here.
    unsafe {
        if !mlirAttributeIsAGPUObjectAttr(object.to_raw()) {
            return None;
        }
        let text = mlirGPUObjectAttrGetObject(object.to_raw());
        Some(std::slice::from_raw_parts(text.data.cast::<u8>(), text.length).to_vec())
    }
}
