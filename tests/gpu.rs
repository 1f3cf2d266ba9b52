//! What the GPU code of every program of the tests must not have, on either vendor (numerics: a sum
//! of a product is two roundings; backend specification, §GPU kernels).

#[path = "gpu/code_object.rs"]
mod code_object;
#[path = "gpu/cuda.rs"]
mod cuda;
#[path = "gpu/kernels.rs"]
mod kernels;
#[path = "gpu/launches.rs"]
mod launches;
#[path = "gpu/libdevice.rs"]
mod libdevice;
#[path = "gpu/machine.rs"]
mod machine;
#[path = "gpu/program.rs"]
mod program;
#[path = "gpu/report.rs"]
mod report;
mod support;
#[path = "gpu/teeth.rs"]
mod teeth;
#[path = "gpu/text.rs"]
mod text;
#[path = "gpu/tools.rs"]
mod tools;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use mlir_backend::internal::{Form, Vendor};

use cuda::Cuda;
use program::{AMD, NVIDIA, Program, find};
use report::Row;

/// Where the programs are.
const PROGRAMS: [&str; 4] = [
    "filetests",
    "filecheck",
    "../examples/digits",
    "../examples/link-c",
];

/// Programs that no GPU takes: what is wrong in them, or what of them is not lowered.
const REFUSED: [&str; 8] = [
    "extents_wrong.nr",
    "gpu_only.nr",
    "gpu_scalars.nr",
    "kernel.nr",
    "moved.nr",
    "syntax_wrong.nr",
    "types_wrong.nr",
    "whole.nr",
];

/// Programs without a kernel: nothing moves to a device, or each operation is refused by name, as of
/// half precision, by a function value, or of mathematics without a library.
const WITHOUT_KERNELS: [&str; 16] = [
    "filecheck/declarations",
    "filecheck/half",
    "filecheck/mathematics",
    "filecheck/traversals",
    "filetests/closures",
    "filetests/fills",
    "filetests/half",
    "filetests/index",
    "filetests/mathematics_library",
    "filetests/matmul_unread",
    "filetests/memory",
    "filetests/scalars",
    "filetests/subnormal_reduce",
    "filetests/subnormal_scalar",
    "filetests/subnormals",
    "filetests/traversals_nested",
];

