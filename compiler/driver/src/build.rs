use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use codegen::Processor;
use frontend::Options;
use library::{GpuBodies, LinkedFunction};
use mlir_backend::internal::{
    self, Body, Chip, Failures, Form, GpuLinked, GpuOptions, LinkOptions, Target,
};
use neuro_hir::{HirFunction, HirProgram};
use shared_types::SourceMap;

use crate::cli::Build;
use crate::engine::{not_lowered, signature};
use crate::{Fault, dump, files, left_out, source};

/// `build`: a program's tensor operations as a library for C.
pub fn build(options: &Build, sources: &mut SourceMap) -> Result<(), Fault> {
    let name = name(&options.file)?;
    let paths = [
        format!("{name}.o"),
        format!("{name}.h"),
        format!("lib{name}.a"),
    ]
    .map(|file| options.output.join(file));
    check_writable(&options.output, &paths)?;
    let front_end = Options {
        tier: options.overflow.tier(),
        on_device: options.gpu.is_some(),
    };
    let program = source::compile_with(&options.file, front_end, sources)?;
    dump::check_writable()?;
    let processor = options.cpu.clone().unwrap_or_else(Processor::baseline);
    let link_options = LinkOptions {
        target: target(&processor),
        threads: options.threads.into(),
        ..LinkOptions::default()
    };
    let linked =
        internal::link(&program, &link_options).map_err(|error| Fault::of_backend(&error))?;
    if let Some(refused) = linked.refused.first() {
        return Err(not_lowered(
            function(&program, &refused.function.name)?,
            refused,
        ));
    }
    let gpu = match options.gpu {
        Some(chip) => gpu_bodies(&program, chip)?,
        None => GpuLinked::default(),
    };
    if linked.bodies.is_empty() && gpu.bodies.is_empty() {
        let file = options.file.display();
        let text = format!("`{file}` has no tensor operation, so there is nothing to link");
        return Err(Fault::wrong(None, text));
    }
    let host = functions(&program, &linked.bodies)?;
    let on_gpu = functions(&program, &gpu.bodies)?;
    let chip = options.gpu.filter(|_| !on_gpu.is_empty());
    let on_gpu = chip.map(|chip| GpuBodies {
        vendor: chip.vendor,
        llvm_ir: &gpu.llvm_ir,
        functions: on_gpu,
    });
    let llvm_ir = &linked.llvm_ir;
    let library = library::build(name, llvm_ir, &host, on_gpu.as_ref(), sources, &processor)
        .map_err(|error| Fault::internal(None, error.to_string()))?;
    let contents = [
        library.object.as_slice(),
        library.header.as_bytes(),
        library.archive.as_slice(),
    ];
    fs::create_dir_all(&options.output)
        .and_then(|()| files::replace_all(paths.iter().map(PathBuf::as_path).zip(contents)))
        .map_err(|error| unwritable(&options.output, &error))?;
    left_out::report(&program, &gpu, sources);
    Ok(())
}

fn gpu_bodies(program: &HirProgram, chip: Chip) -> Result<GpuLinked, Fault> {
    let options = GpuOptions {
        takes: &|_| true,
        chip,
        form: Form::Native,
        math: None,
        failures: Failures::Stop,
    };
    internal::link_gpu(program, &options).map_err(|error| Fault::of_backend(&error))
}

/// What contractions are scheduled for.
fn target(processor: &Processor) -> Target {
    match processor.vector_bits() {
        512.. => Target::AVX512,
        256.. => Target::AVX2,
        _ if cfg!(target_arch = "aarch64") => Target::NEON,
        _ => Target::GENERIC,
    }
}

/// The library's name: the file's, without its ending.
fn name(file: &Path) -> Result<&str, Fault> {
    let stem = file.file_stem().and_then(OsStr::to_str);
    if let Some(stem) = stem.filter(|stem| library::is_of_c(stem)) {
        let text = format!(
            "`{}` would hide what C calls `{stem}`: name it otherwise",
            file.display()
        );
        return Err(Fault::wrong(None, text));
    }
    stem.filter(|stem| library::is_identifier(stem))
        .ok_or_else(|| {
            let text = format!(
                "`{}` names no library: letters, digits and `_` were expected before the ending",
                file.display()
            );
            Fault::wrong(None, text)
        })
}

/// Whether the files can be written, before the work that makes their contents. A folder that is
/// missing is made after it.
fn check_writable(folder: &Path, paths: &[PathBuf]) -> Result<(), Fault> {
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => paths.iter().try_for_each(|path| {
            files::check_writable(path).map_err(|error| unwritable(path, &error))
        }),
        Ok(_) => Err(unwritable(folder, &ErrorKind::NotADirectory.into())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(unwritable(folder, &error)),
    }
}

fn functions<'p>(
    program: &'p HirProgram,
    bodies: &'p [Body],
) -> Result<Vec<LinkedFunction<'p>>, Fault> {
    let function = |body: &'p Body| {
        Ok(LinkedFunction {
            hir: function(program, &body.function)?,
            body,
            signature: signature(body),
        })
    };
    bodies.iter().map(function).collect()
}

fn function<'p>(program: &'p HirProgram, name: &str) -> Result<&'p HirFunction, Fault> {
    program.function(name).ok_or_else(|| {
        let text = format!("`{name}` is no function of the program");
        Fault::internal(None, text)
    })
}

fn unwritable(path: &Path, error: &io::Error) -> Fault {
    let text = format!("`{}` cannot be written: {error}", path.display());
    Fault::wrong(None, text)
}
