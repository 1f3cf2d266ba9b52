//! What a run leaves: the result on standard output, and in files.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use interpreter::Value;
use neuro_hir::{HirFunction, HirType};
use tensor::{Tensor, format, npy};

use crate::{Fault, files};

/// Writes a line to standard error; where that cannot be written, nobody asked for it.
pub fn note(line: &dyn Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes a line, and what may stand before its end, to standard output.
pub fn print_line(line: &str) -> Result<(), Fault> {
    print(format!("{line}\n").as_bytes())
}

pub fn print(bytes: &[u8]) -> Result<(), Fault> {
    let mut output = io::stdout().lock();
    output
        .write_all(bytes)
        .and_then(|()| output.flush())
        .map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Fault::OutputClosed,
            _ => Fault::failed(None, format!("standard output cannot be written: {error}")),
        })
}

/// A function's result: none, one value, or a tuple's members.
pub struct Results<'p> {
    types: Vec<&'p HirType>,
    /// Where each one is to be written; empty where none is.
    paths: Vec<PathBuf>,
}

impl<'p> Results<'p> {
    /// What `function` gives. `out`, a file that may be written, gets it.
    pub fn of(function: &'p HirFunction, out: Option<&Path>) -> Result<Self, Fault> {
        let name = &function.name;
        let result = function.result.referent();
        let types: Vec<&HirType> = match result {
            HirType::Void => vec![],
            HirType::Tuple(members) => members.iter().map(HirType::referent).collect(),
            HirType::Scalar(_)
            | HirType::Tensor(_)
            | HirType::Function(_)
            | HirType::String
            | HirType::Nominal(_)
            | HirType::Reference { .. } => vec![result],
        };
        if let Some(ty) = types.iter().find(|ty| ty.element().is_none()) {
            let text = format!("`{name}` gives a {ty}, which cannot be printed");
            return Err(Fault::wrong(Some(function.span), text));
        }
        let Some(out) = out else {
            let paths = vec![];
            return Ok(Results { types, paths });
        };
        if types.is_empty() {
            let text = format!("`{name}` has no result to write to `{}`", out.display());
            return Err(Fault::wrong(None, text));
        }
        let paths: Vec<PathBuf> = match result {
            HirType::Tuple(members) => (0..members.len()).map(|n| numbered(out, n)).collect(),
            _ => vec![out.to_path_buf()],
        };
        for path in &paths {
            files::check_writable(path).map_err(|error| {
                let path = path.display();
                Fault::wrong(None, format!("`{path}` cannot be written: {error}"))
            })?;
        }
        Ok(Results { types, paths })
    }

    /// Prints the result, or its hash, and writes the files.
    pub fn deliver(&self, value: Value<'_>, hash: bool) -> Result<(), Fault> {
        let values = match value {
            Value::Void => vec![],
            Value::Tuple(members) => members,
            value => vec![value],
        };
        if values.len() != self.types.len() {
            return Err(Fault::internal(None, "the result is not of its type"));
        }
        for (index, (value, ty)) in values.into_iter().zip(&self.types).enumerate() {
            let tensor = tensor_of(value)?;
            let line = match hash {
                true => format!("{ty} {:016x}", tensor.hash()),
                false => format::tensor(&tensor),
            };
            print_line(&line)?;
            if let Some(path) = self.paths.get(index) {
                npy::write(path, &tensor).map_err(|error| {
                    Fault::failed(None, format!("`{}`: {error}", path.display()))
                })?;
            }
        }
        Ok(())
    }
}

/// A scalar is written and hashed as an array of rank 0.
pub fn tensor_of(value: Value<'_>) -> Result<Tensor, Fault> {
    match value {
        Value::Tensor(tensor) => Ok(tensor),
        Value::Scalar(scalar) => {
            Tensor::from_scalar(scalar).map_err(|error| Fault::failed(None, error.to_string()))
        }
        Value::Void
        | Value::Remote(_)
        | Value::Tuple(_)
        | Value::Struct(_)
        | Value::Function(_)
        | Value::String(_)
        | Value::Reference(_) => Err(Fault::internal(None, "the result is not of its type")),
    }
}

/// `FILE.npy` with a number: `FILE.0.npy`.
fn numbered(out: &Path, number: usize) -> PathBuf {
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".npy").unwrap_or(&name);
    out.with_file_name(format!("{stem}.{number}.npy"))
}
