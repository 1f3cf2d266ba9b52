use std::path::{Path, PathBuf};
use std::process::Command;

use crate::report::Row;
use crate::tools::run;
use crate::{kernels, machine};

/// NVIDIA's assembler and disassembler.
pub struct Cuda {
    /// A folder laid out as CUDA's toolkit.
    pub root: PathBuf,
}

impl Cuda {
    /// Where `NEURO_CUDA_ROOT` says, if they are there.
    pub fn find() -> Option<Cuda> {
        let root = std::env::var_os("NEURO_CUDA_ROOT").filter(|root| !root.is_empty())?;
        let cuda = Cuda { root: root.into() };
        let tools = ["ptxas", "nvdisasm"];
        let there = tools.iter().all(|tool| cuda.tool(tool).is_file());
        there.then_some(cuda)
    }

    fn tool(&self, name: &str) -> PathBuf {
        self.root.join("bin").join(name)
    }

    /// Assembles a program's PTX, with a row for each kernel.
    pub fn assemble(&self, ptx: &str, chip: &str, cubin: &Path) -> Result<Vec<Row>, String> {
        let source = cubin.with_extension("ptx");
        std::fs::write(&source, ptx).map_err(|error| error.to_string())?;
        let mut command = Command::new(self.tool("ptxas"));
        command.args(["-v", "-arch", chip, "-o"]).arg(cubin);
        let (_, notes) = run(command.arg(&source))?;
        if notes.contains("warning") {
            return Err(format!("ptxas for {chip}: {notes}"));
        }
        let rows = rows(&notes, chip)?;
        let entries = kernels::of_ptx(ptx).len();
        match rows.len() == entries {
            true => Ok(rows),
            false => Err(format!(
                "ptxas for {chip} tells of {} kernels, not {entries}",
                rows.len()
            )),
        }
    }

    /// The fused instructions of each kernel of an assembled program.
    pub fn fused(&self, cubin: &Path) -> Result<Vec<(String, Vec<String>)>, String> {
        let mut command = Command::new(self.tool("nvdisasm"));
        let (text, _) = run(command.args(["-c", "-ndf"]).arg(cubin))?;
        let functions = machine::functions(&text, |line| {
            let name = line.trim().strip_prefix(".section\t.text.")?;
            name.split(',').next()
        });
        let fused = functions.into_iter().map(|(name, lines)| {
            let instructions = lines.iter().filter_map(|line| instruction(line));
            let fused = instructions.filter(|&instruction| machine::fuses_sass(instruction));
            (name.to_string(), fused.map(str::to_string).collect())
        });
        Ok(fused.collect())
    }
}

/// What stands on a line after its address, without a predicate.
fn instruction(line: &str) -> Option<&str> {
    let (_, instruction) = line.strip_prefix("/*")?.split_once("*/")?;
    let instruction = instruction.trim();
    match instruction.strip_prefix('@') {
        Some(predicated) => predicated.split_once(' ').map(|(_, rest)| rest.trim()),
        None => Some(instruction),
    }
}

/// What `ptxas -v` says of each kernel.
fn rows(notes: &str, chip: &str) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = Vec::new();
    for line in notes.lines() {
        if let Some((_, name)) = line.split_once("Compiling entry function '") {
            let name = name.split('\'').next().unwrap_or_default();
            rows.push(Row::new(chip, name));
            continue;
        }
        let Some(row) = rows.last_mut() else {
            continue;
        };
        let number = |unit: &str| number_before(line, unit);
        if line.contains("bytes stack frame") {
            row.private += number(" bytes stack frame")?;
            row.spilled += number(" bytes spill stores")? + number(" bytes spill loads")?;
        } else if line.contains(" registers") {
            row.registers = number(" registers")?;
            if line.contains(" bytes smem") {
                row.shared = number(" bytes smem")?;
            }
        }
    }
    Ok(rows)
}

fn number_before(line: &str, unit: &str) -> Result<u64, String> {
    let before = line.split(unit).next().unwrap_or_default();
    let number = before.rsplit(' ').next().unwrap_or_default();
    let wrong = |error| format!("in ptxas's note `{line}`: {error}");
    number.parse().map_err(wrong)
}
