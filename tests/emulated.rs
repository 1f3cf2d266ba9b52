//! Whole programs on the emulated GPUs, beyond what the file tests compare.

#[path = "emulated/corpus.rs"]
mod corpus;
#[path = "support/filetest.rs"]
mod filetest;
mod support;

use std::io::Write;
use std::path::Path;
use std::process::Output;

use shared_types::ScalarType;
use tensor::Tensor;

const ENGINES: [&str; 2] = ["emulated-nvidia", "emulated-amd"];

const PROGRAM: &str = "
@gpu
func strict(a: &Tensor<f32, [37, 45]>) -> Tensor<f32, [37, 45]> { a * a + a }
func half(a: &Tensor<f16, [8]>) -> Tensor<f16, [8]> { a + a }
func checked(a: &Tensor<i32, [8]>) -> Tensor<i32, [8]> { a * a }
func both(a: &Tensor<f32, [16, 8]>, b: &Tensor<f32, [8, 16]>) -> f32 {
    val c = a @ b
    (c + 1.0).sum()
}
";

fn run(folder: &Path, words: &[&str]) -> Output {
    let mut command = support::neuro_mlir();
    command
        .current_dir(folder)
        .args(["run", "f.nr"])
        .args(words);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_trace_says_what_ran_where() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.nr"), PROGRAM).unwrap();
    for engine in ENGINES {
        let trace = |words: &[&str]| {
            let output = run(
                folder.path(),
                &[words, &["--engine", engine, "--trace", "--hash"]].concat(),
            );
            let expected = run(
                folder.path(),
                &[words, &["--engine", "interpreter", "--hash"]].concat(),
            );
            assert_eq!(text(&output.stdout), text(&expected.stdout));
            text(&output.stderr).replace(engine, "ENGINE")
        };
        let a = ["--arg", "a=random:1"];
        assert_eq!(
            trace(&[&["--entry", "strict"], &a[..]].concat()),
            "trace: strict ENGINE device 1\n"
        );
        let half = trace(&[&["--entry", "half"], &a[..]].concat());
        assert_eq!(
            half,
            "trace: half ENGINE host 0 `&Tensor<f16, [8]>`: no kernel computes half precision\n"
        );
        let both = trace(&[&["--entry", "both", "--arg", "b=random:2"], &a[..]].concat());
        assert!(
            both.lines().all(|line| line.contains(" ENGINE device ")),
            "{both}"
        );
        let failing = trace(&[&["--entry", "checked"], &a[..]].concat());
        assert!(
            failing.contains("panic: integer overflow in `*` at element [0]"),
            "{failing}"
        );
    }
}

/// The larger tiles of contractions, which only large results have.
#[test]
fn large_products_have_the_bits_of_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let products = [
        ("f32", 1408, 16, 1536),
        ("f32", 1421, 19, 1483),
        ("f64", 999, 33, 600),
    ];
    let mut program = String::new();
    for (index, (ty, rows, folded, columns)) in products.into_iter().enumerate() {
        program += &format!(
            "func p{index}(a: &Tensor<{ty}, [{rows}, {folded}]>, b: &Tensor<{ty}, [{folded}, {columns}]>) \
             -> Tensor<{ty}, [{rows}, {columns}]> {{ a @ b }}\n"
        );
    }
    std::fs::write(folder.path().join("f.nr"), program).unwrap();
    for (index, product) in products.iter().enumerate() {
        let result = |engine: &str| {
            let entry = format!("p{index}");
            let arguments = ["--arg", "a=random:1", "--arg", "b=random:2", "--hash"];
            let words = [&["--entry", &entry, "--engine", engine], &arguments[..]].concat();
            let output = run(folder.path(), &words);
            assert!(output.status.success(), "{}", text(&output.stderr));
            text(&output.stdout).to_string()
        };
        let expected = result("jit");
        for engine in ENGINES {
            assert_eq!(result(engine), expected, "{engine} {product:?}");
        }
    }
}

/// How many values of the type lie between two numbers of one sign.
fn distance(a: f64, b: f64, scalar: ScalarType) -> u64 {
    match scalar {
        ScalarType::F32 => u64::from((a as f32).to_bits().abs_diff((b as f32).to_bits())),
        _ => a.to_bits().abs_diff(b.to_bits()),
    }
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    match tensor.scalar_type() {
        ScalarType::F32 => {
            let numbers = tensor.as_slice::<f32>().unwrap();
            numbers.iter().map(|&number| number.into()).collect()
        }
        _ => tensor.as_slice::<f64>().unwrap().to_vec(),
    }
}

