//! What no text of a kernel may have.

use libtest_mimic::Failed;

/// What the driver defines itself: an index or a divisor of a kernel is asserted.
const ASSERTION: &str = ".extern .func __assertfail";

pub fn ptx(text: &str) -> Result<(), Failed> {
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
            || line.starts_with(".extern .func") && line != ASSERTION;
        if fault {
            return Err(format!("in PTX: {line}").into());
        }
    }
    Ok(())
}

/// `nnan` and `ninf` may stand where LLVM has seen that it is so, as after a comparison.
pub fn llvm(text: &str) -> Result<(), Failed> {
    for line in text.lines() {
        let fused = line.contains("@llvm.fma.") || line.contains("@llvm.fmuladd.");
        let flags = ["fast", "contract", "reassoc", "arcp", "afn", "nsz"];
        let mut words = line.split_whitespace();
        if fused || words.any(|word| flags.contains(&word)) {
            return Err(format!("in LLVM IR: {line}").into());
        }
    }
    Ok(())
}
