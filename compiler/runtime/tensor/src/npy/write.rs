use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::tuple;
use super::header::MAGIC;
use super::{NpyError, descriptor};
use crate::Tensor;

/// Writes a file, or leaves what was there: nothing is ever half written.
pub fn write(path: &Path, tensor: &Tensor) -> Result<(), NpyError> {
    replace(path, tensor).map_err(|error| NpyError::Write(error.to_string()))
}

/// The bytes of a file.
pub fn encode(tensor: &Tensor) -> Vec<u8> {
    let mut bytes = header(tensor);
    bytes.extend_from_slice(tensor.bytes());
    bytes
}

fn replace(path: &Path, tensor: &Tensor) -> io::Result<()> {
    let target = match fs::metadata(path) {
        // A pipe or a terminal cannot be replaced, only written to; a directory neither.
        Ok(found) if !found.is_file() => return put(File::create(path)?, tensor),
        // Where a link leads: the link stays.
        Ok(_) => fs::canonicalize(path)?,
        Err(_) => path.to_path_buf(),
    };
    let (file, temporary) = create_beside(&target)?;
    let done = put(file, tensor).and_then(|()| fs::rename(&temporary, &target));
    if done.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    done
}

fn put(file: File, tensor: &Tensor) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    file.write_all(&header(tensor))?;
    file.write_all(tensor.bytes())?;
    file.flush()
}

/// A new file in the same folder, so that a rename moves no data.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!(".{}-{number}.npy.part", std::process::id());
        let temporary = target.with_file_name(name);
        match File::create_new(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// The magic, the version, the length and the dictionary, padded to a multiple of 64 bytes.
fn header(tensor: &Tensor) -> Vec<u8> {
    let mut text = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
        descriptor(tensor.scalar_type()),
        tuple(tensor.shape()),
    );
    let padded = |prefix: usize| (prefix + text.len() + 1).next_multiple_of(64) - prefix;
    let mut bytes = MAGIC.to_vec();
    let length = match u16::try_from(padded(MAGIC.len() + 4)) {
        Ok(length) => {
            bytes.extend([1, 0]);
            bytes.extend(length.to_le_bytes());
            usize::from(length)
        }
        // A shape of thousands of axes.
        Err(_) => {
            let length = padded(MAGIC.len() + 6);
            bytes.extend([2, 0]);
            bytes.extend((length as u32).to_le_bytes());
            length
        }
    };
    text += &" ".repeat(length - text.len() - 1);
    text.push('\n');
    bytes.extend(text.into_bytes());
    bytes
}