/// The vendors' mathematics is their own (numerics, §Mathematics): its greatest difference from the
/// C library's is printed, and is no more than 16 units in the last place.
#[test]
fn library_mathematics_is_near() {
    let folder = tempfile::tempdir().unwrap();
    let calls = [
        "exp()",
        "abs().log()",
        "sin()",
        "cos()",
        "tanh()",
        "abs().pow(1.7)",
    ];
    let scalars = [ScalarType::F32, ScalarType::F64];
    let program = scalars.map(|ty| {
        let tensor = format!("Tensor<{ty}, [4096]>");
        let types = vec![&*tensor; calls.len()].join(", ");
        let values = calls.map(|call| format!("a.{call}")).join(", ");
        format!("func all_{ty}(a: &{tensor}) -> ({types}) {{ ({values}) }}\n")
    });
    std::fs::write(folder.path().join("f.nr"), program.concat()).unwrap();
    for ty in scalars {
        let results = |engine: &str| {
            let entry = format!("all_{ty}");
            let words = ["--entry", &entry, "--arg", "a=random:1", "--engine", engine];
            let output = run(folder.path(), &[&words[..], &["--out", "r.npy"]].concat());
            assert!(output.status.success(), "{}", text(&output.stderr));
            let paths = (0..calls.len()).map(|index| folder.path().join(format!("r.{index}.npy")));
            let tensors = paths.map(|path| tensor::npy::read(&path, ty, &[4096]).unwrap());
            tensors.map(|tensor| numbers(&tensor)).collect::<Vec<_>>()
        };
        let expected = results("interpreter");
        for engine in ENGINES {
            let pairs = expected.iter().zip(results(engine));
            for ((expected, found), call) in pairs.zip(calls) {
                let most = greatest_distance(expected, &found, ty);
                report(&format!(
                    "{engine} {ty} .{call}: {most} units in the last place"
                ));
                assert!(most <= 16, "{engine} {ty} .{call}: {most}");
            }
        }
    }
}

/// Prints what is measured though the test passes, whose prints are kept from sight.
fn report(line: &str) {
    let line = format!("{line}\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
}

fn greatest_distance(expected: &[f64], found: &[f64], scalar: ScalarType) -> u64 {
    let pairs = expected.iter().zip(found);
    pairs.map(|(&a, &b)| distance(a, b, scalar)).max().unwrap()
}

/// AMD's reduction of large arguments takes bits of 2 / π from an instruction.
#[test]
fn sines_of_large_arguments_are_near() {
    let folder = tempfile::tempdir().unwrap();
    let program = "
func sines(a: &Tensor<f64, [308]>) -> Tensor<f64, [308]> { a.sin() }
func cosines(a: &Tensor<f64, [308]>) -> Tensor<f64, [308]> { a.cos() }
";
    std::fs::write(folder.path().join("f.nr"), program).unwrap();
    let powers: Vec<f64> = (1..309).map(|power| 10f64.powi(power) / 7.0).collect();
    let powers = Tensor::from_slice(&[308], &powers).unwrap();
    tensor::npy::write(&folder.path().join("a.npy"), &powers).unwrap();
    for entry in ["sines", "cosines"] {
        let result = |engine: &str| {
            let words = ["--entry", entry, "--arg", "a=a.npy", "--engine", engine];
            let output = run(folder.path(), &[&words[..], &["--out", "r.npy"]].concat());
            assert!(output.status.success(), "{}", text(&output.stderr));
            let path = folder.path().join("r.npy");
            numbers(&tensor::npy::read(&path, ScalarType::F64, &[308]).unwrap())
        };
        let expected = result("interpreter");
        for engine in ENGINES {
            let most = greatest_distance(&expected, &result(engine), ScalarType::F64);
            report(&format!(
                "{engine} f64 {entry} of large arguments: {most} units in the last place"
            ));
            assert!(most <= 16, "{engine} {entry}: {most}");
        }
    }
}

/// An emulated device has NVIDIA's mathematics itself, whatever toolkit is installed.
#[test]
fn a_toolkit_of_nvidia_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let program = "func f(a: &Tensor<f32, [8]>) -> Tensor<f32, [8]> { a.exp() }";
    std::fs::write(folder.path().join("f.nr"), program).unwrap();
    let library = folder.path().join("toolkit/nvvm/libdevice");
    std::fs::create_dir_all(&library).unwrap();
    let refused = "
declare float @llvm.nvvm.ex2.approx.f(float)
define float @__nv_expf(float %x) {
  %y = call float @llvm.nvvm.ex2.approx.f(float %x)
  ret float %y
}";
    std::fs::write(library.join("libdevice.10.bc"), refused).unwrap();
    let result = |engine: &str| {
        let mut command = support::neuro_mlir();
        let words = [
            "run",
            "f.nr",
            "--entry",
            "f",
            "--arg",
            "a=random:1",
            "--engine",
        ];
        command.current_dir(folder.path()).args(words).arg(engine);
        let output = command.env("CUDA_ROOT", "toolkit").output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_string()
    };
    assert_eq!(result("emulated-nvidia"), result("interpreter"));
}
