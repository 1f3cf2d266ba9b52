//! Mathematics on a device: what it has as instructions, and what only its vendor's library has.

use melior::ir::attribute::FlatSymbolRefAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{Module, OperationRef};
use mlir_pipeline::{Failure, MlirError};

use crate::inspect::undefined;
use crate::ir::{
    Place, Rewritten, block_of, destroy, internal, name_of, nested, operations, symbol, top,
};
use crate::toolkit::Toolkit;
use crate::{Chip, Vendor};

/// The first operation that a device has no exact or whole instructions for, in a function on tensors
/// or in one of those in `others` that it calls.
pub fn unlinked_math<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    others: &'a Module<'c>,
) -> Option<OperationRef<'c, 'a>> {
    nested(function)
        .into_iter()
        .find_map(|operation| match name_of(operation).as_str() {
            "math.exp" | "math.log" | "math.sin" | "math.cos" | "math.tanh" | "math.powf"
            | "arith.remf" => Some(operation),
            "func.call" => {
                let name = callee(operation);
                let mut others_top = top(others).into_iter();
                let called = others_top.find(|other| symbol(*other) == name)?;
                unlinked_math(called, others)
            }
            _ => None,
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
            let Some(instruction) = callee(call).as_deref().and_then(instruction) else {
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
            let Some(name) = symbol(function).filter(|_| !is_kernel(function)) else {
                continue;
            };
            // A function has a wrapper for callers in C, which no device has.
            if !called.contains(&name) {
                destroy(function);
                continue;
            }
            if block_of(function).is_some() {
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

fn is_kernel(function: OperationRef<'_, '_>) -> bool {
    function.attribute("gpu.kernel").is_ok()
}

fn callee(call: OperationRef<'_, '_>) -> Option<String> {
    let callee = call.attribute("callee");
    let callee = callee.and_then(FlatSymbolRefAttribute::try_from).ok()?;
    Some(callee.value().to_string())
}

fn instruction(function: &str) -> Option<&'static str> {
    match function {
        "__nv_sqrtf" | "__nv_sqrt" => Some("llvm.intr.sqrt"),
        "__nv_fabsf" | "__nv_fabs" => Some("llvm.intr.fabs"),
        _ => None,
    }
}
