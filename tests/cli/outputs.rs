//! What a run writes, and where it cannot.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::place::{Place, Seen, header, npy};

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
fn a_dump_that_cannot_be_written_is_no_internal_error() {
    let place = Place::new();
    for words in [&["run", "f.nr"][..], &["emit", "f.nr", "--stage", "link"]] {
        let dumped = |folder: &str| {
            let mut command = place.raw(words);
            command.env("NEURO_MLIR_DUMP", folder);
            Seen::of(&mut command)
        };
        for folder in ["f.nr", "f.nr/stages"] {
            dumped(folder).fails(2, &format!("error: NEURO_MLIR_DUMP: `{folder}` "));
        }
        assert_eq!(dumped("stages").status, 0);
        assert!(place.path("stages").is_dir());
    }
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
fn a_reader_that_goes_away_is_no_panic() {
    let place = Place::new();
    place.write(
        "g.nr",
        "func main() { for i in 0..1000000 { print(\"a line that fills a pipe\", i) } }",
    );
    let mut command = place.raw(&["run", "g.nr"]);
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

/// In the middle of a bundle, too, where a run is recorded that could fail for itself.
#[cfg(target_os = "linux")]
#[test]
fn a_bundle_that_cannot_be_written_is_none() {
    let place = Place::new();
    let program = "func f(a: &Tensor<f32, [3]>) -> Tensor<f32, [3]> { a + 1.0f32 }\n";
    place.write("f.nr", program);
    let seen = place.command(&["gpu-bundle", "missing.nr", "-o", "none", "--small"]);
    seen.fails(2, "error: `missing.nr` cannot be read: ");
    assert!(!place.path("none").exists());
    // No file can be made there.
    std::fs::create_dir(place.path("out")).unwrap();
    std::os::unix::fs::symlink("/proc", place.path("out/data")).unwrap();
    let seen = place.command(&["gpu-bundle", "f.nr", "-o", "out", "--small"]);
    seen.fails(2, "error: `out` cannot be written: ");
    assert!(!place.path("out/bundle.json").exists());
}

/// What cannot be written, where the system has such a file.
fn full() -> Option<fs::File> {
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: this system has no /dev/full");
        return None;
    }
    Some(fs::File::options().write(true).open("/dev/full").unwrap())
}

#[test]
fn standard_error_may_be_full() {
    let Some(full) = full() else { return };
    let place = Place::new();
    let ends = |words: &[&str]| {
        let mut command = place.raw(&[&["run", "f.nr", "--time", "--trace"], words].concat());
        let output = command.stderr(full.try_clone().unwrap()).output().unwrap();
        (output.status.code(), output.stdout)
    };
    assert_eq!(ends(&[]), (Some(0), b"hello 3\n".to_vec()));
    let add = [
        "--entry",
        "add",
        "--arg",
        "a=random:1",
        "--arg",
        "b=random:2",
    ];
    assert_eq!(ends(&add).0, Some(0));
    let divide = ["--entry", "divide", "--arg", "a=1", "--arg", "b=0"];
    assert_eq!(ends(&divide), (Some(1), vec![]));
}

#[test]
fn a_full_disk_is_said() {
    let Some(full) = full() else { return };
    let place = Place::new();
    let mut command = place.raw(&["run", "f.nr"]);
    let output = command.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        err.starts_with("error: standard output cannot be written: "),
        "{err}"
    );
}
