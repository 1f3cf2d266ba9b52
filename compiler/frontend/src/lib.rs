//! From `.nr` source to the typed HIR: lexer, parser, checker, outlining of tensor operations.
//!
//! It must never panic, whatever the source, and never know a backend: what it can say of a
//! program is in the HIR or in its diagnostics.

mod check;
mod deep;
mod diagnostic;
mod faults;
mod moves;
mod outline;
mod place;
mod syntax;

pub use diagnostic::{Diagnostic, Note};

use neuro_hir::{HirProgram, Tier};
use shared_types::{FileId, SourceMap, Span};

/// Who has mended these compiles again.
const MOST_FAULTS: usize = 50;

/// How a program is compiled.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub tier: Tier,
    /// Tensor operations run where their operands live, as in a program that moves a tensor to a
    /// device.
    pub on_device: bool,
}

/// Compiles a file of `sources` (surface, all of it).
///
/// # Errors
/// The faults of the file, in source order.
pub fn compile(
    sources: &SourceMap,
    file: FileId,
    options: Options,
) -> Result<HirProgram, Vec<Diagnostic>> {
    let nowhere = Span::new(file, 0, 0);
    let Some(source) = sources.get(file) else {
        return Err(vec![Diagnostic::new(nowhere, "there is no such file")]);
    };
    let text = source.text();
    let compiled = deep::on_deep_stack(|| compile_text(file, text, options));
    compiled.unwrap_or_else(|error| {
        let message = format!("no thread to compile on: {error}");
        Err(vec![Diagnostic::new(nowhere, message)])
    })
}

fn compile_text(file: FileId, text: &str, options: Options) -> Result<HirProgram, Vec<Diagnostic>> {
    let (module, mut faults) = syntax::parse(file, text);
    if !faults.is_empty() {
        faults.truncate(MOST_FAULTS);
        return Err(faults);
    }
    let (program, mut faults) = check::check(&module, options.tier);
    if faults.is_empty() {
        moves::check(&program, &mut faults);
    }
    if faults.is_empty() {
        Ok(outline::outline(program, options.on_device))
    } else {
        let mut faults = faults.into_diagnostics();
        faults.truncate(MOST_FAULTS);
        Err(faults)
    }
}
