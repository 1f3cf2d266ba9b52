//! Commands, engines and stages.

use std::fs;

use crate::place::{Place, Seen};
use crate::support;

#[test]
fn a_program_runs_on_each_engine() {
    let place = Place::new();
    place.run(&[]).prints("hello 3\n");
    for engine in ["jit", "interpreter"] {
        place.run(&["--engine", engine]).prints("hello 3\n");
        let divide = [
            "--entry", "divide", "--engine", engine, "--arg", "a=7", "--arg",
        ];
        place.run(&[&divide[..], &["b=-2"]].concat()).prints("-3\n");
        let panic = "f.nr:3:38: panic: division by zero in `/`\n";
        let seen = place.run(&[&divide[..], &["b=0"]].concat());
        seen.fails(1, panic);
        assert_eq!(seen.err, panic);
    }
}

#[test]
fn the_engine_is_the_jit_and_integers_are_checked_by_default() {
    let place = Place::new();
    let program = "func next(a: &Tensor<i8, [1]>, n: i8) -> Tensor<i8, [1]> { (a - a) + 127 + n }";
    place.write("next.nr", program);
    let words = ["run", "next.nr", "--entry", "next", "--trace", "--arg"];
    let run = |more: &[&str]| place.command(&[&words[..], &["a=random:1", "--arg"], more].concat());
    let trace = "trace: next jit host 0\n";
    assert_eq!(run(&["n=0"]).err, trace);
    let panic = format!("{trace}next.nr:1:60: panic: integer overflow in `+` at element [0]\n");
    run(&["n=1"]).fails(1, &panic);
    let seen = run(&["n=1", "--overflow", "wrapping"]);
    assert_eq!((seen.out.as_str(), seen.err.as_str()), ("[-128]\n", trace));
}

