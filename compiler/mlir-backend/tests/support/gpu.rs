//! What makes kernels of a test's program.

use mlir_backend::internal::{Chip, Failures, Form, GpuOptions, Vendor};

/// For one chip of the vendor, without its mathematics.
pub fn options(vendor: Vendor, form: Form) -> GpuOptions<'static> {
    let chip = match vendor {
        Vendor::Nvidia => "sm_90",
        Vendor::Amd => "gfx942",
    };
    GpuOptions {
        takes: &|_| true,
        chip: Chip::find(vendor, chip).unwrap(),
        form,
        math: Some(false),
        failures: Failures::Stop,
    }
}
