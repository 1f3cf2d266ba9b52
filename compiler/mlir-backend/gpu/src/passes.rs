use mlir_pipeline::PassStage;

use crate::{Chip, Form, Vendor};

fn stage(name: &'static str, text: impl Into<std::borrow::Cow<'static, str>>) -> PassStage {
    PassStage {
        name,
        text: text.into(),
    }
}

/// From launches to kernels and calls of them. What of a loop's bounds is constant goes with it, so
/// that it is no operand of the kernel.
pub(crate) fn outlining() -> Vec<PassStage> {
    vec![
        stage("sink", "gpu-launch-sink-index-computations"),
        stage("outline", "gpu-kernel-outlining"),
        stage("symbol-dce", "symbol-dce"),
        stage("async", "func.func(gpu-async-region)"),
        stage("canonicalize", "canonicalize"),
        stage("cse", "cse"),
    ]
}

/// From kernels to the vendor's dialect.
pub(crate) fn kernels(chip: Chip) -> Vec<PassStage> {
    let (attach, convert) = match chip.vendor {
        Vendor::Nvidia => ("nvvm-attach-target", "convert-gpu-to-nvvm"),
        Vendor::Amd => ("rocdl-attach-target", "convert-gpu-to-rocdl"),
    };
    vec![
        stage("target", format!("{attach}{{O=2 chip={}}}", chip.name())),
        stage("expand-strided-metadata", "expand-strided-metadata"),
        stage("lower-affine", "lower-affine"),
        stage("canonicalize", "canonicalize"),
        stage("scf-to-cf", "convert-scf-to-cf"),
        stage(
            "kernels",
            format!("gpu.module({convert},canonicalize,cse,reconcile-unrealized-casts)"),
        ),
    ]
}

/// The binary, and the host functions around its launches.
pub(crate) fn host(chip: Chip, form: Form, toolkit: &str) -> Vec<PassStage> {
    let format = form.format(chip.vendor);
    vec![
        stage(
            "binary",
            format!("gpu-module-to-binary{{format={format}{toolkit}}}"),
        ),
        stage(
            "memref-to-llvm",
            "finalize-memref-to-llvm{use-generic-functions=true}",
        ),
        stage("func-to-llvm", "convert-func-to-llvm"),
        stage("arith-to-llvm", "convert-arith-to-llvm"),
        stage("cf-to-llvm", "convert-cf-to-llvm"),
        stage("index-to-llvm", "convert-index-to-llvm"),
        stage("ub-to-llvm", "convert-ub-to-llvm"),
        stage("gpu-to-llvm", "gpu-to-llvm"),
        stage("reconcile-casts", "reconcile-unrealized-casts"),
    ]
}
