//! AMD's code objects: what their loader would read, and their instructions.

use std::collections::BTreeSet;
use std::path::Path;

use object::{Object, ObjectSymbol};

use crate::launches::Launch;
use crate::machine;
use crate::report::Row;
use crate::tools::{llvm, run};

/// What a work-group may have of memory that it shares.
const MOST_SHARED: u64 = 64 << 10;

/// What is told of one kernel.
#[derive(Debug, Default)]
struct Kernel {
    arguments: Vec<Argument>,
    /// The other entries, by key.
    entries: Vec<(String, String)>,
}

#[derive(Debug, Default)]
struct Argument {
    offset: u64,
    size: u64,
    kind: String,
}

impl Kernel {
    fn text(&self, key: &str) -> Result<&str, String> {
        let mut entries = self.entries.iter();
        let entry = entries.find(|(name, _)| name == key);
        let missing = || format!("a kernel without {key}: {self:?}");
        entry.map(|(_, value)| &**value).ok_or_else(missing)
    }

    fn number(&self, key: &str) -> Result<u64, String> {
        let wrong = |error| format!("{key}: {error}");
        self.text(key)?.parse().map_err(wrong)
    }
}

/// Reads a code object at a path, with a row for each kernel.
pub fn check(path: &Path, chip: &str, launches: &[Launch]) -> Result<Vec<Row>, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let object = object::File::parse(&*bytes).map_err(|error| error.to_string())?;
    for symbol in object.symbols().chain(object.dynamic_symbols()) {
        if symbol.is_undefined() && symbol.name() != Ok("") {
            return Err(format!("nothing defines {:?}", symbol.name()));
        }
    }
    let (notes, _) = run(llvm("llvm-readobj").arg("--notes").arg(path))?;
    let told = kernels(&notes)?;
    let names = told.iter().map(|kernel| kernel.text(".name"));
    let names: BTreeSet<&str> = names.collect::<Result<_, _>>()?;
    let launched: BTreeSet<&str> = launches.iter().map(|launch| &*launch.kernel).collect();
    if names != launched {
        return Err(format!("of the launched {launched:?} there are {names:?}"));
    }
    let mut rows = Vec::new();
    for kernel in &told {
        let name = kernel.text(".name")?;
        if kernel.text(".symbol")? != format!("{name}.kd") {
            return Err(format!("the symbol of {name}"));
        }
        descriptor(&object, name)?;
        for launch in launches.iter().filter(|launch| launch.kernel == name) {
            fits(kernel, launch)?;
        }
        if kernel.number(".group_segment_fixed_size")? > MOST_SHARED
            || kernel.text(".uses_dynamic_stack")? != "false"
        {
            return Err(format!("the memory of {kernel:?}"));
        }
        let mut row = Row::new(chip, name);
        row.registers = kernel.number(".vgpr_count")?;
        row.spilled = kernel.number(".vgpr_spill_count")? + kernel.number(".sgpr_spill_count")?;
        row.private = kernel.number(".private_segment_fixed_size")?;
        row.shared = kernel.number(".group_segment_fixed_size")?;
        rows.push(row);
    }
    Ok(rows)
}

/// Whether the kernel takes what its launch gives.
fn fits(kernel: &Kernel, launch: &Launch) -> Result<(), String> {
    let explicit = |argument: &&Argument| !argument.kind.starts_with("hidden_");
    let taken = kernel.arguments.iter().filter(explicit);
    let taken: Vec<(u64, u64)> = taken
        .map(|argument| (argument.offset, argument.size))
        .collect();
    let threads = kernel.number(".max_flat_workgroup_size")?;
    match taken == launch.parameters && launch.threads <= threads {
        true => Ok(()),
        false => Err(format!("{launch:?} of {kernel:?}")),
    }
}

/// The kernel's descriptor keeps denormals, and rounds to nearest (AMDGPU's kernel descriptor, bits
/// 12 to 19 of `compute_pgm_rsrc1`).
fn descriptor(object: &object::File<'_>, name: &str) -> Result<(), String> {
    let symbol = object.symbol_by_name(&format!("{name}.kd"));
    let symbol = symbol.ok_or_else(|| format!("{name} has no descriptor"))?;
    let bytes = section_bytes(object, &symbol).filter(|bytes| bytes.len() == 64);
    let bytes = bytes.ok_or_else(|| format!("the descriptor of {name} has no 64 bytes"))?;
    let word = u32::from_le_bytes([bytes[48], bytes[49], bytes[50], bytes[51]]);
    let field = |bit: u32| word >> bit & 3;
    let (rounding, denormals) = ([field(12), field(14)], [field(16), field(18)]);
    match (rounding, denormals) == ([0, 0], [3, 3]) {
        true => Ok(()),
        false => Err(format!(
            "{name} rounds by {rounding:?}, denormals are {denormals:?}"
        )),
    }
}

fn section_bytes<'f>(
    object: &object::File<'f>,
    symbol: &object::Symbol<'f, '_>,
) -> Option<&'f [u8]> {
    use object::ObjectSection;
    let section = object.section_by_index(symbol.section_index()?).ok()?;
    section.data_range(symbol.address(), symbol.size()).ok()?
}

/// The kernels of a code object's metadata, as `llvm-readobj` prints it: an entry a line, lists'
/// items after dashes.
fn kernels(notes: &str) -> Result<Vec<Kernel>, String> {
    let mut kernels: Vec<Kernel> = Vec::new();
    for line in notes.lines() {
        let depth = line.len() - line.trim_start().len();
        let item = line.trim_start().strip_prefix("- ");
        let Some((key, value)) = item.unwrap_or(line.trim_start()).split_once(':') else {
            continue;
        };
        let value = value.trim();
        if !key.starts_with('.') {
            continue;
        }
        if depth == 2 && item.is_some() {
            kernels.push(Kernel::default());
        }
        let Some(kernel) = kernels.last_mut() else {
            continue;
        };
        if depth <= 4 {
            kernel.entries.push((key.to_string(), value.to_string()));
            continue;
        }
        if item.is_some() {
            kernel.arguments.push(Argument::default());
        }
        let argument = kernel.arguments.last_mut();
        let argument = argument.ok_or_else(|| format!("in the notes: {line}"))?;
        let number = || value.parse().map_err(|error| format!("{line}: {error}"));
        match key {
            ".offset" => argument.offset = number()?,
            ".size" => argument.size = number()?,
            ".value_kind" => argument.kind = value.to_string(),
            _ => {}
        }
    }
    Ok(kernels)
}

/// The fused instructions of each function.
pub fn fused(path: &Path) -> Result<Vec<(String, Vec<String>)>, String> {
    let mut command = llvm("llvm-objdump");
    let (text, _) = run(command.args(["-d", "--no-show-raw-insn"]).arg(path))?;
    let functions = machine::functions(&text, |line| {
        let (_, name) = line.strip_suffix(">:")?.split_once(" <")?;
        Some(name)
    });
    let fused = functions.into_iter().map(|(name, lines)| {
        let instructions = lines.iter().filter_map(|line| line.split("//").next());
        let fused = instructions.filter(|instruction| machine::fuses_gcn(instruction));
        (name.to_string(), fused.map(str::to_string).collect())
    });
    Ok(fused.collect())
}
