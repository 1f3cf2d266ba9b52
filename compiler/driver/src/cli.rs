use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use codegen::Processor;
use mlir_backend::internal::{Chip, Vendor};
use neuro_hir::Tier;

/// Runs, checks and compiles Neuro programs through MLIR.
///
/// Exit status: 0; 1 the program failed (a panic, or no usable device, driver or memory); 2 the
/// source or the arguments are wrong, or ask for what is not built yet; 3 an internal error.
#[derive(Debug, Parser)]
#[command(name = "neuro-mlir", version, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a program, and print its result as NumPy would
    Run(Run),
    /// Print a program's diagnostics, and nothing else
    Check {
        #[arg(value_name = "FILE.nr")]
        file: PathBuf,
    },
    /// Print one stage of a program's compilation
    Emit(Emit),
    /// Write a program's tensor operations as a library for C: NAME.o, NAME.h and libNAME.a, where
    /// FILE.nr gives the name
    Build(Build),
    /// Write programs' kernels with a script, run.py, that checks and times them on a machine with
    /// an NVIDIA GPU
    GpuBundle(GpuBundle),
}

#[derive(Debug, Args)]
pub struct Run {
    #[arg(value_name = "FILE.nr")]
    pub file: PathBuf,
    /// The function to run
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,
    /// An argument of it: a scalar, a .npy file, or random:SEED
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = named_value)]
    pub arguments: Vec<(String, String)>,
    /// Write the result there; each member of a tuple to a file of its own, FILE.0.npy and so on
    #[arg(long, value_name = "FILE.npy")]
    pub out: Option<PathBuf>,
    /// What runs the tensor operations
    #[arg(long, value_enum, default_value = "jit")]
    pub engine: EngineName,
    /// How many threads share the work of the engine jit; no bit depends on it
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads)]
    pub threads: NonZeroUsize,
    #[command(flatten)]
    pub overflow: OverflowOption,
    /// Print the result's type and hash in place of its elements
    #[arg(long)]
    pub hash: bool,
    /// Print on standard error how long each step took
    #[arg(long)]
    pub time: bool,
    /// Print on standard error a line for each operation run: its name, the engine, where it ran,
    /// how many kernels it launched, and of a GPU engine's why it ran on the host
    #[arg(long)]
    pub trace: bool,
}

#[derive(Debug, Args)]
pub struct Emit {
    #[arg(value_name = "FILE.nr")]
    pub file: PathBuf,
    #[arg(long, value_enum)]
    pub stage: Stage,
    /// The GPU that a GPU stage is for, such as nvidia:sm_90 or amd:gfx942; other stages take none
    #[arg(long, value_name = "VENDOR:CHIP", value_parser = gpu)]
    pub gpu: Option<Chip>,
    /// Of the stages schedule and link, with loops that threads share
    #[arg(long)]
    pub threads: bool,
    #[command(flatten)]
    pub overflow: OverflowOption,
    /// Write there in place of standard output
    #[arg(short, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Build {
    #[arg(value_name = "FILE.nr")]
    pub file: PathBuf,
    /// The folder to write to, made where it is missing
    #[arg(short, value_name = "DIR")]
    pub output: PathBuf,
    #[command(flatten)]
    pub overflow: OverflowOption,
    /// The oldest processor that the code runs on: `native` for this machine's, or one of LLVM's
    /// names, such as x86-64-v3; without it, every processor of this machine's architecture
    #[arg(long, value_name = "NAME")]
    pub cpu: Option<Processor>,
    /// Add bodies for a GPU, such as nvidia:sm_90 or amd:gfx942; programs link libneuro_gpu.a too
    #[arg(long, value_name = "VENDOR:CHIP", value_parser = gpu)]
    pub gpu: Option<Chip>,
    /// Let the caller's threads share loops: a body with one takes what shares it
    #[arg(long)]
    pub threads: bool,
}

#[derive(Debug, Args)]
pub struct GpuBundle {
    /// Programs whose functions are run with random arguments, beside the speed set
    #[arg(value_name = "FILE.nr")]
    pub files: Vec<PathBuf>,
    /// The folder to write to, made where it is missing
    #[arg(short, value_name = "DIR")]
    pub output: PathBuf,
    /// Make the speed set small, as for a trial without a GPU
    #[arg(long)]
    pub small: bool,
}

