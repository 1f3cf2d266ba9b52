//! What the GPU code of every program of the tests must not have, on either vendor (numerics: a sum
//! of a product is two roundings; backend specification, §GPU kernels).

mod support;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// The oldest NVIDIA chip that is assembled for still, and a new one.
const NVIDIA: [&str; 2] = ["nvidia:sm_75", "nvidia:sm_100"];
const AMD: &str = "amd:gfx942";

/// Programs that no GPU takes: what is wrong in them, or what of them is not lowered.
const REFUSED: [&str; 8] = [
    "extents_wrong.nr",
    "gpu_only.nr",
    "gpu_scalars.nr",
    "kernel.nr",
    "moved.nr",
    "syntax_wrong.nr",
    "types_wrong.nr",
    "whole.nr",
];

/// Programs without a kernel: nothing moves to a device, or each operation is refused by name, as of
/// half precision, by a function value, or of mathematics without a library.
const WITHOUT_KERNELS: [&str; 16] = [
    "filecheck/declarations",
    "filecheck/half",
    "filecheck/mathematics",
    "filecheck/traversals",
    "filetests/closures",
    "filetests/fills",
    "filetests/half",
    "filetests/index",
    "filetests/mathematics_library",
    "filetests/matmul_unread",
    "filetests/memory",
    "filetests/scalars",
    "filetests/subnormal_reduce",
    "filetests/subnormal_scalar",
    "filetests/subnormals",
    "filetests/traversals_nested",
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for folder in ["filetests", "filecheck"] {
        for name in support::programs(&support::folder(folder)) {
            let test = format!("{folder}/{}", name.trim_end_matches(".nr"));
            let key = test.clone();
            trials.push(Trial::test(test, move || {
                let path = support::folder(folder).join(&name);
                match REFUSED.contains(&name.as_str()) {
                    true => refused(&path),
                    false => taken(&path, &key),
                }
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn refused(path: &Path) -> Result<(), Failed> {
    match emit(path, "ptx", NVIDIA[0]) {
        Err((2, _)) => Ok(()),
        seen => Err(format!("status 2 was expected: {seen:?}").into()),
    }
}

fn taken(path: &Path, key: &str) -> Result<(), Failed> {
    let emit =
        |stage, gpu| emit(path, stage, gpu).map_err(|seen| format!("{stage} for {gpu}: {seen:?}"));
    for gpu in NVIDIA {
        let text = emit("ptx", gpu)?;
        ptx(&text)?;
        // Empty text has no fault.
        if text.contains(".entry") == WITHOUT_KERNELS.contains(&key) {
            return Err(format!("kernels for {gpu}: {}", text.matches(".entry").count()).into());
        }
    }
    let library = ["math.", "arith.remf"];
    let calls_library = |mlir: String| {
        let own = |line: &str| line.contains("math.sqrt") || line.contains("math.absf");
        mlir.lines()
            .any(|line| library.iter().any(|call| line.contains(call)) && !own(line))
    };
    for gpu in [NVIDIA[1], AMD] {
        let llvm = emit("gpu-llvm", gpu)?;
        // A vendor's library is its own (numerics, §Mathematics).
        if !calls_library(emit("gpu-mlir", gpu)?) {
            unfused(&llvm)?;
        }
    }
    Ok(())
}

fn ptx(text: &str) -> Result<(), Failed> {
    for line in text.lines().map(str::trim) {
        let word = line.split_whitespace().next().unwrap_or_default();
        let float = [".f32", ".f64"].iter().any(|ty| word.ends_with(ty));
        let rounded = word.contains(".rn");
        let arithmetic = ["mul.", "add.", "sub.", "div.", "sqrt."];
        let arithmetic = arithmetic.iter().any(|name| word.starts_with(name));
        let fault = word.starts_with("fma.")
            || float && arithmetic && !rounded
            || word.contains(".approx")
            || word.contains(".ftz")
            || line.starts_with(".extern .func");
        if fault {
            return Err(format!("in PTX: {line}").into());
        }
    }
    Ok(())
}

fn unfused(text: &str) -> Result<(), Failed> {
    for line in text.lines() {
        let fused = line.contains("@llvm.fma.") || line.contains("@llvm.fmuladd.");
        let flags = [
            "fast", "contract", "reassoc", "arcp", "afn", "nnan", "ninf", "nsz",
        ];
        let mut words = line.split_whitespace();
        if fused || words.any(|word| flags.contains(&word)) {
            return Err(format!("in LLVM IR: {line}").into());
        }
    }
    Ok(())
}

/// What a stage prints; else the status and what stands on standard error.
fn emit(path: &Path, stage: &str, gpu: &str) -> Result<String, (i32, String)> {
    let mut command = support::neuro_mlir();
    command.arg("emit").arg(path);
    let output = command.args(["--stage", stage, "--gpu", gpu]).output();
    let output = output.map_err(|error| (-1, error.to_string()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.code() {
        Some(0) => Ok(text(&output.stdout)),
        status => Err((status.unwrap_or(-1), text(&output.stderr))),
    }
}
