//! Where a vendor's tools and libraries are.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, io};

use mlir_pipeline::{Failure, MlirError};

use crate::Vendor;

/// A folder laid out as a vendor's toolkit.
pub(crate) struct Toolkit {
    folder: PathBuf,
    /// Whether MLIR does not find it by itself: it is ours, and goes with this value.
    made: bool,
}

impl Toolkit {
    /// What bitcode for the emulator is made with. It has NVIDIA's mathematics itself, by the names
    /// of the library, which is empty here where MLIR would find one to link.
    pub(crate) fn of_emulator(vendor: Vendor) -> Result<Option<Toolkit>, MlirError> {
        if vendor == Vendor::Amd || installed(vendor).is_none() {
            return Toolkit::find(vendor);
        }
        Toolkit::made(|folder| {
            let library = folder.join(library(vendor));
            fs::create_dir_all(library.parent().unwrap_or(folder))?;
            fs::write(library, "")
        })
        .map(Some)
    }

    /// The toolkit as MLIR finds it, or for AMD one made of LLVM's own linker and of the device
    /// libraries that are installed beside it, if there are some.
    pub(crate) fn find(vendor: Vendor) -> Result<Option<Toolkit>, MlirError> {
        if let Some(folder) = installed(vendor) {
            return Ok(Some(Toolkit {
                folder,
                made: false,
            }));
        }
        let Some(linker) = linker().filter(|_| vendor == Vendor::Amd) else {
            return Ok(None);
        };
        Toolkit::made(|folder| {
            let tools = folder.join("llvm/bin");
            fs::create_dir_all(&tools)?;
            link(&linker, &tools.join(LINKER))?;
            if let Some(libraries) = device_libraries(&linker) {
                fs::create_dir_all(folder.join("amdgcn"))?;
                link(&libraries, &folder.join("amdgcn/bitcode"))?;
            }
            Ok(())
        })
        .map(Some)
    }

    /// A new folder that `lay_out` fills.
    fn made(lay_out: impl FnOnce(&Path) -> io::Result<()>) -> Result<Toolkit, MlirError> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("neuro-toolkit-{}-{number}", std::process::id());
        let toolkit = Toolkit {
            folder: env::temp_dir().join(name),
            made: true,
        };
        lay_out(&toolkit.folder).map_err(|error| {
            let message = format!("{}: {error}", toolkit.folder.display());
            MlirError::GpuSerializationFailed(Failure::new(message))
        })?;
        Ok(toolkit)
    }

    /// Whether the device library of mathematics is in it.
    pub(crate) fn has_mathematics(&self, vendor: Vendor) -> bool {
        self.folder.join(library(vendor)).is_file()
    }

    /// AMD's linker, where it is looked for.
    pub(crate) fn linker(&self) -> PathBuf {
        self.folder.join("llvm/bin").join(LINKER)
    }

    /// The option of `gpu-module-to-binary` that names it; nothing where MLIR finds it.
    ///
    /// # Errors
    /// A path that is no word in the syntax of pipelines.
    pub(crate) fn option(&self) -> Result<String, MlirError> {
        if !self.made {
            return Ok(String::new());
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
        match self.folder.to_str() {
            Some(path) if path.chars().all(plain) => Ok(format!(" toolkit={path}")),
            _ => {
                let path = self.folder.display();
                let message = format!(
                    "`{path}`: the folder of temporary files has a name that no pipeline takes; set TMPDIR"
                );
                Err(MlirError::GpuSerializationFailed(Failure::new(message)))
            }
        }
    }
}

impl Drop for Toolkit {
    fn drop(&mut self) {
        if self.made {
            // What stays is in the folder of temporary files.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

const LINKER: &str = "ld.lld";

/// A vendor's mathematics in its toolkit.
fn library(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::Nvidia => "nvvm/libdevice/libdevice.10.bc",
        Vendor::Amd => "amdgcn/bitcode/ocml.bc",
    }
}

/// As MLIR looks for it.
fn installed(vendor: Vendor) -> Option<PathBuf> {
    let variables = match vendor {
        Vendor::Nvidia => ["CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"],
        Vendor::Amd => ["ROCM_PATH", "ROCM_ROOT", "ROCM_HOME"],
    };
    let set = variables.into_iter().filter_map(env::var_os);
    let mut set = set.filter(|value| !value.is_empty()).map(PathBuf::from);
    let usual = (vendor == Vendor::Amd).then(|| PathBuf::from("/opt/rocm"));
    set.next().or(usual.filter(|folder| folder.is_dir()))
}

/// LLVM's linker: of the prefix that these builds use, or on the path.
fn linker() -> Option<PathBuf> {
    let prefix = env::var_os("NEURO_LLVM_PREFIX").map(|prefix| PathBuf::from(prefix).join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = prefix.into_iter().chain(env::split_paths(&path));
    let mut linkers = folders.map(|folder| folder.join(LINKER));
    linkers.find(|linker| linker.is_file())
}

/// AMD's device libraries, where distributions put them: with the Clang of one LLVM of those
/// installed beside the linker's, the newest first.
fn device_libraries(linker: &Path) -> Option<PathBuf> {
    let linker = linker.canonicalize().ok()?;
    let prefixes = linker.ancestors().nth(3)?;
    let sorted = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths.reverse();
        paths
    };
    let versions = sorted(prefixes).into_iter();
    let versions = versions.flat_map(|prefix| sorted(&prefix.join("lib/clang")));
    let mut libraries = versions.map(|version| version.join("amdgcn/bitcode"));
    libraries.find(|folder| folder.join("ocml.bc").is_file())
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn link(_to: &Path, _at: &Path) -> io::Result<()> {
    Err(io::Error::other("set ROCM_PATH to where ROCm is"))
}
