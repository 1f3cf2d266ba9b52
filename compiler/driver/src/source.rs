use std::fs::File;
use std::io::Read;
use std::path::Path;

use frontend::{Diagnostic, Options};
use neuro_hir::{HirFunction, HirProgram, Tier};
use shared_types::{SourceFile, SourceMap, Span};

use crate::Fault;

/// More than anybody writes; what has no end is not read for ever, and a position has 32 bits.
const MOST_BYTES: u64 = 64 << 20;

/// `check`: reports what is wrong with a program, if anything.
pub fn check(path: &Path, sources: &mut SourceMap) -> Result<(), Fault> {
    compile(path, Tier::Checked, sources).map(drop)
}

/// Reads a file and compiles it to HIR.
pub fn compile(path: &Path, tier: Tier, sources: &mut SourceMap) -> Result<HirProgram, Fault> {
    let on_device = false;
    compile_with(path, Options { tier, on_device }, sources)
}

/// The same with the front end's options.
pub fn compile_with(
    path: &Path,
    options: Options,
    sources: &mut SourceMap,
) -> Result<HirProgram, Fault> {
    let name = path.display().to_string();
    let unreadable = |reason: &dyn std::fmt::Display| {
        Fault::wrong(None, format!("`{name}` cannot be read: {reason}"))
    };
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > MOST_BYTES {
        let most = format!("a source file has at most {} MiB", MOST_BYTES >> 20);
        return Err(unreadable(&most));
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            return Err(not_text(
                &name,
                error.utf8_error(),
                error.as_bytes(),
                sources,
            ));
        }
    };
    let file = sources.add(SourceFile::new(name, text));
    let program = frontend::compile(sources, file, options).map_err(Fault::Source)?;
    program.verify().map_err(|errors| {
        let first = errors.into_iter().next();
        let (span, message) = first.map(|error| (error.span, error.message)).unzip();
        Fault::internal(span, message.unwrap_or_default())
    })?;
    Ok(program)
}

/// Whether a function is one of the source: of one that the compiler made, the source does not have
/// the name.
pub fn is_written(function: &HirFunction, sources: &SourceMap) -> bool {
    let Span { file, start, end } = function.span;
    let file = sources.get(file);
    file.and_then(|file| file.text().get(start as usize..end as usize))
        .is_some_and(|text| text.contains(&function.name))
}

/// The fault of a file with bytes that are no text, at the first of them.
fn not_text(
    name: &str,
    error: std::str::Utf8Error,
    bytes: &[u8],
    sources: &mut SourceMap,
) -> Fault {
    let end = error.valid_up_to();
    let text = String::from_utf8_lossy(&bytes[..end]);
    let file = sources.add(SourceFile::new(name, text));
    let span = Span::new(file, end as u32, end as u32);
    let message = "the file is not UTF-8 text from here on";
    Fault::Source(vec![Diagnostic::new(span, message)])
}
