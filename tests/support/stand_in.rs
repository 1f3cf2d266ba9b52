use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use frontend::Options;
use mlir_backend::internal::{Chip, Failures, Form, GpuOptions, Vendor, link_gpu};
use neuro_hir::Tier;
use shared_types::{SourceFile, SourceMap};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

use crate::support;

/// An engine of a driver, and what stands in for that.
pub struct StandIn {
    pub engine: &'static str,
    vendor: Vendor,
    /// Which chip the kernels are for.
    pub chip: &'static str,
    library: &'static str,
    folder: TempDir,
}

/// What a run made of its driver, by its report.
#[derive(Debug, Default)]
pub struct Report {
    /// How often each function was called.
    pub calls: BTreeMap<String, u64>,
    /// How many of a kind were not given back.
    pub left: BTreeMap<String, i64>,
}

impl StandIn {
    pub fn cuda() -> StandIn {
        StandIn::new("cuda", Vendor::Nvidia, "sm_90", "libcuda.so.1")
    }

    pub fn hip() -> StandIn {
        StandIn::new("hip", Vendor::Amd, "gfx942", "libamdhip64.so.7")
    }

    fn new(
        engine: &'static str,
        vendor: Vendor,
        chip: &'static str,
        library: &'static str,
    ) -> StandIn {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("lib")).unwrap();
        symlink(built(), folder.path().join("lib").join(library)).unwrap();
        StandIn {
            engine,
            vendor,
            chip,
            library,
            folder,
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts another library in its place.
    pub fn replace_library(&self, path: &Path) {
        let place = self.path("lib").join(self.library);
        fs::remove_file(&place).unwrap();
        symlink(path, place).unwrap();
    }

    /// Compiles the kernels of runs of a program for the emulator: the stand-in finds them by what
    /// the driver is given. Nothing is done for a program that has none, or is wrong.
    pub fn learn(&self, program: &Path, entries: &[&str], tier: Tier) {
        let text = fs::read_to_string(program).unwrap();
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("f.nr".to_string(), text));
        let on_device = true;
        let Ok(program) = frontend::compile(&sources, file, Options { tier, on_device }) else {
            return;
        };
        let reachable = program.reachable_from(entries.iter().copied());
        let binary = |form| {
            let options = GpuOptions {
                takes: &|function| reachable.contains(function.name.as_str()),
                chip: Chip::find(self.vendor, self.chip).unwrap(),
                form,
                math: None,
                failures: Failures::Report,
            };
            link_gpu(&program, &options).map_or(Vec::new(), |linked| linked.binary)
        };
        let native = binary(Form::Native);
        let native = match self.vendor {
            Vendor::Nvidia => native.strip_suffix(b"\0").unwrap_or(&native),
            Vendor::Amd => &native,
        };
        if !native.is_empty() {
            let name = format!("{:016x}.bc", xxh3_64(native));
            fs::write(self.path(&name), binary(Form::Bitcode)).unwrap();
        }
    }

    /// `neuro-mlir run` with the engine and these words, in a folder.
    pub fn run(&self, folder: &Path, words: &[&str]) -> Command {
        let mut command = support::neuro_mlir();
        command
            .current_dir(folder)
            .arg("run")
            .args(words)
            .args(["--engine", self.engine]);
        self.over(&mut command);
        command
    }

    /// Has a command find the stand-in where it looks for the driver.
    pub fn over(&self, command: &mut Command) {
        command
            .env(
                "LD_LIBRARY_PATH",
                support::library_path(&[&self.path("lib")]),
            )
            .env("STAND_IN_KERNELS", self.folder.path())
            .env("STAND_IN_REPORT", self.path("report"));
    }

    /// What the last run said.
    pub fn report(&self) -> Report {
        let text = fs::read_to_string(self.path("report")).unwrap();
        let mut report = Report::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["calls", function, count] => {
                    let count = count.parse().unwrap();
                    report.calls.insert(function.to_string(), count);
                }
                ["left", kind, count] => {
                    report.left.insert(kind.to_string(), count.parse().unwrap());
                }
                _ => panic!("{line}"),
            }
        }
        report
    }
}

impl Report {
    /// What was not given back.
    pub fn leaks(&self) -> Vec<String> {
        let left = self.left.iter().filter(|(_, count)| **count != 0);
        left.map(|(kind, count)| format!("{count} {kind}"))
            .collect()
    }
}

/// The library: Bazel names it, Cargo puts it beside its users.
fn built() -> PathBuf {
    let path = match std::env::var_os("GPU_STAND_IN") {
        Some(path) => std::path::absolute(path).unwrap(),
        None => {
            let test = std::env::current_exe().unwrap();
            test.with_file_name("libgpu_stand_in.so")
        }
    };
    assert!(path.is_file(), "{}", path.display());
    path
}
