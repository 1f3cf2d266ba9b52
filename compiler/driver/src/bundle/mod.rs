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

use std::fmt::Display;
use std::path::Path;

use frontend::Options;
use neuro_hir::{HirProgram, Tier};
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
    let mut programs = Vec::new();
    for file in &options.files {
        programs.extend(compiled(file, sources)?);
    }
    let store = Store::create(&options.output)?;
    let mut cases = Vec::new();
    for (name, program) in &programs {
        cases.extend(corpus(name, program, sources, &store)?);
    }
    let speed = speed::cases(options.small, sources, &store);
    store.intact()?;
    cases.extend(speed?);
    store.write("run.py", SCRIPT.as_bytes())?;
    store.finish(cases)
}

/// A program and its file's name; `None` where it is left out, since it is wrong.
fn compiled(file: &Path, sources: &mut SourceMap) -> Result<Option<(String, HirProgram)>, Fault> {
    let front_end = Options {
        tier: Tier::Checked,
        on_device: true,
    };
    match source::compile_with(file, front_end, sources) {
        Ok(program) => {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            Ok(Some((name.into_owned(), program)))
        }
        Err(fault @ Fault::Source(_)) => {
            left_out(&file.display(), &first_line(&fault, sources));
            Ok(None)
        }
        Err(fault) => Err(fault),
    }
}

fn left_out(what: &dyn Display, reason: &str) {
    note(&format_args!("{what} is left out: {reason}"));
}

fn first_line(fault: &Fault, sources: &SourceMap) -> String {
    let text = fault.text(sources);
    text.lines().next().unwrap_or_default().to_string()
}

/// A case for each function of a program that launches kernels with random arguments. What cannot
/// be compiled for a GPU, or be called so, is left out, and a line on standard error says so, once for a reason.
fn corpus(
    name: &str,
    program: &HirProgram,
    sources: &SourceMap,
    store: &Store,
) -> Result<Vec<Value>, Fault> {
    let mut last_reason = String::new();
    let mut cases = Vec::new();
    for function in program.functions() {
        if !source::is_written(function, sources) {
            continue;
        }
        let case = Case {
            name: format!("{name}.{}", function.name),
            program,
            function,
            seed: 1,
            sources,
        };
        match case.emulated(store) {
            Ok(recorded) => cases.extend(recorded),
            Err(fault @ Fault::Internal(_)) => return Err(fault),
            Err(fault) => {
                store.intact()?;
                let reason = first_line(&fault, sources);
                // What is wrong in a program as a whole is so for each of its functions.
                if reason != last_reason {
                    left_out(&case.name, &reason);
                    last_reason = reason;
                }
            }
        }
    }
    Ok(cases)
}
