//! The kernels of a text by name, and what is in them.

pub fn of_ptx(text: &str) -> Vec<(&str, &str)> {
    split(text, ".entry ", "\n}")
}

pub fn of_llvm(text: &str) -> Vec<(&str, &str)> {
    split(text, "_kernel void @", "\n}")
}

pub fn of_mlir(text: &str) -> Vec<(&str, &str)> {
    split(text, "gpu.func @", "gpu.func @")
}

/// From each `start` the name up to a parenthesis, and the text up to `end`.
fn split<'t>(text: &'t str, start: &str, end: &str) -> Vec<(&'t str, &'t str)> {
    let starts = text.match_indices(start);
    let kernels = starts.filter_map(|(at, _)| {
        let (name, rest) = text[at + start.len()..].split_once('(')?;
        Some((name, rest.split(end).next().unwrap_or(rest)))
    });
    kernels.collect()
}

/// Whether a kernel in MLIR calls what a vendor's library has, and there is no instruction for.
pub fn calls_library(mlir: &str) -> bool {
    let own = |line: &str| line.contains("math.sqrt") || line.contains("math.absf");
    let library = |line: &str| line.contains("math.") || line.contains("arith.remf");
    mlir.lines().any(|line| library(line) && !own(line))
}

/// Which operation of a kernel's LLVM IR is not one instruction but an exact sequence of them, which
/// may have fused multiply-adds.
pub fn expands(llvm: &str) -> Option<&'static str> {
    llvm.lines().find_map(|line| {
        let words = line.split_whitespace();
        let has = |name: &str| words.clone().any(|word| word == name);
        let divides = ["sdiv", "udiv", "srem", "urem"];
        if has("fdiv") {
            Some("division")
        } else if has("frem") {
            Some("remainder")
        } else if line.contains("@llvm.sqrt.") {
            Some("square root")
        } else if divides.iter().any(|name| has(name)) && by_an_i64(line) {
            Some("64-bit integer division")
        } else if ["sitofp", "uitofp", "fptosi", "fptoui"]
            .iter()
            .any(|name| has(name))
            && has_i64(line)
            || line.contains("@llvm.fpto") && line.contains(".sat.i64")
        {
            Some("64-bit integer conversion")
        } else {
            None
        }
    })
}

fn has_i64(line: &str) -> bool {
    line.split_whitespace().any(|word| word == "i64")
}

/// Whether the divisor is no constant: by those a multiplication divides.
fn by_an_i64(line: &str) -> bool {
    let divisor = line.split(", ").nth(1);
    has_i64(line) && divisor.is_some_and(|divisor| divisor.starts_with('%'))
}
