//! `gpu-bundle`: kernels with what they are given and what they answer, to be run on a machine that
//! has an NVIDIA GPU and Python, and nothing of this project.
//!
//! A run of a program is recorded as what it asks of its device. The emulated device answers for
//! the programs that are given, the JIT for the speed set, whose kernels are not run here.

mod answered;
mod case;
mod parameters;
mod recorder;
mod speed;
mod store;

use std::path::Path;

use frontend::Options;
use neuro_hir::Tier;
use serde_json::Value;
use shared_types::SourceMap;

use crate::cli::GpuBundle;
use crate::output::note;
use crate::{Fault, source};
use case::Case;
use store::Store;

/// What runs the bundle.
const SCRIPT: &str = include_str!("run.py");

/// Writes the bundle; the list of its cases last, so that half of a bundle is none.
pub fn bundle(options: &GpuBundle, sources: &mut SourceMap) -> Result<(), Fault> {
    let store = Store::create(&options.output)?;
    let mut cases = Vec::new();
    for file in &options.files {
        cases.extend(corpus(file, sources, &store)?);
    }
    cases.extend(speed::cases(options.small, sources, &store)?);
    store.write("run.py", SCRIPT.as_bytes())?;
    store.finish(cases)
}

/// A case for each function of a program that launches kernels with random arguments. What cannot
/// be compiled for a GPU, or be called so, is left out, and a line on standard error says so, once for a reason.
fn corpus(file: &Path, sources: &mut SourceMap, store: &Store) -> Result<Vec<Value>, Fault> {
    let front_end = Options {
        tier: Tier::Checked,
        on_device: true,
    };
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let mut last_reason = String::new();
    let mut left_out = |what: &str, fault: &Fault, sources: &SourceMap| {
        let text = fault.text(sources);
        let reason = text.lines().next().unwrap_or_default();
        // What is wrong in a program as a whole is so for each of its functions.
        if reason != last_reason {
            note(&format_args!("{what} is left out: {reason}"));
            last_reason = reason.to_string();
        }
    };
    let program = match source::compile_with(file, front_end, sources) {
        Ok(program) => program,
        Err(fault @ Fault::Source(_)) => {
            left_out(&file.display().to_string(), &fault, sources);
            return Ok(Vec::new());
        }
        Err(fault) => return Err(fault),
    };
    let mut cases = Vec::new();
    for function in program.functions() {
        if !source::is_written(function, sources) {
            continue;
        }
        let case = Case {
            name: format!("{name}.{}", function.name),
            program: &program,
            function,
            seed: 1,
        };
        match case.emulated(store) {
            Ok(recorded) => cases.extend(recorded),
            Err(fault @ Fault::Internal(_)) => return Err(fault),
            Err(fault) => left_out(&case.name, &fault, sources),
        }
    }
    Ok(cases)
}