#[derive(Debug, Args)]
pub struct OverflowOption {
    /// What an integer overflow is
    #[arg(long, value_enum, default_value = "checked")]
    overflow: Overflow,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Overflow {
    /// A panic
    Checked,
    /// The low bits
    Wrapping,
}

impl OverflowOption {
    pub fn tier(&self) -> Tier {
        match self.overflow {
            Overflow::Checked => Tier::Checked,
            Overflow::Wrapping => Tier::Wrapping,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// Code for this machine
    Jit,
    /// The reference, element by element
    Interpreter,
    /// Kernels of an NVIDIA GPU, run and checked on this machine
    EmulatedNvidia,
    /// Kernels of an AMD GPU, run and checked on this machine
    EmulatedAmd,
    /// Kernels on this machine's first NVIDIA GPU
    Cuda,
    /// Kernels on this machine's first AMD GPU
    Hip,
}

impl EngineName {
    /// Whether operations follow their operands to a device.
    pub fn has_device(self) -> bool {
        match self {
            EngineName::Jit | EngineName::Interpreter => false,
            EngineName::EmulatedNvidia
            | EngineName::EmulatedAmd
            | EngineName::Cuda
            | EngineName::Hip => true,
        }
    }

    /// Whether it runs kernels, and functions that are `@gpu` alone.
    pub fn runs_kernels(self) -> bool {
        match self {
            EngineName::Jit => false,
            EngineName::Interpreter
            | EngineName::EmulatedNvidia
            | EngineName::EmulatedAmd
            | EngineName::Cuda
            | EngineName::Hip => true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The typed program, its tensor operations outlined
    Hir,
    /// The whole program as MLIR
    Mlir,
    /// The LLVM IR of that
    Llvm,
    /// The transform scripts that schedule their contractions for this machine
    Schedule,
    /// The LLVM IR of the bodies that a compile links
    Link,
    /// The kernels and the host functions that launch them, as MLIR
    GpuMlir,
    /// The LLVM IR of the kernels
    GpuLlvm,
    /// The kernels as NVIDIA's PTX
    Ptx,
    /// The kernels as AMD's assembly
    Amdgcn,
    /// The kernels as AMD's code object, an ELF file
    CodeObject,
}

impl Stage {
    /// Whose GPUs it is of; none where it is the host's.
    pub fn vendors(self) -> &'static [Vendor] {
        match self {
            Stage::Hir | Stage::Mlir | Stage::Llvm | Stage::Schedule | Stage::Link => &[],
            Stage::GpuMlir | Stage::GpuLlvm => &[Vendor::Nvidia, Vendor::Amd],
            Stage::Ptx => &[Vendor::Nvidia],
            Stage::Amdgcn | Stage::CodeObject => &[Vendor::Amd],
        }
    }

    /// Whether it tells of loops that threads share.
    pub fn shares_loops(self) -> bool {
        match self {
            Stage::Schedule | Stage::Link => true,
            Stage::Hir | Stage::Mlir | Stage::Llvm => false,
            Stage::GpuMlir | Stage::GpuLlvm | Stage::Ptx | Stage::Amdgcn | Stage::CodeObject => {
                false
            }
        }
    }
}

/// An option's value as it is written.
pub fn name_of(value: impl ValueEnum) -> String {
    let possible = value.to_possible_value();
    possible.map_or_else(String::new, |value| value.get_name().to_string())
}

fn named_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err("NAME=VALUE was expected".to_string()),
    }
}

/// More than any machine has would only be a mistake.
const MOST_THREADS: usize = 1024;

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let count = text.parse().ok().filter(|&count| count <= MOST_THREADS);
    count
        .and_then(NonZeroUsize::new)
        .ok_or_else(|| format!("1 to {MOST_THREADS} was expected"))
}

fn gpu(text: &str) -> Result<Chip, String> {
    let Some((vendor, chip)) = text.split_once(':') else {
        let text = "VENDOR:CHIP was expected, such as nvidia:sm_90 or amd:gfx942";
        return Err(text.to_string());
    };
    let vendor = match vendor {
        "nvidia" => Vendor::Nvidia,
        "amd" => Vendor::Amd,
        _ => {
            return Err(format!(
                "`{vendor}` is no vendor: nvidia or amd was expected"
            ));
        }
    };
    Chip::find(vendor, chip).map_err(|error| error.to_string())
}
