use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use frontend::Options;
use mlir_backend::internal::{self, Chip, Failures, Form, GpuLinked, GpuOptions, Vendor};
use neuro_hir::{HirProgram, Tier};
use shared_types::{SourceFile, SourceMap};

/// NVIDIA's chips: the oldest that is assembled for still, to a new one.
pub const NVIDIA: [&str; 4] = ["sm_75", "sm_80", "sm_90", "sm_100"];
pub const NEWEST: &str = NVIDIA[NVIDIA.len() - 1];
pub const AMD: [&str; 3] = ["gfx90a", "gfx942", "gfx1100"];

/// A program of the tests, taken as one that moves its tensors to a device.
pub struct Program {
    /// Its folder and its name.
    pub name: String,
    pub path: PathBuf,
    hir: OnceLock<Result<HirProgram, String>>,
    ptx: [Text; NVIDIA.len()],
    /// For the newest of [`NVIDIA`]'s chips, and for [`AMD`]'s.
    llvm: [Text; 1 + AMD.len()],
    mlir: [Text; 2],
}

type Text = OnceLock<Result<String, String>>;

impl Program {
    pub fn new(name: String, path: PathBuf) -> Program {
        Program {
            name,
            path,
            hir: OnceLock::new(),
            ptx: Default::default(),
            llvm: Default::default(),
            mlir: Default::default(),
        }
    }

    /// The PTX for each of [`NVIDIA`]'s chips, without libdevice.
    pub fn ptx(&self) -> impl Iterator<Item = (&'static str, Result<&str, String>)> {
        NVIDIA.into_iter().zip(&self.ptx).map(|(chip, once)| {
            let text = once.get_or_init(|| self.assembly(chip));
            (chip, text.as_deref().map_err(String::clone))
        })
    }

    fn assembly(&self, chip: &str) -> Result<String, String> {
        let linked = self.lowered(find(Vendor::Nvidia, chip)?, Form::Assembly)?;
        let text = String::from_utf8(linked.binary).map_err(|error| error.to_string())?;
        Ok(text.trim_end_matches('\0').to_string())
    }

    /// The kernels' LLVM IR for the newest of [`NVIDIA`]'s chips, or for one of [`AMD`]'s.
    pub fn llvm(&self, chip: Chip) -> Result<&str, String> {
        let others = AMD.iter().position(|name| *name == chip.name());
        let once = &self.llvm[others.map_or(0, |index| 1 + index)];
        let text = once.get_or_init(|| {
            let linked = self.lowered(chip, Form::Bitcode)?;
            match linked.binary.is_empty() {
                true => Ok(String::new()),
                false => internal::bitcode_text(&linked.binary).map_err(|error| error.to_string()),
            }
        });
        text.as_deref().map_err(String::clone)
    }

    pub fn lowered(&self, chip: Chip, form: Form) -> Result<GpuLinked, String> {
        internal::link_gpu(self.hir()?, &options(chip, form)).map_err(|error| error.to_string())
    }

    /// The kernels before they are lowered to a vendor's instructions.
    pub fn mlir(&self, vendor: Vendor) -> Result<&str, String> {
        let (once, name) = match vendor {
            Vendor::Nvidia => (&self.mlir[0], NEWEST),
            Vendor::Amd => (&self.mlir[1], AMD[1]),
        };
        let text = once.get_or_init(|| {
            let options = options(find(vendor, name)?, Form::Assembly);
            internal::gpu_mlir(self.hir()?, &options).map_err(|error| error.to_string())
        });
        text.as_deref().map_err(String::clone)
    }

    fn hir(&self) -> Result<&HirProgram, String> {
        let hir = self.hir.get_or_init(|| read(&self.path));
        hir.as_ref().map_err(String::clone)
    }
}

fn read(path: &Path) -> Result<HirProgram, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new(path.display().to_string(), text));
    let options = Options {
        tier: Tier::Checked,
        on_device: true,
    };
    frontend::compile(&sources, file, options).map_err(|faults| {
        let faults = faults.iter().map(|fault| fault.render(&sources));
        faults.collect()
    })
}

fn options(chip: Chip, form: Form) -> GpuOptions<'static> {
    GpuOptions {
        takes: &|_| true,
        chip,
        form,
        // Whether or not this machine has a CUDA toolkit, the kernels are the same.
        math: match chip.vendor {
            Vendor::Nvidia => Some(false),
            Vendor::Amd => None,
        },
        failures: Failures::Stop,
    }
}

pub fn find(vendor: Vendor, chip: &str) -> Result<Chip, String> {
    Chip::find(vendor, chip).map_err(|error| error.to_string())
}
