use clap::ValueEnum;
use frontend::Options;
use mlir_backend::internal::{self, Chip, Form, GpuOptions, LinkOptions, Target, Vendor};
use neuro_hir::HirProgram;
use shared_types::SourceMap;

use crate::cli::{Emit, Stage, name_of};
use crate::{Fault, dump, files, left_out, output, source};

/// `emit`: one stage of a compile, as text.
pub fn emit(options: &Emit, sources: &mut SourceMap) -> Result<(), Fault> {
    if let Some(path) = &options.output {
        files::check_writable(path).map_err(|error| unwritable(options, &error))?;
    }
    let chip = chip(options)?;
    let on_device = chip.is_some();
    let tier = options.overflow.tier();
    let program = source::compile_with(&options.file, Options { tier, on_device }, sources)?;
    if options.stage != Stage::Hir {
        dump::check_writable()?;
    }
    let text = match options.stage {
        Stage::Hir => Ok(program.to_string()),
        Stage::Mlir => mlir_backend::lower_program(&program),
        Stage::Llvm => mlir_backend::translate_to_llvm_ir(&program),
        Stage::Schedule => internal::schedules(&program, &Target::native(), options.threads.into()),
        Stage::Link => {
            let link_options = LinkOptions {
                threads: options.threads.into(),
                ..LinkOptions::default()
            };
            internal::link(&program, &link_options)
                .inspect(|linked| left_out::report_refused(&linked.refused, "", sources))
                .map(|linked| linked.llvm_ir)
        }
        Stage::GpuMlir | Stage::GpuLlvm | Stage::Ptx | Stage::Amdgcn | Stage::CodeObject => {
            return emit_gpu(options, &program, chip);
        }
    };
    let text = text.map_err(|error| Fault::of_backend(&error))?;
    write(options, text.as_bytes())
}

/// A stage of the kernels.
fn emit_gpu(options: &Emit, program: &HirProgram, chip: Option<Chip>) -> Result<(), Fault> {
    let Some(chip) = chip else {
        return Err(Fault::internal(None, "a GPU stage without a chip"));
    };
    let form = match options.stage {
        Stage::GpuLlvm => Form::Bitcode,
        Stage::CodeObject => Form::Native,
        _ => Form::Assembly,
    };
    let gpu = GpuOptions {
        takes: &|_| true,
        chip,
        form,
        math: None,
        failures: internal::Failures::Stop,
    };
    let emitted = match options.stage {
        Stage::GpuMlir => internal::gpu_mlir(program, &gpu).map(String::into_bytes),
        Stage::GpuLlvm => internal::link_gpu(program, &gpu)
            .and_then(|linked| internal::bitcode_text(&linked.binary))
            .map(String::into_bytes),
        _ => internal::link_gpu(program, &gpu).map(|linked| linked.binary),
    };
    let emitted = emitted.map_err(|error| Fault::of_backend(&error))?;
    let text = match form {
        // A C string where a driver takes it.
        Form::Assembly => emitted.strip_suffix(b"\0"),
        Form::Native | Form::Bitcode => None,
    };
    write(options, text.unwrap_or(&emitted))
}

fn write(options: &Emit, bytes: &[u8]) -> Result<(), Fault> {
    match &options.output {
        Some(path) => files::replace(path, bytes).map_err(|error| unwritable(options, &error)),
        None => output::print(bytes),
    }
}

/// The chip of a GPU stage, of a vendor whose stage it is; `None` for a stage of the host.
fn chip(options: &Emit) -> Result<Option<Chip>, Fault> {
    let stage = name_of(options.stage);
    let text = match (options.gpu, options.stage.vendors()) {
        (None, []) => return Ok(None),
        (Some(chip), vendors) if vendors.contains(&chip.vendor) => return Ok(Some(chip)),
        (None, vendors) => {
            let examples: Vec<&str> = vendors.iter().map(|&vendor| words(vendor).1).collect();
            let examples = examples.join(" or ");
            format!("the stage `{stage}` is of a GPU: `--gpu`, such as {examples}")
        }
        (Some(_), []) => {
            let stages = stages(|vendors| !vendors.is_empty());
            format!("the stage `{stage}` takes no `--gpu`; these do: {stages}")
        }
        (Some(chip), vendors) => {
            let whose: Vec<&str> = vendors.iter().map(|&vendor| words(vendor).0).collect();
            let whose = whose.join(" and ");
            let stages = stages(|vendors| vendors.contains(&chip.vendor));
            let vendor = words(chip.vendor).0;
            format!("the stage `{stage}` is of {whose}'s GPUs; of {vendor}'s there are {stages}")
        }
    };
    Err(Fault::wrong(None, text))
}

/// A vendor's name, and a GPU of it as an option.
fn words(vendor: Vendor) -> (&'static str, &'static str) {
    match vendor {
        Vendor::Nvidia => ("NVIDIA", "nvidia:sm_90"),
        Vendor::Amd => ("AMD", "amd:gfx942"),
    }
}

/// The stages of some vendors' GPUs.
fn stages(of: impl Fn(&[Vendor]) -> bool) -> String {
    let stages = Stage::value_variants().iter().copied();
    let stages = stages.filter(|stage| of(stage.vendors()));
    let names: Vec<String> = stages
        .map(|stage| format!("`{}`", name_of(stage)))
        .collect();
    names.join(", ")
}

fn unwritable(options: &Emit, error: &std::io::Error) -> Fault {
    let path = options
        .output
        .as_deref()
        .unwrap_or(std::path::Path::new(""));
    Fault::wrong(
        None,
        format!("`{}` cannot be written: {error}", path.display()),
    )
}
