use std::fs;
use std::path::Path;

use crate::{Fault, files};

const VARIABLE: &str = "NEURO_MLIR_DUMP";

/// Whether the folder that the variable names, for the stages of each compile, can be made and
/// written to. Asked before a compile: to that, a file that it cannot write is its own fault.
pub fn check_writable() -> Result<(), Fault> {
    let Some(folder) = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) else {
        return Ok(());
    };
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)
        .and_then(|()| files::check_writable(&folder.join("module.ll")))
        .map_err(|error| {
            let folder = folder.display();
            let text = format!("{VARIABLE}: `{folder}` cannot be written to: {error}");
            Fault::wrong(None, text)
        })
}
