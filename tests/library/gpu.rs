//! GPU bodies in one program with the host's.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use neuro_hir::Tier;

use crate::header::compiles;
use crate::stand_in::StandIn;
use crate::workshop::{Seen, Workshop, example};

/// Bazel names it, Cargo puts it beside its users.
fn runtime() -> PathBuf {
    let path = match std::env::var_os("NEURO_GPU_LIBRARY") {
        Some(path) => path.into(),
        None => {
            let test = std::env::current_exe().unwrap();
            let entries = fs::read_dir(test.parent().unwrap()).unwrap();
            let paths = entries.map(|entry| entry.unwrap().path());
            let is_one = |path: &PathBuf| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with("libneuro_gpu-") && name.ends_with(".a")
            };
            let age = |path: &PathBuf| fs::metadata(path).and_then(|found| found.modified()).ok();
            // Cargo leaves older ones there.
            let newest = paths.filter(is_one).max_by_key(age);
            newest.expect("Cargo builds it with this test")
        }
    };
    assert!(path.is_file(), "{}", path.display());
    path
}

/// A workshop with the example, linked for a GPU.
fn linked(gpu: &str) -> Workshop {
    let workshop = Workshop::new();
    for file in ["model.nr", "gpu.c"] {
        fs::copy(example(file), workshop.path(file)).unwrap();
    }
    fs::copy(runtime(), workshop.path("libneuro_gpu.a")).unwrap();
    workshop.build("model.nr", &["--gpu", gpu]);
    let words = [
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O2",
        "gpu.c",
        "-L.",
        "-lmodel",
        "-lneuro_gpu",
        "-lm",
        "-o",
        "program",
    ];
    workshop.succeeds(Command::new("cc").args(words));
    workshop
}

#[test]
fn the_header_compiles_without_a_warning() {
    let workshop = linked("amd:gfx942");
    let text = "\
#include \"model.h\"
typedef void (*Function)(void);
extern const Function functions[3];
const Function functions[3] = {
  (Function)neurogpu_dense, (Function)neurogpu_best, (Function)neurogpu_scale,
};
int main(void) { return functions[0] == functions[1]; }
";
    compiles(&workshop, text);
}

#[test]
fn without_a_driver_a_function_says_so() {
    for (gpu, library) in [("nvidia:sm_90", "libcuda"), ("amd:gfx942", "libamdhip64")] {
        let workshop = linked(gpu);
        let mut program = Command::new(workshop.path("program"));
        let seen = workshop.seen(program.env("LD_LIBRARY_PATH", ""));
        assert_eq!((seen.status, seen.out.as_str()), (Some(1), ""), "{seen:?}");
        let text = seen.err.strip_prefix("dense: no usable device: ");
        assert!(text.is_some_and(|text| text.contains(library)), "{seen:?}");
    }
}

const FAILED: &str = "model.nr:10:5: panic: integer overflow in `*` at element [1, 1]\n";

#[test]
fn host_and_gpu_bodies_of_one_program_give_the_same_bits() {
    for (gpu, stand_in) in devices() {
        let workshop = linked(gpu);
        let functions = ["dense", "best", "scale"];
        stand_in.learn(&workshop.path("model.nr"), &functions, Tier::Checked);
        let mut program = Command::new(workshop.path("program"));
        stand_in.over(&mut program);
        let expected = Seen {
            status: Some(0),
            out: "dense: the same bits\nscale: the same bits\n".to_string(),
            err: FAILED.to_string(),
        };
        assert_eq!(workshop.seen(&mut program), expected);
        assert_eq!(left(&stand_in), [""; 0]);
    }
}

/// Whatever the driver refuses is said by the function that asked for it.
#[test]
fn each_call_of_a_driver_that_fails_is_said() {
    for (gpu, stand_in) in devices() {
        let workshop = linked(gpu);
        let functions = ["dense", "best", "scale"];
        stand_in.learn(&workshop.path("model.nr"), &functions, Tier::Checked);
        let run = |fail: &str| {
            let mut program = Command::new(workshop.path("program"));
            stand_in.over(&mut program);
            workshop.seen(program.env("STAND_IN_FAIL", fail))
        };
        let good = run("none:1:1");
        for (function, count) in stand_in.report().calls {
            // Once a program ends, a failure has nobody to hear it.
            if ["Set", "Free", "Unload", "Destroy", "Release"]
                .iter()
                .any(|part| function.contains(part))
            {
                continue;
            }
            for number in BTreeSet::from([1, count]) {
                let seen = run(&format!("{function}:{number}:719"));
                let names = seen.err.contains(&format!("{function}: "));
                let whole = (seen.status, names) == (Some(1), true);
                assert!(whole && seen != good, "{function} {number}: {seen:?}");
                assert_eq!(left(&stand_in), [""; 0], "{function} {number}");
            }
        }
    }
}

fn devices() -> [(&'static str, StandIn); 2] {
    [
        ("nvidia:sm_90", StandIn::cuda()),
        ("amd:gfx942", StandIn::hip()),
    ]
}

/// What was not given back; a device and its code are the process's until it ends.
fn left(stand_in: &StandIn) -> Vec<String> {
    let leaks = stand_in.report().leaks().into_iter();
    let whole = ["contexts", "modules"];
    leaks
        .filter(|leak| !whole.iter().any(|kind| leak.ends_with(kind)))
        .collect()
}
