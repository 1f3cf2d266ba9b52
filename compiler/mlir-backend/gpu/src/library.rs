//! Mathematics on a device: what it has as instructions, and what only its vendor's library has.

use melior::ir::operation::OperationLike;
use melior::ir::{Module, OperationRef};
use mlir_pipeline::{Failure, MlirError};

use crate::inspect::undefined;
use crate::ir::{
    Place, Rewritten, block_of, destroy, internal, name_of, nested, operations, symbol, top,
};
use crate::toolkit::Toolkit;
use crate::{Chip, Vendor};

/// The operations of a function on tensors that a device has no exact or whole instructions for.
pub fn unlinked_math<'c, 'a>(function: OperationRef<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    nested(function).into_iter().find(|&operation| {
        matches!(
            name_of(operation).as_str(),
            "math.exp"
                | "math.log"
                | "math.sin"
                | "math.cos"
                | "math.tanh"
                | "math.powf"
                | "arith.remf"
        )
    })
}

/// Whether the vendor's device library is there to link.
pub fn has_math_library(vendor: Vendor) -> Result<bool, MlirError> {
    let toolkit = Toolkit::find(vendor)?;
    Ok(toolkit.is_some_and(|toolkit| toolkit.has_mathematics(vendor)))
}

/// Puts instructions in the place of calls of NVIDIA's library that need none: its square root would
/// be an approximation (numerics, §Mathematics). Every function that is still called is the
/// library's, or there is an error.
pub(crate) fn use_instructions(
    context: &melior::Context,
    module: &Module<'_>,
    chip: Chip,
    linked: bool,
) -> Rewritten<()> {
    for kernels in top(module) {
        if name_of(kernels) != "gpu.module" {
            continue;
        }
        for call in nested(kernels) {
            let callee = callee(call);
            let Some(instruction) = callee.as_deref().and_then(instruction) else {
                continue;
            };
            let place =
                Place::before(context, call).ok_or_else(|| internal("a call without a block"))?;
            let operands: Vec<_> = call.operands().collect();
            let old = call.result(0).map_err(internal)?;
            let ty = melior::ir::ValueLike::r#type(&old);
            let new = place.emit(instruction, &operands, ty)?;
            crate::ir::replace_uses(old.into(), new);
            destroy(call);
        }
        let called: Vec<String> = nested(kernels).into_iter().filter_map(callee).collect();
        let Some(block) = block_of(kernels) else {
            continue;
        };
        for function in operations(block) {
            if name_of(function) != "llvm.func" {
                continue;
            }
            let Some(name) = symbol(function).filter(|_| block_of(function).is_none()) else {
                continue;
            };
            if !called.contains(&name) {
                destroy(function);
                continue;
            }
            let of_library = match chip.vendor {
                // The driver's own, for assertions.
                Vendor::Nvidia if name == "__assertfail" => continue,
                Vendor::Nvidia => name.starts_with("__nv_"),
                Vendor::Amd => name.starts_with("__ocml_"),
            };
            if !of_library || !linked {
                let failure = Failure::new(undefined(&name));
                return Err(MlirError::GpuSerializationFailed(failure));
            }
        }
    }
    Ok(())
}

fn callee(call: OperationRef<'_, '_>) -> Option<String> {
    if name_of(call) != "llvm.call" {
        return None;
    }
    let callee = call.attribute("callee").ok()?;
    Some(callee.to_string().trim_start_matches('@').to_string())
}

fn instruction(function: &str) -> Option<&'static str> {
    match function {
        "__nv_sqrtf" | "__nv_sqrt" => Some("llvm.intr.sqrt"),
        "__nv_fabsf" | "__nv_fabs" => Some("llvm.intr.fabs"),
        _ => None,
    }
}
