//! Files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replaces a file's contents.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match fs::metadata(path) {
        // A pipe or a terminal is written to, not replaced.
        Ok(found) if !found.is_file() => return File::create(path)?.write_all(bytes),
        // Where a link leads: the link stays.
        Ok(_) => fs::canonicalize(path)?,
        Err(_) => path.to_path_buf(),
    };
    let temporary = temporary_beside(&target);
    let written = File::create_new(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Replaces the contents of files in one folder, once all of them could be written.
pub fn replace_all<'a>(files: impl Iterator<Item = (&'a Path, &'a [u8])>) -> io::Result<()> {
    let mut temporaries: Vec<(PathBuf, &Path)> = Vec::new();
    let mut replaced = Ok(());
    for (target, bytes) in files {
        let temporary = temporary_beside(target).with_extension(temporaries.len().to_string());
        replaced = File::create_new(&temporary).and_then(|mut file| file.write_all(bytes));
        temporaries.push((temporary, target));
        if replaced.is_err() {
            break;
        }
    }
    for (temporary, target) in temporaries {
        replaced = replaced.and_then(|()| fs::rename(&temporary, target));
        if replaced.is_err() {
            let _ = fs::remove_file(&temporary);
        }
    }
    replaced
}

/// Whether a file may be written there, before the work that makes its contents.
pub fn check_writable(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => Ok(()),
        _ => {
            let temporary = temporary_beside(path);
            File::create_new(&temporary)?;
            fs::remove_file(&temporary)
        }
    }
}

/// In the same folder, so that a rename moves no data.
fn temporary_beside(target: &Path) -> PathBuf {
    target.with_file_name(format!(".{}.part", std::process::id()))
}
