//! `gpu-bundle`: what it writes, run by its script through the stand-in of CUDA's driver.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use neuro_hir::Tier;

use crate::stand_in::StandIn;
use crate::support;

const PROGRAM: &str = "\
func fused(a: &Tensor<f64, [3, 5]>, k: f64) -> Tensor<f64, [3, 5]> { a * k + a }
func checked(a: &Tensor<i32, [40]>) -> Tensor<i32, [40]> { a * a }
func two(a: &Tensor<i64, [9, 300]>) -> (i64, Tensor<i64, [300]>) { (a.max(), a.min(axis: 0)) }
func copied(a: &Tensor<f32, [8]>) -> Tensor<f32, [8]> {
    mut w = a + 1.0
    val before = w.clone()
    w += a
    w - before
}
func host(n: i32) -> i32 { n }
func half(a: &Tensor<f16, [4]>) -> Tensor<f16, [4]> { a + a }
";
const CASES: [&str; 4] = ["fused", "checked", "two", "copied"];
const SPEED: [&str; 7] = [
    "copy",
    "chain",
    "sum",
    "sort",
    "product_16",
    "product_32",
    "product_48",
];

/// A bundle, and a driver that knows its kernels.
struct Bundle {
    stand_in: StandIn,
    folder: PathBuf,
}

impl Bundle {
    /// Of its cases the stand-in knows those of `PROGRAM` and of the speed set that are named.
    fn new(cases: &[&str], speed: &[&str]) -> Bundle {
        let mut stand_in = StandIn::cuda();
        stand_in.chip = "sm_75";
        let folder = stand_in.path("bundle");
        let program = stand_in.path("f.nr");
        fs::write(&program, PROGRAM).unwrap();
        fs::write(stand_in.path("wrong.nr"), "func").unwrap();
        let mut command = support::neuro_mlir();
        command.current_dir(stand_in.path(""));
        let words = ["gpu-bundle", "f.nr", "wrong.nr", "-o", "bundle", "--small"];
        let output = command.args(words).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{errors}");
        let begins = |line: &str, with: &str| assert!(line.starts_with(with), "{errors}");
        let lines: Vec<&str> = errors.lines().collect();
        let [program_left_out, operation_left_out] = lines[..] else {
            panic!("{errors}");
        };
        begins(
            program_left_out,
            "wrong.nr is left out: wrong.nr:1:5: error: ",
        );
        begins(
            operation_left_out,
            "f.nr:11:11: note: `half` has no GPU body: ",
        );
        for &entry in cases {
            stand_in.learn(&program, &[entry], Tier::Checked);
        }
        for &entry in speed {
            stand_in.learn(&folder.join("speed.nr"), &[entry], Tier::Checked);
        }
        Bundle { stand_in, folder }
    }

    /// The script with these words.
    fn script(&self, words: &[&str]) -> Command {
        let mut command = Command::new("python3");
        command.arg(self.folder.join("run.py")).args(words);
        command.args(["--repeat", "1"]);
        self.stand_in.over(&mut command);
        command
    }

    /// The status, and what is printed.
    fn run(&self, command: &mut Command) -> (Option<i32>, String) {
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    }
}

#[test]
fn the_script_finds_the_bits() {
    let bundle = Bundle::new(&CASES, &SPEED);
    let (status, text) = bundle.run(&mut bundle.script(&[]));
    assert_eq!(status, Some(0), "{text}");
    assert!(
        text.contains("device: stand-in, compute capability 9.0\n"),
        "{text}"
    );
    assert!(text.contains("bits: 11 of 11 cases are equal\n"), "{text}");
    for name in SPEED {
        assert!(text.contains(&format!("\nspeed.{name} ")), "{text}");
    }
    let report = bundle.stand_in.report();
    assert!(report.leaks().is_empty(), "{report:?}");
    let (status, text) = bundle.run(&mut bundle.script(&["f.", "speed.sum"]));
    assert!(text.contains("bits: 5 of 5 cases are equal\n"), "{text}");
    assert_eq!(status, Some(0));
    assert_eq!(bundle.run(&mut bundle.script(&["g."])).0, Some(2));
    // Every result of every case was compared.
    let list = fs::read_to_string(bundle.folder.join("bundle.json")).unwrap();
    let reads = list.matches("\"do\":\"read\"").count();
    // `checked` has a status word that says what failed, `two` has two, the others one.
    assert_eq!(reads, 5 + SPEED.len());
    assert!(list.contains("\"do\":\"copy\""));
}

