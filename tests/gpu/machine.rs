//! What no machine code of a kernel may have, unless it [expands](super::kernels::expands).

/// Whether an instruction of NVIDIA's, without its predicate, fuses a multiplication and an addition
/// of floats.
pub fn fuses_sass(instruction: &str) -> bool {
    let (opcode, operands) = instruction.split_once(' ').unwrap_or((instruction, ""));
    let opcode = opcode.split('.').next().unwrap_or_default();
    let fused = [
        "FFMA", "DFMA", "HFMA", "HMMA", "DMMA", "FFMA2", "HFMA2", "FFMA32I",
    ];
    // How the assembler loads a constant: zero times zero, plus it.
    let moves = operands.contains("-RZ, RZ,");
    fused.contains(&opcode) && !moves
}

/// The same of an instruction of AMD's, or of a pair of them.
pub fn fuses_gcn(instruction: &str) -> bool {
    let mut words = instruction.split_whitespace();
    words.any(|word| {
        let float = word.contains("_f") || word.contains("_bf16");
        let names = ["fma", "_mac_", "_mad_", "_dot", "_wmma"];
        let named = names.iter().any(|name| word.contains(name));
        (word.starts_with("v_") || word.starts_with("s_")) && named && float
    })
}

/// The functions of a disassembly: name and instructions. `header` gives a function's name.
pub fn functions<'t>(
    text: &'t str,
    header: impl Fn(&'t str) -> Option<&'t str>,
) -> Vec<(&'t str, Vec<&'t str>)> {
    let mut functions: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = header(line) {
            functions.push((name, Vec::new()));
        } else if let Some((_, instructions)) = functions.last_mut() {
            instructions.push(line.trim());
        }
    }
    functions
}
