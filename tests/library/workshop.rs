use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support;

/// A folder where libraries are built, and programs that link them.
pub struct Workshop(TempDir);

/// What a program did.
#[derive(Debug, PartialEq)]
pub struct Seen {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Workshop {
    pub fn new() -> Workshop {
        Workshop(TempDir::new().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Builds the library of a source that lies here, in this folder.
    pub fn build(&self, source: &str, words: &[&str]) {
        let mut command = support::neuro_mlir();
        command.args(["build", source, "-o", "."]).args(words);
        let seen = self.seen(&mut command);
        let are_notes = seen.err.lines().all(|line| line.contains(": note: `"));
        assert!(seen.status == Some(0) && are_notes, "{seen:?}");
    }

    /// Links a C program with a library.
    pub fn link(&self, source: &str, library: &str) {
        let words = [
            "-std=c11",
            "-O2",
            source,
            "-L.",
            &format!("-l{library}"),
            "-lm",
            "-o",
            "program",
        ];
        self.succeeds(Command::new("cc").args(words));
    }

    /// Runs what was linked.
    pub fn run(&self) -> Seen {
        self.seen(&mut Command::new(self.path("program")))
    }

    /// Succeeds without a word.
    #[track_caller]
    pub fn succeeds(&self, command: &mut Command) {
        let seen = self.seen(command);
        let nothing = Seen {
            status: Some(0),
            out: String::new(),
            err: String::new(),
        };
        assert_eq!(seen, nothing, "{command:?}");
    }

    pub fn seen(&self, command: &mut Command) -> Seen {
        let output = command.current_dir(self.0.path()).output();
        let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Seen {
            status: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

/// Those of these compilers that are installed; the first one is.
pub fn compilers(names: &[&'static str]) -> Vec<&'static str> {
    let installed = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
    let found: Vec<&str> = names.iter().filter(installed).copied().collect();
    assert_eq!(found.first(), names.first(), "is it installed?");
    found
}

/// A file of the example.
pub fn example(name: &str) -> PathBuf {
    support::folder("../examples/link-c").join(name)
}

/// Everything a header may hold.
pub const PROGRAM: &str = "\
type Wide = Tensor<f32, [rows: 2, columns: 3]>
func dense(x: &Wide, w: &Tensor<f32, [3, 4]>, b: &Tensor<f32, [4]>) -> Tensor<f32, [2, 4]> { x @ w + b }
func scale(a: &Tensor<i32, [2, 3]>, k: i32) -> Tensor<i32, [2, 3]> { a * k / k }
func best(v: &Tensor<f16, [6]>) -> (Tensor<f16, [3]>, Tensor<i32, [3]>) { v.topk(k: 3) }
func halves(out: &Tensor<f16, [6]>, int: f16, failure: i8, linux: bool) -> Tensor<f16, [6]> { out * int + out }
func brains(x: &Tensor<bf16, [2]>, k: bf16) -> Tensor<bf16, [2]> { x / k }
func flip(yes: &Tensor<bool, [2, 3]>) -> Tensor<bool, [3, 2]> { yes.t() }
func nothing(none: &Tensor<u64, [0, 3]>) -> Tensor<u64, [0, 3]> { none + none }
func update(w: &mut Tensor<f64, [4]>, g: &Tensor<f64, []>) { w += g }
func total(a: &Tensor<i8, [4]>) -> i8 { a.sum() }
func each(x: &Tensor<f16, [2]>, int: func(f16) -> bool, int_environment: i8) -> Tensor<bool, [2]> { x.map(int) }
func row(t: &Tensor<f32, [4, 3]>, i: i64) -> Tensor<f32, [3]> { t[i, ..] }
";

pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}