/// Programs whose kernels call NVIDIA's library where there is one.
const WITH_LIBRARY: [&str; 3] = [
    "examples/digits/digits",
    "filecheck/mathematics",
    "filetests/mathematics_library",
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cuda = Cuda::find().map(Arc::new);
    if skipped(&cuda) {
        eprintln!("{WITHOUT_CUDA}: what needs it is skipped");
    }
    let mut trials = teeth::trials(&cuda);
    let near = cuda.clone();
    let near = move || libdevice::is_near(near.as_deref().ok_or(WITHOUT_CUDA)?);
    let near = Trial::test("near the C library's mathematics", near).with_kind("libdevice");
    trials.push(near.with_ignored_flag(skipped(&cuda)));
    for folder in PROGRAMS {
        for name in support::programs(&support::folder(folder)) {
            let path = support::folder(folder).join(&name);
            let key = format!("{folder}/{}", name.trim_end_matches(".nr"));
            let key = key.trim_start_matches("../").to_string();
            if REFUSED.contains(&name.as_str()) {
                trials.push(Trial::test(key, move || refused(&path)));
                continue;
            }
            trials.extend(taken(Arc::new(Program::new(key, path)), &cuda));
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    let all = arguments.filter.is_none() && arguments.skip.is_empty() && !arguments.list;
    match report::print(all) {
        Ok(()) => conclusion.exit_code(),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

const WITHOUT_CUDA: &str = "NVIDIA's assembler is not here (NEURO_CUDA_ROOT)";

/// Where NVIDIA's tools are not, what needs them is skipped, but fails in CI.
fn skipped(cuda: &Option<Arc<Cuda>>) -> bool {
    cuda.is_none() && std::env::var_os("CI").is_none()
}

fn refused(path: &Path) -> Result<(), Failed> {
    let mut command = support::neuro_mlir();
    command.arg("emit").arg(path);
    let output = command
        .args(["--stage", "ptx", "--gpu", "nvidia:sm_75"])
        .output()?;
    match output.status.code() {
        Some(2) => Ok(()),
        status => Err(format!("status 2 was expected: {status:?}").into()),
    }
}

/// What is held of a program with GPU code.
fn taken(program: Arc<Program>, cuda: &Option<Arc<Cuda>>) -> Vec<Trial> {
    let test = |kind: &str, check: fn(&Program) -> Result<(), Failed>| {
        let program = Arc::clone(&program);
        Trial::test(program.name.clone(), move || check(&program)).with_kind(kind)
    };
    let mut trials = vec![
        test("ptx", ptx),
        test("llvm", llvm),
        test("code-object", code_objects),
    ];
    if !WITHOUT_KERNELS.contains(&&*program.name) {
        trials.push(with_cuda(&program, cuda, "ptxas", assembled));
    }
    if WITH_LIBRARY.contains(&&*program.name) {
        trials.push(with_cuda(&program, cuda, "libdevice", with_libdevice));
    }
    trials
}

fn with_cuda(
    program: &Arc<Program>,
    cuda: &Option<Arc<Cuda>>,
    kind: &str,
    check: fn(&Program, &Cuda) -> Result<(), Failed>,
) -> Trial {
    let (program, skipped) = (Arc::clone(program), skipped(cuda));
    let cuda = cuda.clone();
    let trial = Trial::test(program.name.clone(), move || {
        check(&program, cuda.as_deref().ok_or(WITHOUT_CUDA)?)
    });
    trial.with_kind(kind).with_ignored_flag(skipped)
}

fn ptx(program: &Program) -> Result<(), Failed> {
    for (chip, text) in program.ptx() {
        let text = text?;
        text::ptx(text)?;
        // Empty text has no fault.
        if text.contains(".entry") == WITHOUT_KERNELS.contains(&&*program.name) {
            return Err(format!("kernels for {chip}: {}", text.matches(".entry").count()).into());
        }
    }
    Ok(())
}

fn llvm(program: &Program) -> Result<(), Failed> {
    for (vendor, chip) in [(Vendor::Nvidia, NVIDIA[3]), (Vendor::Amd, AMD[1])] {
        let llvm = program.llvm(find(vendor, chip)?)?;
        let expanding = expanding(program, vendor, chip, &llvm)?;
        for (name, kernel) in kernels::of_llvm(&llvm) {
            // A vendor's library is its own (numerics, §Mathematics).
            if expanding.get(name) != Some(&LIBRARY) {
                text::llvm(kernel)?;
            }
        }
    }
    Ok(())
}

const LIBRARY: &str = "library mathematics";

/// Which kernels of a program may have fused multiply-adds in machine code, and what for.
fn expanding(
    program: &Program,
    vendor: Vendor,
    chip: &str,
    llvm: &str,
) -> Result<BTreeMap<String, &'static str>, String> {
    let mlir = program.mlir(find(vendor, chip)?)?;
    let library = kernels::of_mlir(&mlir).into_iter();
    let library = library.filter(|(_, kernel)| kernels::calls_library(kernel));
    let library = library.map(|(name, _)| (name.to_string(), LIBRARY));
    let sequences = kernels::of_llvm(llvm).into_iter();
    let sequences =
        sequences.filter_map(|(name, kernel)| Some((name.to_string(), kernels::expands(kernel)?)));
    Ok(sequences.chain(library).collect())
}

/// Assembles the PTX of a program, and searches what comes out.
fn assembled(program: &Program, cuda: &Cuda) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let cubin = folder.path().join("kernels.cubin");
    let llvm = program.llvm(find(Vendor::Nvidia, NVIDIA[3])?)?;
    let expanding = expanding(program, Vendor::Nvidia, NVIDIA[3], &llvm)?;
    for (chip, text) in program.ptx() {
        let rows = cuda.assemble(text?, chip, &cubin)?;
        searched(program, rows, cuda.fused(&cubin)?, &expanding)?;
    }
    Ok(())
}

/// Assembles what NVIDIA's library adds to a program.
fn with_libdevice(program: &Program, cuda: &Cuda) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let cubin = folder.path().join("kernels.cubin");
    for (chip, without) in program.ptx() {
        let mut command = support::neuro_mlir();
        let command = command
            .arg("emit")
            .arg(&program.path)
            .env("CUDA_ROOT", &cuda.root);
        let words = ["--stage", "ptx", "--gpu", &format!("nvidia:{chip}")];
        let (text, _) = tools::run(command.args(words))?;
        let without = kernels::of_ptx(without?);
        let mut rows = cuda.assemble(&text, chip, &cubin)?;
        rows.retain(|row| without.iter().all(|(kernel, _)| *kernel != row.kernel));
        if rows.is_empty() || text.contains(".extern .func") {
            return Err(format!("for {chip} the library adds {} kernels", rows.len()).into());
        }
        for row in &mut rows {
            row.program = program.name.clone();
            row.expands = Some(LIBRARY);
        }
        report::add(rows);
    }
    Ok(())
}

fn code_objects(program: &Program) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("kernels.co");
    for chip in AMD {
        let chip = find(Vendor::Amd, chip)?;
        let linked = program.lowered(chip, Form::Native)?;
        if linked.binary.is_empty() {
            continue;
        }
        std::fs::write(&path, &linked.binary)?;
        let launches = launches::launches(&linked.llvm_ir)?;
        let rows = code_object::check(&path, chip.name(), &launches)?;
        let llvm = program.llvm(chip)?;
        let expanding = expanding(program, Vendor::Amd, chip.name(), &llvm)?;
        searched(program, rows, code_object::fused(&path)?, &expanding)?;
    }
    Ok(())
}

/// No function but those that expand has a fused instruction; the rows are reported.
fn searched(
    program: &Program,
    mut rows: Vec<Row>,
    fused: Vec<(String, Vec<String>)>,
    expanding: &BTreeMap<String, &'static str>,
) -> Result<(), Failed> {
    for row in &mut rows {
        row.program = program.name.clone();
        row.expands = expanding.get(&row.kernel).copied();
        let instructions = fused.iter().find(|(name, _)| *name == row.kernel);
        let Some((_, instructions)) = instructions else {
            return Err(format!("{} has no code of {}", row.chip, row.kernel).into());
        };
        if row.expands.is_none() && !instructions.is_empty() {
            return Err(format!("{} of {} fuses: {instructions:?}", row.kernel, row.chip).into());
        }
        if row.spilled > 0 || row.private > 0 {
            return Err(format!("{} of {} spills", row.kernel, row.chip).into());
        }
    }
    report::add(rows);
    Ok(())
}
