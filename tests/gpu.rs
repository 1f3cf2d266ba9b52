//! What the GPU code of every program of the tests must not have, on either vendor (numerics: a sum
//! of a product is two roundings; backend specification, §GPU kernels).

#[path = "gpu/checks.rs"]
mod checks;
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

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};

use cuda::Cuda;
use program::Program;

/// Where the programs are.
const PROGRAMS: [&str; 4] = [
    "filetests",
    "filecheck",
    "../examples/digits",
    "../examples/link-c",
];

/// Programs that no GPU takes: what is wrong in them, or what of them is not lowered.
const REFUSED: [&str; 6] = [
    "extents_wrong.nr",
    "gpu_scalars.nr",
    "moved.nr",
    "syntax_wrong.nr",
    "types_wrong.nr",
    "whole.nr",
];

/// Programs without a kernel: nothing moves to a device, or each operation is refused by name, as of
/// half precision, by a function that nobody passes, or of mathematics without a library.
const WITHOUT_KERNELS: [&str; 14] = [
    "filecheck/declarations",
    "filecheck/half",
    "filecheck/mathematics",
    "filecheck/traversals",
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

fn without_kernels(program: &Program) -> bool {
    WITHOUT_KERNELS.contains(&&*program.name)
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
        test("ptx", checks::ptx),
        test("llvm", checks::llvm),
        test("code-object", checks::code_objects),
    ];
    if !without_kernels(&program) {
        trials.push(with_cuda(&program, cuda, "ptxas", checks::assembled));
    }
    if WITH_LIBRARY.contains(&&*program.name) {
        trials.push(with_cuda(
            &program,
            cuda,
            "libdevice",
            checks::with_libdevice,
        ));
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
