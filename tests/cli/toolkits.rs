//! Vendors' toolkits that are not there.

use std::path::Path;
use std::process::Command;

use crate::place::{Place, Seen};

const PROGRAM: &str = "
func sum(a: &Tensor<f32, [4]>) -> Tensor<f32, [4]> { a + a }
func exponential(a: &Tensor<f32, [4]>) -> Tensor<f32, [4]> { a.exp() }
";
const AMD: [&str; 6] = [
    "emit",
    "g.nr",
    "--stage",
    "code-object",
    "--gpu",
    "amd:gfx942",
];

/// A command that finds no toolkit of the machine's.
fn bare(place: &Place, words: &[&str]) -> Command {
    let mut command = place.raw(words);
    for vendor in [
        ["CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"],
        ["ROCM_PATH", "ROCM_ROOT", "ROCM_HOME"],
    ] {
        for variable in vendor {
            command.env_remove(variable);
        }
    }
    command
}

#[test]
fn a_code_object_needs_amds_linker() {
    let place = Place::new();
    place.write("g.nr", PROGRAM);
    let fails = |command: &mut Command, at: &str| {
        let seen = Seen::of(command);
        seen.fails(1, "");
        let message = format!("a code object is linked by `ld.lld`, which is not {at}; ROCM_PATH");
        assert!(seen.err.contains(&message), "{seen:?}");
    };
    let nowhere = place.path("nowhere");
    let linker = nowhere.join("llvm/bin/ld.lld").display().to_string();
    fails(bare(&place, &AMD).env("ROCM_PATH", &nowhere), &linker);
    // A ROCm where it is usually installed would be found.
    if !Path::new("/opt/rocm").is_dir() {
        let mut command = bare(&place, &AMD);
        fails(
            command
                .env("PATH", &nowhere)
                .env_remove("NEURO_LLVM_PREFIX"),
            "on the path",
        );
    }
}

/// Mathematics without NVIDIA's library stays on the host, or is refused where it must not.
#[test]
fn mathematics_needs_the_vendors_library() {
    let place = Place::new();
    place.write("g.nr", PROGRAM);
    let ptx = |file| ["emit", file, "--stage", "ptx", "--gpu", "nvidia:sm_90"];
    let seen = Seen::of(&mut bare(&place, &ptx("g.nr")));
    let note = "note: `exponential` has no GPU body: it calls the vendor's mathematics, and the toolkit that has it was not found\n";
    assert_eq!(
        (seen.status, seen.err.ends_with(note)),
        (0, true),
        "{seen:?}"
    );
    let kernels: Vec<&str> = seen
        .out
        .lines()
        .filter(|line| line.contains(".entry"))
        .collect();
    assert_eq!(kernels, [".visible .entry __neuro_gpu_sum_0("]);
    let strict = PROGRAM.replace("func exponential", "@gpu func exponential");
    place.write("strict.nr", strict);
    let seen = Seen::of(&mut bare(&place, &ptx("strict.nr")));
    assert_eq!(seen.status, 2, "{seen:?}");
    assert!(
        seen.err.contains("the toolkit that has it was not found"),
        "{seen:?}"
    );
}