#[test]
fn the_script_finds_what_differs() {
    let bundle = Bundle::new(&CASES, &["copy", "chain"]);
    let list = bundle.folder.join("bundle.json");
    let text = fs::read_to_string(&list).unwrap();
    // One case has the kernels of another, one another result.
    let text = text.replacen("speed.chain.ptx", "speed.copy.ptx", 1);
    let (before, after) = text.split_once("\"do\":\"read\"").unwrap();
    let (start, rest) = after.split_once("\"hash\":\"").unwrap();
    let zeros = "0".repeat(64);
    let text = format!(
        "{before}\"do\":\"read\"{start}\"hash\":\"{zeros}{}",
        &rest[64..]
    );
    fs::write(&list, text).unwrap();
    let words = ["f.", "speed.copy", "speed.chain"];
    let (status, text) = bundle.run(&mut bundle.script(&words));
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains(": another hash\n"), "{text}");
    assert!(
        text.contains("speed.chain: cuModuleGetFunction: CUDA_ERROR_NOT_FOUND\n"),
        "{text}"
    );
    assert!(text.contains("bits: 4 of 6 cases are equal\n"), "{text}");
    assert!(bundle.stand_in.report().leaks().is_empty());
    for file in fs::read_dir(bundle.folder.join("data")).unwrap() {
        fs::write(file.unwrap().path(), "damaged").unwrap();
    }
    let (status, text) = bundle.run(&mut bundle.script(&["f.two"]));
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains(" are not what they were\n"), "{text}");
}

#[test]
fn the_script_tells_what_the_driver_refuses() {
    let bundle = Bundle::new(&["fused"], &[]);
    let fail = |function: &str| {
        let mut command = bundle.script(&["f.fused"]);
        bundle.run(command.env("STAND_IN_FAIL", format!("{function}:1:719")))
    };
    let (status, text) = fail("cuInit");
    assert_eq!(status, Some(2), "{text}");
    assert!(
        text.contains("no usable device: cuInit: CUDA_ERROR_LAUNCH_FAILED\n"),
        "{text}"
    );
    for function in [
        "cuModuleLoadDataEx",
        "cuMemAlloc_v2",
        "cuLaunchKernel",
        "cuMemFree_v2",
    ] {
        let (status, text) = fail(function);
        assert_eq!(status, Some(1), "{text}");
        let line = format!("f.fused: {function}: CUDA_ERROR_LAUNCH_FAILED\n");
        assert!(text.contains(&line), "{text}");
        assert!(text.contains("bits: 0 of 1 cases are equal\n"), "{text}");
    }
}

#[test]
fn what_cannot_be_read_or_written() {
    let stand_in = StandIn::cuda();
    fs::write(stand_in.path("file"), "").unwrap();
    fs::write(stand_in.path("f.nr"), PROGRAM).unwrap();
    for (words, reason) in [
        (
            &["none.nr", "-o", "out"][..],
            "error: `none.nr` cannot be read: ",
        ),
        (&["f.nr", "-o", "file"], "error: `file` cannot be written: "),
        (&["f.nr"], "error: the following required arguments"),
    ] {
        let mut command = support::neuro_mlir();
        command.current_dir(stand_in.path(""));
        let output = command.arg("gpu-bundle").args(words).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.starts_with(reason), "{errors}");
        assert!(!stand_in.path("out/bundle.json").exists());
    }
}
