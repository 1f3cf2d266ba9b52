use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Failure, MlirError};

/// Where the stages of one compile are written: `NEURO_MLIR_DUMP=DIR` gives each compile a folder
/// `DIR/NNN-name` with `NN-after-<pass>.mlir` and `module.ll`.
pub(crate) struct Dump {
    folder: PathBuf,
    written: AtomicU32,
}

impl Dump {
    pub(crate) fn from_environment(name: &str) -> Result<Option<Self>, MlirError> {
        match std::env::var_os("NEURO_MLIR_DUMP") {
            Some(folder) if !folder.is_empty() => Dump::new(Path::new(&folder), name).map(Some),
            _ => Ok(None),
        }
    }

    fn new(parent: &Path, name: &str) -> Result<Self, MlirError> {
        static COMPILES: AtomicU32 = AtomicU32::new(0);
        let number = COMPILES.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("{number:03}-{name}"));
        fs::create_dir_all(&folder).map_err(|error| failure(&folder, &error))?;
        Ok(Dump {
            folder,
            written: AtomicU32::new(0),
        })
    }

    /// Writes the module as it is after a pass.
    pub(crate) fn after(&self, pass: &str, module: &str) -> Result<(), MlirError> {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        self.write(&format!("{number:02}-after-{pass}.mlir"), module)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), MlirError> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(|error| failure(&path, &error))
    }
}

fn failure(path: &Path, error: &std::io::Error) -> MlirError {
    let message = format!("NEURO_MLIR_DUMP: {}: {error}", path.display());
    MlirError::PassPipelineFailed(Failure::new(message))
}
