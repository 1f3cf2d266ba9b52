//! The command line: exit statuses, messages, files, and input that is wrong in every way.

mod support;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;

const PROGRAM: &str = "\
func add(a: &Tensor<f32, [2, 3]>, b: &Tensor<f32, [2, 3]>) -> Tensor<f32, [2, 3]> { a + b }
func both(a: &Tensor<i16, [2]>) -> (Tensor<i16, [2]>, Tensor<i16, [2]>) { (a + a, a - a) }
func divide(a: i32, b: i32) -> i32 { a / b }
func half(x: f16) -> f16 { x }
func letter(c: char, yes: bool) -> char { if yes { c } else { 'n' } }
func text(s: string) { print(s) }
func nothing() { }
func deep(n: i64) -> i64 { if n == 0 { 0 } else { 1 + deep(n - 1) } }
func main() { print(\"hello\", 1 + 2) }
";

/// A folder with `f.nr` in it, where commands run.
struct Place(TempDir);

#[derive(Debug)]
struct Seen {
    status: i32,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Place {
        let place = Place(TempDir::new().unwrap());
        place.write("f.nr", PROGRAM);
        place
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn command(&self, words: &[&str]) -> Seen {
        let mut command = support::neuro_mlir();
        let output = command
            .current_dir(self.0.path())
            .args(words)
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Seen {
            status: output.status.code().expect("no signal ends it"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    fn run(&self, words: &[&str]) -> Seen {
        self.command(&[&["run", "f.nr"], words].concat())
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

impl Seen {
    /// Succeeded, and printed this.
    #[track_caller]
    fn prints(&self, out: &str) {
        assert_eq!(
            (self.status, self.out.as_str(), self.err.as_str()),
            (0, out, "")
        );
    }

    /// Failed with this status and with this at the start of standard error; printed nothing.
    #[track_caller]
    fn fails(&self, status: i32, err: &str) {
        assert_eq!((self.status, self.out.as_str()), (status, ""), "{self:?}");
        assert!(self.err.starts_with(err), "{self:?}");
        assert!(!self.err.contains("panicked"), "{self:?}");
    }
}

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
fn check_prints_diagnostics_and_nothing_else() {
    let place = Place::new();
    place.command(&["check", "f.nr"]).prints("");
    place.write("g.nr", "func main() {\n    val é = 1 + true\n}\n");
    let seen = place.command(&["check", "g.nr"]);
    seen.fails(2, "g.nr:2:");
    assert!(seen.err.contains("2 |     val é = 1 + true\n"), "{seen:?}");
    place.write("h.nr", "func f() { a }\nfunc g() { b }\n");
    let seen = place.command(&["check", "h.nr"]);
    seen.fails(2, "h.nr:1:12: error: ");
    assert!(
        seen.err.contains("h.nr:2:12: error: "),
        "several a run: {seen:?}"
    );
}

#[test]
fn sources_that_are_no_programs() {
    let place = Place::new();
    place.write("empty.nr", "");
    place.command(&["check", "empty.nr"]).prints("");
    place
        .command(&["run", "empty.nr"])
        .fails(2, "error: `empty.nr` has no function `main`\n");
    let binary: Vec<u8> = (0..=255).rev().cycle().take(10_000).collect();
    place.write("binary.nr", binary);
    place
        .command(&["run", "binary.nr"])
        .fails(2, "binary.nr:1:1: error: the file is not UTF-8");
    place.write("zeros.nr", [0; 1000]);
    place
        .command(&["run", "zeros.nr"])
        .fails(2, "zeros.nr:1:1: error: ");
    place.write("late.nr", b"func main() {\n  \xff }");
    place
        .command(&["run", "late.nr"])
        .fails(2, "late.nr:2:3: error: the file is not UTF-8");
    place.write("escape.nr", r#"func main() { print("a\q") }"#);
    place
        .command(&["check", "escape.nr"])
        .fails(2, "escape.nr:1:23: error: unknown escape `\\q`");
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("-", ""),
        ("f(", ")"),
        ("!", ""),
    ] {
        let nested = [open.repeat(100_000), "1".into(), close.repeat(100_000)].concat();
        place.write("deep.nr", format!("func main() {{ val x = {nested} }}"));
        for command in ["run", "check"] {
            place.command(&[command, "deep.nr"]).fails(2, "deep.nr:1:");
        }
    }
    let long = format!("func main() {{ val x = {}1 }}", "1 + ".repeat(100_000));
    place.write("long.nr", long);
    let seen = place.command(&["run", "long.nr"]);
    assert!(matches!(seen.status, 0 | 2), "{seen:?}");
    place
        .command(&["run", "missing.nr"])
        .fails(2, "error: `missing.nr` cannot be read: ");
    place
        .command(&["run", "."])
        .fails(2, "error: `.` cannot be read: ");
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
    for word in ["run", "check", "emit"] {
        assert!(help.out.contains(word), "{help:?}");
    }
}

#[test]
fn what_is_not_built_yet_is_refused() {
    let place = Place::new();
    for engine in ["emulated-nvidia", "emulated-amd", "cuda", "hip"] {
        place.run(&["--engine", engine]).fails(
            2,
            &format!("error: the engine `{engine}` is not built yet\n"),
        );
    }
    for stage in ["gpu-mlir", "gpu-llvm", "ptx", "amdgcn", "code-object"] {
        let words = ["emit", "f.nr", "--stage", stage, "--gpu", "nvidia:sm_90"];
        place
            .command(&words)
            .fails(2, &format!("error: the stage `{stage}` is not built yet\n"));
    }
    for (gpu, known) in [
        ("nvidia:volta", "sm_90"),
        ("nvidia:gfx942", "sm_90"),
        ("amd:sm_90", "gfx942"),
        ("intel:xe", "nvidia or amd"),
        ("sm_90", "nvidia:sm_90"),
    ] {
        let seen = place.command(&["emit", "f.nr", "--stage", "ptx", "--gpu", gpu]);
        seen.fails(2, "error: invalid value");
        assert!(seen.err.contains(known), "{seen:?}");
    }
}

#[test]
fn arguments_that_do_not_fit() {
    let place = Place::new();
    let entry = |name, words: &[&str]| place.run(&[&["--entry", name], words].concat());
    entry("nowhere", &[]).fails(2, "error: `f.nr` has no function `nowhere`\n");
    entry("divide", &["--arg", "a=1"]).fails(2, "error: the argument `b` of `divide` is missing");
    let twice = ["--arg", "a=1", "--arg", "b=2", "--arg", "a=1"];
    entry("divide", &twice).fails(2, "error: the argument `a` is given twice\n");
    let unknown = ["--arg", "a=1", "--arg", "b=2", "--arg", "c=3"];
    entry("divide", &unknown).fails(2, "error: `divide` has no parameter `c`; it takes a, b\n");
    entry("main", &["--arg", "x=1"]).fails(
        2,
        "error: `main` has no parameter `x`; it takes no arguments\n",
    );
    for value in ["2147483648", "1.5", "one", "", "0x10", " 1"] {
        let value = format!("a={value}");
        entry("divide", &["--arg", &value, "--arg", "b=1"])
            .fails(2, "error: the argument `a` (i32): ");
    }
    entry("letter", &["--arg", "c=xy", "--arg", "yes=true"])
        .fails(2, "error: the argument `c` (char): `xy` is no char\n");
    entry("letter", &["--arg", "c=x", "--arg", "yes=1"])
        .fails(2, "error: the argument `yes` (bool): `1` is no bool\n");
    entry("text", &["--arg", "s=x"]).fails(2, "f.nr:6:11: error: ");
    for seed in ["", "-1", "x", "18446744073709551616"] {
        let value = format!("a=random:{seed}");
        entry("both", &["--arg", &value]).fails(2, "error: the argument `a` (Tensor<i16, [2]>): ");
    }
    // More bytes than any address space has, and more than this machine has.
    for (extent, status) in [(1u64 << 62, 2), (1 << 46, 1)] {
        let source = format!("func f(a: &Tensor<f64, [{extent}]>) -> f64 {{ a[0] }}");
        place.write("large.nr", source);
        for engine in ["jit", "interpreter"] {
            let words = ["--entry", "f", "--arg", "a=random:1", "--engine", engine];
            place
                .command(&[&["run", "large.nr"], &words[..]].concat())
                .fails(status, "error: ");
        }
    }
}

#[test]
fn scalars_are_read_as_their_type() {
    let place = Place::new();
    let half = |value: &str| place.run(&["--entry", "half", "--arg", &format!("x={value}")]);
    half("0.1").prints("0.1\n");
    half("-1e9").prints("-inf\n");
    half("nan").prints("nan\n");
    let letter = ["--entry", "letter", "--arg", "c=ß", "--arg", "yes=true"];
    place.run(&letter).prints("ß\n");
    let words = ["--entry", "half", "--arg", "x=1", "--hash"];
    place.run(&words).prints("f16 ab021bde2b1db2b2\n");
}

/// A `.npy` file of version 1.
fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let header = format!("{header:<117}\n");
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn header(descr: &str, fortran: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}")
}

#[test]
fn files_that_are_not_the_array() {
    let place = Place::new();
    let data = [0u8; 24];
    let good = npy(&header("<f4", "False", "(2, 3)"), &data);
    let cases: &[(&str, Vec<u8>, &str)] = &[
        ("empty", vec![], "not a .npy file"),
        ("text", b"1 2 3\n4 5 6\n".to_vec(), "not a .npy file"),
        ("magic", b"\x93NUMPY".to_vec(), ""),
        ("version", b"\x93NUMPY\x09\x00\x00\x00".to_vec(), "version"),
        ("header", npy("{'descr': ", &data), "header"),
        (
            "dtype",
            npy(&header("<f8", "False", "(2, 3)"), &[0; 48]),
            "dtype '<f4', found",
        ),
        (
            "endian",
            npy(&header(">f4", "False", "(2, 3)"), &data),
            "big-endian",
        ),
        (
            "shape",
            npy(&header("<f4", "False", "(3, 2)"), &data),
            "shape (2, 3), found (3, 2)",
        ),
        (
            "rank",
            npy(&header("<f4", "False", "(6,)"), &data),
            "shape (2, 3), found (6,)",
        ),
        (
            "fortran",
            npy(&header("<f4", "True", "(2, 3)"), &data),
            "Fortran order",
        ),
        ("short", good[..good.len() - 1].to_vec(), "truncated"),
        ("cut", good[..40].to_vec(), ""),
        ("long", [&good[..], &[0]].concat(), "to end after"),
        (
            "overflow",
            npy(&header("<f4", "False", "(4294967296, 4294967296)"), &data),
            "overflow",
        ),
        (
            "overflow2",
            npy(
                &header("<f4", "False", "(99999999999999999999999, 1)"),
                &data,
            ),
            "overflow",
        ),
    ];
    for (name, bytes, expected) in cases {
        let name = format!("{name}.npy");
        place.write(&name, bytes);
        let value = format!("a={name}");
        let seen = place.run(&["--entry", "add", "--arg", &value, "--arg", "b=random:1"]);
        seen.fails(2, "error: the argument `a` (Tensor<f32, [2, 3]>): `");
        assert!(
            seen.err.contains(&name) && seen.err.contains(expected),
            "{seen:?}"
        );
    }
    let missing = place.run(&["--entry", "add", "--arg", "a=no.npy", "--arg", "b=random:1"]);
    missing.fails(
        2,
        "error: the argument `a` (Tensor<f32, [2, 3]>): `no.npy`: cannot be read: ",
    );
    let number = place.run(&["--entry", "add", "--arg", "a=3", "--arg", "b=random:1"]);
    number.fails(2, "error: the argument `a` (Tensor<f32, [2, 3]>): `3`: ");
    assert!(
        number
            .err
            .contains("a .npy file or random:SEED was expected"),
        "{number:?}"
    );
}

#[test]
fn results_are_written_and_read_back() {
    let place = Place::new();
    let data: Vec<u8> = (0..6).flat_map(|n| (n as f32).to_le_bytes()).collect();
    place.write("a.npy", npy(&header("<f4", "False", "(2, 3)"), &data));
    let add = ["--entry", "add", "--arg", "a=a.npy", "--arg", "b=a.npy"];
    place.run(&add).prints("[[ 0.  2.  4.]\n [ 6.  8. 10.]]\n");
    let out = place.run(&[&add[..], &["--out", "sum.npy", "--hash"]].concat());
    assert_eq!(out.status, 0, "{out:?}");
    let sums: Vec<u8> = (0..6)
        .flat_map(|n| (2.0 * n as f32).to_le_bytes())
        .collect();
    let written = fs::read(place.path("sum.npy")).unwrap();
    assert!(
        written.ends_with(&sums) && written.len() % 64 == sums.len(),
        "{written:?}"
    );
    let again = ["--entry", "add", "--arg", "a=sum.npy", "--arg", "b=sum.npy"];
    place
        .run(&again)
        .prints("[[ 0.  4.  8.]\n [12. 16. 20.]]\n");

    let data: Vec<u8> = [3i16, -4].iter().flat_map(|n| n.to_le_bytes()).collect();
    place.write("i.npy", npy(&header("<i2", "False", "(2,)"), &data));
    place
        .run(&["--entry", "both", "--arg", "a=i.npy", "--out", "pair.npy"])
        .prints("[ 6 -8]\n[0 0]\n");
    let scalar = [
        "--entry", "divide", "--arg", "a=7", "--arg", "b=2", "--out", "q.npy",
    ];
    place.run(&scalar).prints("3\n");
    place.write("s.npy", fs::read(place.path("q.npy")).unwrap());
    let read = ["--entry", "divide", "--arg", "a=s.npy", "--arg", "b=1"];
    place.run(&read).prints("3\n");
    let expected = [
        "a.npy",
        "f.nr",
        "i.npy",
        "pair.0.npy",
        "pair.1.npy",
        "q.npy",
        "s.npy",
        "sum.npy",
    ];
    assert_eq!(place.files(), expected, "and no temporary file is left");
}

#[test]
fn outputs_that_cannot_be_written() {
    let place = Place::new();
    fs::create_dir(place.path("folder")).unwrap();
    let both = ["--entry", "both", "--arg", "a=random:1"];
    for out in ["no/such/folder/x.npy", "f.nr/x.npy"] {
        place
            .run(&[&both[..], &["--out", out]].concat())
            .fails(2, "error: `");
        place
            .command(&["emit", "f.nr", "--stage", "hir", "-o", out])
            .fails(2, "error: `");
    }
    let add = [
        "--entry",
        "add",
        "--arg",
        "a=random:1",
        "--arg",
        "b=random:2",
    ];
    place
        .run(&[&add[..], &["--out", "folder"]].concat())
        .fails(2, "error: `folder`");
    place
        .command(&["emit", "f.nr", "--stage", "hir", "-o", "folder"])
        .fails(2, "error: `folder`");
    place
        .run(&["--entry", "nothing", "--out", "x.npy"])
        .fails(2, "error: `nothing` has no result to write to `x.npy`\n");
    assert_eq!(place.files(), ["f.nr", "folder"]);
}

#[test]
fn an_output_stays_as_it_was_when_the_program_fails() {
    let place = Place::new();
    place.write("old.npy", "old");
    let words = [
        "--entry", "divide", "--arg", "a=1", "--arg", "b=0", "--out", "old.npy",
    ];
    place.run(&words).fails(1, "f.nr:3:38: panic: ");
    assert_eq!(fs::read(place.path("old.npy")).unwrap(), b"old");
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
fn memory_has_an_end() {
    let place = Place::new();
    // Two operands of 64 MiB, and 2^50 bytes between the two operations.
    place.write(
        "sum.nr",
        "func f(a: &Tensor<f32, [16777216, 1]>, b: &Tensor<f32, [16777216]>) -> f32 {
    (a + b).sum()
}",
    );
    for engine in ["jit", "interpreter"] {
        let words = ["--entry", "f", "--arg", "a=random:1", "--arg", "b=random:2"];
        let seen = place.command(&[&["run", "sum.nr", "--engine", engine], &words[..]].concat());
        seen.fails(
            1,
            "sum.nr:2:",
        );
    }
}

#[test]
fn recursion_has_an_end() {
    let place = Place::new();
    for engine in ["jit", "interpreter"] {
        let deep = |n: &str| {
            let n = format!("n={n}");
            place.run(&["--entry", "deep", "--engine", engine, "--arg", &n])
        };
        deep("9000").prints("9000\n");
        deep("1000000").fails(1, "f.nr:8:");
    }
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

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let place = Place::new();
    place.write(
        "g.nr",
        "func main() { for i in 0..1000000 { print(\"a line that fills a pipe\", i) } }",
    );
    let mut command = support::neuro_mlir();
    command.current_dir(place.0.path()).args(["run", "g.nr"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_full_disk_is_said() {
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: this system has no /dev/full");
        return;
    }
    let place = Place::new();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = support::neuro_mlir();
    command.current_dir(place.0.path()).args(["run", "f.nr"]);
    let output = command.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        err.starts_with("error: standard output cannot be written: "),
        "{err}"
    );
}