#[test]
fn commands_that_are_none() {
    let place = Place::new();
    for words in [
        &[][..],
        &["walk"],
        &["run"],
        &["run", "f.nr", "--engine", "abacus"],
        &["run", "f.nr", "--overflow", "maybe"],
        &["run", "f.nr", "--arg", "a"],
        &["run", "f.nr", "--threads"],
        &["run", "f.nr", "--threads", "0"],
        &["run", "f.nr", "--threads", "-1"],
        &["run", "f.nr", "--threads", "two"],
        &["run", "f.nr", "--threads", "2.0"],
        &["run", "f.nr", "--threads", "1025"],
        &["run", "f.nr", "--threads", "99999999999999999999"],
        &["build", "f.nr", "-o", "out", "--threads=2"],
        &["run", "f.nr", "--arg", "=1"],
        &["run", "f.nr", "--entry", "main", "--entry", "main"],
        &["run", "f.nr", "g.nr"],
        &["emit", "f.nr"],
        &["emit", "f.nr", "--stage", "soup"],
    ] {
        let seen = place.command(words);
        assert_eq!(
            (seen.status, seen.out.as_str()),
            (2, ""),
            "{words:?}: {seen:?}"
        );
        assert!(
            !seen.err.is_empty() && !seen.err.contains("panicked"),
            "{seen:?}"
        );
    }
    let help = place.command(&["--help"]);
    assert_eq!((help.status, help.err.as_str()), (0, ""));
    for word in ["run", "check", "emit", "build"] {
        assert!(help.out.contains(word), "{help:?}");
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let place = Place::new();
    let program = "func main(a: &Tensor<f32, [130, 256]>, b: &Tensor<f32, [256, 130]>) -> Tensor<f32, [130, 130]> { a @ b }";
    place.write("product.nr", program);
    let words = "run product.nr --arg a=random:1 --arg b=random:2 --hash";
    let run = |more: &[&str]| {
        let words: Vec<&str> = words.split(' ').chain(more.iter().copied()).collect();
        place.command(&words)
    };
    let one = run(&[]);
    assert_eq!((one.status, one.err.as_str()), (0, ""));
    for (count, engine) in [
        ("1", "jit"),
        ("2", "jit"),
        ("64", "jit"),
        ("3", "interpreter"),
    ] {
        run(&["--threads", count, "--engine", engine]).prints(&one.out);
    }
    let emit = |words: &[&str]| {
        let seen = place.command(&[&["emit", "product.nr", "--stage"], words].concat());
        assert_eq!((seen.status, seen.err.as_str()), (0, ""));
        seen.out
    };
    for (stage, sign) in [("schedule", "\"neuro.shared\""), ("link", ".task0.entry(")] {
        assert!(!emit(&[stage]).contains(sign));
        assert!(emit(&[stage, "--threads"]).contains(sign), "{stage}");
    }
}

/// Before anything runs: the program has no kernel, and prints nothing.
#[test]
fn an_engine_without_its_driver_is_refused() {
    let place = Place::new();
    for (engine, library) in [("cuda", "libcuda.so.1"), ("hip", "libamdhip64.so.7")] {
        place.write(library, "no library");
        let mut command = place.raw(&["run", "f.nr", "--engine", engine]);
        let path = support::library_path(&[&place.path("")]);
        let seen = Seen::of(command.env("LD_LIBRARY_PATH", path));
        seen.fails(1, "error: no usable device: ");
        assert!(seen.err.contains(library), "{seen:?}");
    }
}

#[test]
fn a_gpu_stage_is_of_a_known_chip() {
    let place = Place::new();
    for (gpu, known) in [
        ("nvidia:sm_91", "sm_90"),
        ("nvidia:gfx942", "no known GPU chip"),
        ("amd:gfx943", "gfx942"),
        ("amd:gfx942},canonicalize{", "no known GPU chip"),
        ("intel:xe", "nvidia or amd"),
        ("sm_90", "nvidia:sm_90"),
    ] {
        let seen = place.command(&["emit", "f.nr", "--stage", "ptx", "--gpu", gpu]);
        seen.fails(2, "error: invalid value");
        assert!(seen.err.contains(known), "{seen:?}");
    }
    let near = "`sm_42` is no known GPU chip; did you mean sm_37, sm_35, sm_50?";
    let seen = place.command(&["emit", "f.nr", "--stage", "ptx", "--gpu", "nvidia:sm_42"]);
    assert!(seen.err.contains(near), "{seen:?}");
}

/// Before anything is compiled: the program is wrong.
#[test]
fn a_stage_takes_what_it_is_of() {
    let place = Place::new();
    place.write("wrong.nr", "func");
    let of = |stage: &str, gpu: &[&str], message: &str| {
        let words = [&["emit", "wrong.nr", "--stage", stage], gpu].concat();
        let seen = place.command(&words);
        seen.fails(2, &format!("error: the stage `{stage}` {message}\n"));
    };
    let (nvidia, amd) = (["--gpu", "nvidia:sm_90"], ["--gpu", "amd:gfx942"]);
    let both = "is of a GPU: `--gpu`, such as nvidia:sm_90 or amd:gfx942";
    of("gpu-mlir", &[], both);
    of("ptx", &[], "is of a GPU: `--gpu`, such as nvidia:sm_90");
    let stages =
        "is of NVIDIA's GPUs; of AMD's there are `gpu-mlir`, `gpu-llvm`, `amdgcn`, `code-object`";
    of("ptx", &amd, stages);
    for stage in ["amdgcn", "code-object"] {
        of(stage, &[], "is of a GPU: `--gpu`, such as amd:gfx942");
        let stages = "is of AMD's GPUs; of NVIDIA's there are `gpu-mlir`, `gpu-llvm`, `ptx`";
        of(stage, &nvidia, stages);
    }
    for stage in ["hir", "mlir", "llvm", "schedule", "link"] {
        let stages =
            "takes no `--gpu`; these do: `gpu-mlir`, `gpu-llvm`, `ptx`, `amdgcn`, `code-object`";
        of(stage, &nvidia, stages);
    }
    for stage in ["hir", "mlir", "llvm"] {
        let stages = "takes no `--threads`; these do: `schedule`, `link`";
        of(stage, &["--threads"], stages);
    }
}

/// A script, or why there is none.
#[test]
fn each_body_has_a_line_in_its_schedule() {
    let place = Place::new();
    let program = "\
func product(a: &Tensor<f32, [8, 8]>) -> Tensor<f32, [8, 8]> { a @ a }
func sum(a: &Tensor<f32, [8, 8]>) -> Tensor<f32, [8, 8]> { a + a }
@gpu(fallback: true)
func checked(a: &Tensor<f32, [8, 8]>, b: &Tensor<i32, [8]>) -> (Tensor<f32, [8, 8]>, Tensor<i32, [8]>) { (a @ a, b + b) }
";
    place.write("schedule.nr", program);
    let seen = place.command(&["emit", "schedule.nr", "--stage", "schedule"]);
    assert_eq!((seen.status, seen.err.as_str()), (0, ""));
    let comments: Vec<&str> = seen
        .out
        .lines()
        .filter(|line| line.starts_with("//"))
        .collect();
    let expected = [
        "// __neuro_mlir_product: the transform script by which MLIR brings the loops of its contractions",
        "// into the order that is best for this machine; no element is computed in another way.",
        "// __neuro_mlir_sum: no script: it has no contraction that a script takes",
        "// __neuro_mlir_checked: no script: its integer checks keep its loops as they are",
    ];
    assert_eq!(comments, expected);
    assert_eq!(seen.out.matches("\nmodule attributes ").count(), 1);
}

/// Nothing runs, and the trace claims nothing.
#[test]
fn the_jit_says_which_engines_run_what_is_for_a_gpu() {
    let place = Place::new();
    let program = "\
@gpu
func both(a: &Tensor<f32, [4]>) -> Tensor<f32, [4]> { a + a }
@kernel(threads: [4])
func fill(out: &mut Tensor<f32, [4]>) { if thread_id.x < 4 { out[thread_id.x] = 1.0 } }
func main() {
    mut t = Tensor::<f32, [4]>::zeros()
    fill(&mut t)
    print(both(&t))
}
func first() { print(both(&Tensor::<f32, [4]>::zeros())) }
";
    place.write("gpu.nr", program);
    let run = |words: &[&str]| place.command(&[&["run", "gpu.nr", "--trace"], words].concat());
    let kernel = "\
gpu.nr:7:5: error: the kernel `fill` needs a GPU engine, and this one is `jit`
  |
7 |     fill(&mut t)
  |     ^^^^^^^^^^^^
gpu.nr:4:1: note: `fill` is here
  |
4 | func fill(out: &mut Tensor<f32, [4]>) { if thread_id.x < 4 { out[thread_id.x] = 1.0 } }
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  = help: these run it: `--engine interpreter|emulated-nvidia|emulated-amd|cuda|hip`
";
    let seen = run(&[]);
    assert_eq!((seen.status, seen.out.as_str()), (1, ""));
    assert!(
        seen.err.ends_with(kernel) && !seen.err.contains("trace: fill"),
        "{}",
        seen.err
    );
    let seen = run(&["--entry", "first"]);
    let call = "gpu.nr:10:22: error: the `@gpu` function `both` needs a GPU engine";
    assert!(
        seen.err.contains(call) && !seen.err.contains("trace: both"),
        "{}",
        seen.err
    );
    // What the command line calls has its own place alone.
    let seen = run(&["--entry", "both", "--arg", "a=random:1"]);
    seen.fails(
        1,
        "gpu.nr:2:1: error: the `@gpu` function `both` needs a GPU engine",
    );
    assert!(!seen.err.contains("note: "), "{}", seen.err);
    assert_eq!(run(&["--engine", "interpreter"]).out, "[2. 2. 2. 2.]\n");
}

#[test]
fn gpu_stages_are_the_same_twice() {
    let place = Place::new();
    for (stage, gpu, sign) in [
        ("gpu-mlir", "nvidia:sm_90", "gpu.func @__neuro_gpu_add_0("),
        (
            "gpu-llvm",
            "nvidia:sm_90",
            "define ptx_kernel void @__neuro_gpu_add_0(",
        ),
        (
            "gpu-llvm",
            "amd:gfx942",
            "define amdgpu_kernel void @__neuro_gpu_add_0(",
        ),
        ("ptx", "nvidia:sm_90", ".visible .entry __neuro_gpu_add_0("),
        ("amdgcn", "amd:gfx942", "__neuro_gpu_add_0:"),
        ("code-object", "amd:gfx942", "__neuro_gpu_add_0.kd"),
    ] {
        let read = || {
            let words = ["emit", "f.nr", "--stage", stage, "--gpu", gpu, "-o", "out"];
            place.command(&words).prints("");
            fs::read(place.path("out")).unwrap()
        };
        let (once, twice) = (read(), read());
        assert!(
            String::from_utf8_lossy(&once).contains(sign),
            "{stage} of {gpu}"
        );
        assert!(once == twice, "{stage} of {gpu}");
    }
}

#[test]
fn stages_are_text_and_the_same_twice() {
    let place = Place::new();
    for (stage, sign) in [
        ("hir", "func add("),
        ("mlir", "func.func @add("),
        ("llvm", "define void @add("),
        ("link", "define void @__neuro_mlir_add("),
    ] {
        let seen = place.command(&["emit", "f.nr", "--stage", stage]);
        assert_eq!((seen.status, seen.err.as_str()), (0, ""), "{stage}");
        assert!(seen.out.contains(sign), "{}", seen.out);
        let words = ["emit", "f.nr", "--stage", stage, "-o", "out.txt"];
        place.command(&words).prints("");
        assert_eq!(fs::read_to_string(place.path("out.txt")).unwrap(), seen.out);
    }
    assert_eq!(place.files(), ["f.nr", "out.txt"]);
}

#[test]
fn time_and_trace_go_to_standard_error() {
    let place = Place::new();
    let add = [
        "--entry",
        "add",
        "--arg",
        "a=random:1",
        "--arg",
        "b=random:2",
        "--trace",
    ];
    for engine in ["jit", "interpreter"] {
        let seen = place.run(&[&add[..], &["--engine", engine]].concat());
        assert_eq!(seen.err, format!("trace: add {engine} host 0\n"));
        assert_eq!(seen.status, 0);
    }
    let seen = place.run(&["--time"]);
    assert_eq!((seen.status, seen.out.as_str()), (0, "hello 3\n"));
    for step in ["front end", "compile", "run"] {
        assert!(seen.err.contains(&format!("time: {step} ")), "{seen:?}");
    }
}
