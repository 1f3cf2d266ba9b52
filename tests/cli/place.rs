use std::fs;
use std::process::Command;

use tempfile::TempDir;

use crate::support;

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
pub struct Place(TempDir);

#[derive(Debug)]
pub struct Seen {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Place {
        let place = Place(TempDir::new().unwrap());
        place.write("f.nr", PROGRAM);
        place
    }

    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn command(&self, words: &[&str]) -> Seen {
        Seen::of(&mut self.raw(words))
    }

    /// A command of which the test holds the ends.
    pub fn raw(&self, words: &[&str]) -> Command {
        let mut command = support::neuro_mlir();
        command.current_dir(self.0.path()).args(words);
        command
    }

    pub fn run(&self, words: &[&str]) -> Seen {
        self.command(&[&["run", "f.nr"], words].concat())
    }

    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

impl Seen {
    pub fn of(command: &mut Command) -> Seen {
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Seen {
            status: output.status.code().expect("no signal ends it"),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Succeeded, and printed this.
    #[track_caller]
    pub fn prints(&self, out: &str) {
        assert_eq!(
            (self.status, self.out.as_str(), self.err.as_str()),
            (0, out, "")
        );
    }

    /// Failed with this status and with this at the start of standard error; printed nothing.
    #[track_caller]
    pub fn fails(&self, status: i32, err: &str) {
        assert_eq!((self.status, self.out.as_str()), (status, ""), "{self:?}");
        assert!(self.err.starts_with(err), "{self:?}");
        assert!(!self.err.contains("panicked"), "{self:?}");
    }
}

/// A `.npy` file of version 1.
pub fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let header = format!("{header:<117}\n");
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

pub fn header(descr: &str, fortran: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}")
}
