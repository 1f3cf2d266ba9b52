//! Kernels on the emulated GPUs, beyond what the file tests compare (backend specification,
//! §`@kernel` functions).

mod support;

use std::process::Output;

const ENGINES: [&str; 2] = ["emulated-nvidia", "emulated-amd"];

/// Runs `main` of a program.
fn run(program: &str, words: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.nr"), program).unwrap();
    let mut command = support::neuro_mlir();
    command
        .current_dir(folder.path())
        .args(["run", "f.nr"])
        .args(words);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// What a kernel has not, and the words for it. Each stands where `HERE` does.
const REFUSED: [(&str, &str); 21] = [
    ("val x = HERE half(1.0)", "a function call"),
    ("val r = HERE a[0..2]", "a slice"),
    ("val t = HERE (1, 2)", "a tuple"),
    ("val x = HERE a.sum()", "a reduction"),
    (
        "val x = (HERE a + a)[0]",
        "an element of a tensor that is no parameter",
    ),
    ("val b = HERE a.clone()", "a tensor that is made"),
    ("val b = HERE a.sort()", "a sort"),
    (
        "val b = HERE a.reshape([2, 4])",
        "a tensor in another shape",
    ),
    (
        "val b: Tensor<f32, [2]> = HERE [1.0, 2.0]",
        "a tensor that is made",
    ),
    ("val b = HERE a.map(|x: f32| -> f32 { x })", "a traversal"),
    ("val b = HERE a", "a whole tensor"),
    ("HERE print(1)", "a `print`"),
    ("val f = HERE |x: f32| -> f32 { x }", "a function value"),
    ("val f = HERE half", "a function value"),
    ("val h = HERE 1.0f16", "no kernel computes half precision"),
    (
        "val h = HERE out[0] as bf16",
        "no kernel computes half precision",
    ),
    ("val s = HERE S { x: 1 }", "a struct"),
    ("val r = HERE &1", "a reference"),
    ("val t = HERE PAIR", "a constant that is no number"),
    ("HERE out += 1.0", "an assignment to a whole tensor"),
    ("val m = HERE m2 @ m2", "a matrix product"),
];

#[test]
fn what_no_kernel_has_is_refused_where_it_stands() {
    for (statement, what) in REFUSED {
        let (before, after) = statement.split_once("HERE").unwrap();
        let kernel = format!(
            "const PAIR: (i32, i32) = (1, 2)
struct S {{ x: i32 }}
func half(x: f32) -> f32 {{ x / 2.0 }}
@kernel(threads: [8])
func k(a: &Tensor<f32, [8]>, m2: &Tensor<f32, [2, 2]>, out: &mut Tensor<f32, [8]>) {{
{before}{} }}
func main() {{ }}",
            after.trim_start()
        );
        for engine in ENGINES {
            let output = run(&kernel, &["--engine", engine]);
            let told = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{statement}: {told}");
            assert!(told.contains(what), "{statement}: {told}");
            let place = format!("f.nr:6:{}", before.len() + 1);
            assert!(told.contains(&place), "{statement}: not at {place}: {told}");
        }
    }
}

#[test]
fn a_signature_that_no_kernel_has_is_refused() {
    for (parameter, what) in [
        ("a: &Tensor<f16, [8]>", "no kernel computes half precision"),
        (
            "a: &Tensor<bool, [8]>",
            "no kernel works on `bool` elements",
        ),
        ("a: bf16", "no kernel computes half precision"),
        ("a: char", "`char` in the signature of a linked body"),
        ("a: &Tensor<f32, [?]>", "in the signature of a linked body"),
        ("a: (i32, i32)", "in the signature of a linked body"),
        ("a: func(f32) -> f32", "a parameter of type `func"),
        (
            "a: &mut Tensor<f32, [70000, 70000]>",
            "blocks of [1, 1] threads, which `",
        ),
    ] {
        let kernel = format!(
            "@kernel(threads: [1, 1])
func k({parameter}, out: &mut Tensor<f32, [8, 8]>) {{ }}
func main() {{ }}"
        );
        for engine in ENGINES {
            let output = run(&kernel, &["--engine", engine]);
            let told = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{parameter}: {told}");
            assert!(told.contains(what), "{parameter}: {told}");
            assert!(told.contains("`k` ("), "{parameter}: {told}");
        }
    }
}

#[test]
fn a_trace_has_each_launch() {
    let program = "
@kernel(threads: [4])
func fill(x: i32, out: &mut Tensor<i32, [6]>) { if thread_id.x < 6 { out[thread_id.x] = x } }
@kernel(threads: [4])
func nothing(out: &mut Tensor<i32, [0]>) { }
func main() {
    mut a = Tensor::<i32, [6]>::zeros()
    fill(3, &mut a)
    mut b = Tensor::<i32, [0]>::zeros()
    nothing(&mut b)
    fill(4, &mut a)
    print(a)
}";
    for engine in ENGINES {
        let output = run(program, &["--engine", engine, "--trace"]);
        assert_eq!(text(&output.stdout), "[4 4 4 4 4 4]\n");
        let expected = "trace: fill ENGINE device 1\n\
                        trace: nothing ENGINE device 0\n\
                        trace: fill ENGINE device 1\n";
        assert_eq!(text(&output.stderr).replace(engine, "ENGINE"), expected);
    }
}

/// The emulated vendors have the mathematics; whether the chip's own does is another matter.
#[test]
fn a_kernel_calls_mathematics() {
    let program = "
@kernel(threads: [4])
func f(a: &Tensor<f32, [4]>, out: &mut Tensor<f32, [4]>) {
    val x = a[thread_id.x]
    out[thread_id.x] = x.exp().log().sin().cos().tanh().pow(2.0) + x % 0.7
}
func main() {
    val a: Tensor<f32, [4]> = [0.5, 1.0, 2.0, 3.0]
    mut out = Tensor::<f32, [4]>::zeros()
    f(&a, &mut out)
    print((out * 1000.0).map(|x: f32| -> i32 { x as i32 }))
}";
    let expected = run(program, &["--engine", "interpreter"]);
    assert!(expected.status.success());
    for engine in ENGINES {
        let output = run(program, &["--engine", engine]);
        assert_eq!(
            text(&output.stdout),
            text(&expected.stdout),
            "{}",
            text(&output.stderr)
        );
    }
}

/// Each has a `main` that launches a kernel, and what the kernel's threads do to which element.
const RACES: [(&str, &str); 4] = [
    (
        "@kernel(threads: [4])
func k(out: &mut Tensor<i64, []>) { out[] = thread_id.x }
func main() {
    mut out = Tensor::<i64, []>::zeros()
    k(&mut out)
}",
        "thread [1] writes `out[]`, which thread [0] writes",
    ),
    (
        "@kernel(threads: [4])
func k(scale: f32, out: &mut Tensor<f32, [6]>) { if thread_id.x < 5 { out[thread_id.x] = out[thread_id.x + 1] * scale } }
func main() {
    mut out = Tensor::<f32, [6]>::ones()
    k(2.0, &mut out)
}",
        "thread [1] writes `out[1]`, which thread [0] reads",
    ),
    (
        "@kernel(threads: [2, 4])
func k(a: &Tensor<i8, [3, 5]>, out: &mut Tensor<i8, [3, 5]>, sums: &mut Tensor<i8, [3, 1]>) { if thread_id.x == 1 && thread_id.y < 2 { sums[1, 0] += a[1, thread_id.y] } }
func main() {
    mut out = Tensor::<i8, [3, 5]>::zeros()
    mut sums = Tensor::<i8, [3, 1]>::zeros()
    val a = Tensor::<i8, [3, 5]>::ones()
    k(&a, &mut out, &mut sums)
}",
        "thread [1, 0] reads `sums[1, 0]`, which thread [1, 1] writes",
    ),
    // More blocks along the first axis than there are along y of the device.
    (
        "@kernel(threads: [1, 1])
func k(out: &mut Tensor<i8, [65536, 2]>) { if thread_id.x == 65535 { out[65535, 1] = thread_id.y as i8 } }
func main() {
    mut out = Tensor::<i8, [65536, 2]>::zeros()
    k(&mut out)
}",
        "thread [65535, 0] writes `out[65535, 1]`, which thread [65535, 1] writes",
    ),
];

#[test]
fn a_race_is_the_programs_failure() {
    for (program, what) in RACES {
        for engine in ENGINES {
            let output = run(program, &["--engine", engine]);
            let told = text(&output.stderr);
            let expected = format!("f.nr:2:1: error: the kernel `k` has a race: {what}\n");
            assert!(told.starts_with(&expected), "{engine}: {told}");
            assert_eq!(output.status.code(), Some(1), "{engine}: {told}");
        }
    }
}
