//! What the tests here share: where things are.

#![allow(
    dead_code,
    reason = "each test is a crate of its own, and uses a part of this"
)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The binary under test, without what the caller's environment would have it do.
pub fn neuro_mlir() -> Command {
    let built = option_env!("CARGO_BIN_EXE_neuro-mlir").map(PathBuf::from);
    let named = std::env::var_os("NEURO_MLIR").map(PathBuf::from);
    let path = named.or(built).expect("NEURO_MLIR names the binary");
    let mut command = Command::new(std::path::absolute(path).unwrap());
    command
        .stdin(Stdio::null())
        .env_remove("RUST_BACKTRACE")
        .env_remove("NEURO_MLIR_DUMP");
    command
}

/// Where libraries are looked for, these folders first.
pub fn library_path(folders: &[&Path]) -> OsString {
    let before = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = folders.iter().map(|folder| folder.to_path_buf());
    std::env::join_paths(folders.chain(std::env::split_paths(&before))).unwrap()
}

/// A folder of this one. Cargo runs a test in its package's folder, Bazel in the repository's.
pub fn folder(name: &str) -> PathBuf {
    let tests = match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(driver) => Path::new(&driver).join("../../tests"),
        None => PathBuf::from("tests"),
    };
    tests.join(name).canonicalize().unwrap()
}

/// The programs of a folder, by name.
pub fn programs(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".nr")).collect();
    names.sort();
    assert!(!names.is_empty(), "no programs in {}", folder.display());
    names
}
