//! `build`: what it refuses, and what it leaves. What it writes is linked in tests/library.

use std::fs;
use std::path::Path;

use crate::place::Place;

fn build(place: &Place, words: &[&str]) -> crate::place::Seen {
    place.command(&[&["build"], words].concat())
}

#[test]
fn folders_that_cannot_be_written() {
    let place = Place::new();
    for folder in ["f.nr", "f.nr/library"] {
        build(&place, &["f.nr", "-o", folder])
            .fails(2, &format!("error: `{folder}` cannot be written: "));
    }
    if Path::new("/proc/self").exists() {
        build(&place, &["f.nr", "-o", "/proc/self"])
            .fails(2, "error: `/proc/self/f.o` cannot be written: ");
    }
    fs::create_dir_all(place.path("out/f.h")).unwrap();
    build(&place, &["f.nr", "-o", "out"]).fails(2, "error: `out/f.h` cannot be written: ");
    assert_eq!(place.files(), ["f.nr", "out"]);
    assert_eq!(fs::read_dir(place.path("out")).unwrap().count(), 1);
}

#[test]
fn sources_that_give_no_library() {
    let place = Place::new();
    place.write(
        "wrong.nr",
        "func f(x: &Tensor<f32, [2]>) -> Tensor<f32, [3]> { x + x }",
    );
    place.write(
        "scalar.nr",
        "func f(x: i32) -> i32 { x + x }\nfunc main() { print(f(1)) }",
    );
    place.write(
        "large.nr",
        "func f(x: &Tensor<i8, [2097152, 1048576]>) -> Tensor<i8, [2097152, 1048576]> { x + x }",
    );
    for (file, message) in [
        ("none.nr", "error: `none.nr` cannot be read: "),
        ("wrong.nr", "wrong.nr:1:52: error: "),
        (
            "scalar.nr",
            "error: `scalar.nr` has no tensor operation, so there is nothing to link\n",
        ),
        ("large.nr", "large.nr:1:80: error: `f` cannot be compiled: "),
    ] {
        build(&place, &[file, "-o", "out"]).fails(2, message);
    }
    for name in ["stdio", "m", "c"] {
        let file = format!("{name}.nr");
        place.write(
            &file,
            "func f(x: &Tensor<i8, [2]>) -> Tensor<i8, [2]> { x + x }",
        );
        let message = format!("error: `{file}` would hide what C calls `{name}`");
        build(&place, &[&file, "-o", "out"]).fails(2, &message);
    }
    for name in ["my-model.nr", "9.nr", "a.b.nr", "ä.nr", ".nr"] {
        place.write(
            name,
            "func f(x: &Tensor<i8, [2]>) -> Tensor<i8, [2]> { x + x }",
        );
        let message = format!("error: `{name}` names no library: ");
        build(&place, &[name, "-o", "out"]).fails(2, &message);
    }
    build(&place, &["f.nr"]).fails(2, "error: ");
    build(&place, &["-o", "out"]).fails(2, "error: ");
    assert!(!place.path("out").exists());
}

#[test]
fn three_files_are_written_and_replaced() {
    let place = Place::new();
    assert_eq!(build(&place, &["f.nr", "-o", "a/b"]).status, 0);
    let read = || {
        let entries = fs::read_dir(place.path("a/b")).unwrap();
        let mut files: Vec<_> = entries
            .map(|entry| entry.unwrap().path())
            .map(|path| {
                (
                    path.file_name().unwrap().to_str().unwrap().to_string(),
                    fs::read(path).unwrap(),
                )
            })
            .collect();
        files.sort();
        files
    };
    let first = read();
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["f.h", "f.o", "libf.a"]);
    let header = String::from_utf8(first[0].1.clone()).unwrap();
    for sign in [
        "neuro_add(",
        "__neuro_mlir_add(",
        "neuro_both__op1(",
        "NEURO_OVERFLOW, \"-\", \"f.nr\", 2, 83",
    ] {
        assert!(header.contains(sign), "{sign}: {header}");
    }

    let words = ["f.nr", "-o", "a/b", "--overflow", "wrapping"];
    assert_eq!(build(&place, &words).status, 0);
    let wrapping = read();
    assert!(!String::from_utf8_lossy(&wrapping[0].1).contains("NEURO_OVERFLOW, \"+\""));
    place.write("f.nr", "func f(");
    assert_eq!(build(&place, &["f.nr", "-o", "a/b"]).status, 2);
    assert!(read() == wrapping, "what was there stays");
}

#[test]
fn what_the_library_lacks_is_said() {
    let place = Place::new();
    place.write(
        "f.nr",
        "\
@gpu
func strict(x: &Tensor<f32, [2]>) -> Tensor<f32, [2]> { x + x }
@gpu(fallback: true)
func either(x: &Tensor<f32, [2]>) -> Tensor<f32, [2]> { x + x }
@kernel(threads: [32])
func relu(out: &mut Tensor<f32, [2]>) {
    val i = thread_id.x
    if i < 2 { out[i] = 0.0f32 }
}
struct Layer { width: i32 }
impl Layer { func twice(&self) -> i32 { self.width * 2 } }
const SCALE: f32 = 0.5f32
func train(x: &Tensor<f32, [4, 2]>, n: i32, pair: (i32, f32)) -> Tensor<f32, [2]> {
    mut w = x[0, ..]
    for row in 0..n { w = either(&w) * x[row, ..] * SCALE * pair.1 }
    w
}
",
    );
    let seen = build(&place, &["f.nr", "-o", "out"]);
    assert_eq!((seen.status, seen.out.as_str()), (0, ""));
    assert_eq!(
        seen.err,
        "\
f.nr:2:1: note: `strict` is not in the library: it is a `@gpu` function without `fallback: true`
f.nr:6:1: note: `relu` is not in the library: it is a kernel
f.nr:11:14: note: `Layer.twice` is not in the library: its body has no tensor operation
f.nr:13:1: note: `train` is not in the library: its body has other code than tensor operations; these are there as `train__op0`, `train__op1`
"
    );
    let header = fs::read_to_string(place.path("out/f.h")).unwrap();
    assert!(
        header.contains(
            "const DLTensor *arg0, const DLTensor *x, int64_t row, float SCALE_, float pair_1, DLTensor *out"
        ),
        "{header}"
    );
}
