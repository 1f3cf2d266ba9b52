use clap::ValueEnum;
use frontend::Options;
use mlir_backend::internal::{self, Chip, Form, GpuOptions, LinkOptions, Target, Vendor};
use shared_types::SourceMap;

use crate::cli::{Emit, Stage, name_of};
use crate::{Fault, dump, files, left_out, output, source};

/// `emit`: one stage of a compile, as text.
pub fn emit(options: &Emit, sources: &mut SourceMap) -> Result<(), Fault> {
    if let Some(path) = &options.output {
        files::check_writable(path).map_err(|error| unwritable(options, &error))?;
    }
    let chip = chip(options)?;
    if options.threads && !options.stage.shares_loops() {
        return Err(Fault::wrong(None, no_threads(options.stage)));
    }
    let on_device = chip.is_some();
    let tier = options.overflow.tier();
    let program = source::compile_with(&options.file, Options { tier, on_device }, sources)?;
    if options.stage != Stage::Hir {
        dump::check_writable()?;
    }
    let link_options = LinkOptions {
        threads: options.threads.into(),
        ..LinkOptions::default()
    };
    let text = match options.stage {
        Stage::Hir => Ok(program.to_string()),
        Stage::Mlir => mlir_backend::lower_program(&program),
        Stage::Llvm => mlir_backend::translate_to_llvm_ir(&program),
        Stage::Schedule => internal::schedules(&program, &Target::native(), link_options.threads),
        Stage::Link => internal::link(&program, &link_options)
            .inspect(|linked| left_out::report_refused(&linked.refused, "", sources))
            .map(|linked| linked.llvm_ir),
        Stage::GpuMlir => internal::gpu_mlir(&program, &kernels(chip, Form::Native)?),
        Stage::GpuLlvm => internal::link_gpu(&program, &kernels(chip, Form::Bitcode)?)
            .inspect(|linked| left_out::report_refused(&linked.refused, "GPU ", sources))
            .and_then(|linked| internal::bitcode_text(&linked.binary)),
        Stage::Ptx | Stage::Amdgcn | Stage::CodeObject => {
            let is_text = options.stage != Stage::CodeObject;
            let form = if is_text {
                Form::Assembly
            } else {
                Form::Native
            };
            let linked = internal::link_gpu(&program, &kernels(chip, form)?);
            let linked = linked.map_err(|error| Fault::of_backend(&error))?;
            left_out::report_refused(&linked.refused, "GPU ", sources);
            let bytes = linked.binary;
            // A C string where a driver takes it.
            let text = bytes.strip_suffix(b"\0").filter(|_| is_text);
            return write(options, text.unwrap_or(&bytes));
        }
    };
    let text = text.map_err(|error| Fault::of_backend(&error))?;
    write(options, text.as_bytes())
}

/// What makes the kernels of a GPU stage, for the chip that [`chip`] found.
fn kernels(chip: Option<Chip>, form: Form) -> Result<GpuOptions<'static>, Fault> {
    let chip = chip.ok_or_else(|| Fault::internal(None, "a GPU stage without a chip"))?;
    Ok(GpuOptions {
        takes: &|_| true,
        chip,
        form,
        math: None,
        failures: internal::Failures::Stop,
    })
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
            let stages = stages(|stage| !stage.vendors().is_empty());
            format!("the stage `{stage}` takes no `--gpu`; these do: {stages}")
        }
        (Some(chip), vendors) => {
            let whose: Vec<&str> = vendors.iter().map(|&vendor| words(vendor).0).collect();
            let whose = whose.join(" and ");
            let stages = stages(|stage| stage.vendors().contains(&chip.vendor));
            let vendor = words(chip.vendor).0;
            format!("the stage `{stage}` is of {whose}'s GPUs; of {vendor}'s there are {stages}")
        }
    };
    Err(Fault::wrong(None, text))
}

fn no_threads(stage: Stage) -> String {
    let stages = stages(Stage::shares_loops);
    let stage = name_of(stage);
    format!("the stage `{stage}` takes no `--threads`; these do: {stages}")
}

/// A vendor's name, and a GPU of it as an option.
fn words(vendor: Vendor) -> (&'static str, &'static str) {
    match vendor {
        Vendor::Nvidia => ("NVIDIA", "nvidia:sm_90"),
        Vendor::Amd => ("AMD", "amd:gfx942"),
    }
}

/// The stages for which something holds.
fn stages(holds: impl Fn(Stage) -> bool) -> String {
    let stages = Stage::value_variants().iter().copied();
    let names: Vec<String> = stages
        .filter(|&stage| holds(stage))
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
