//! Contractions scheduled for AArch64's vectors: the bits, in an emulator, and the instructions.

use std::fs;
use std::path::Path;
use std::process::Command;

use mlir_backend::internal::{self, LinkOptions, Target};
use neuro_hir::Tier;
use tempfile::TempDir;

use crate::jit::{compile_plain, program};

/// In registers, cut at a block's edge, one row, and packed in panels whole and cut.
const CASES: &[(&str, [u64; 3])] = &[
    ("f32", [16, 16, 16]),
    ("f32", [9, 5, 7]),
    ("f32", [1, 300, 70]),
    ("f64", [13, 8, 6]),
    ("i32", [20, 9, 12]),
    ("f32", [40, 600, 150]),
    ("f64", [33, 520, 64]),
];

#[test]
fn neon_has_the_bits_and_fuses_nothing() {
    for &(element, [m, k, n]) in CASES {
        let source = format!(
            "func f(a: &Tensor<{element}, [{m}, {k}]>, b: &Tensor<{element}, [{k}, {n}]>) -> Tensor<{element}, [{m}, {n}]> {{ a @ b }}"
        );
        let case = format!("{element} {m}x{k}x{n}");
        let scalar: shared_types::ScalarType = element.parse().unwrap();
        let random = |name: &str, shape: [u64; 2]| tensor::random(1, name, scalar, &shape).unwrap();
        let (a, b) = (random("a", [m, k]), random("b", [k, n]));
        let expected = compile_plain(&source).result("f", &[&a, &b]);

        let folder = TempDir::new().unwrap();
        let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
        let program = program(&source, Tier::Wrapping);
        let options = LinkOptions {
            target: Target::NEON,
            ..LinkOptions::default()
        };
        write(
            "f.ll",
            internal::link(&program, &options)
                .unwrap()
                .llvm_ir
                .as_bytes(),
        );
        write("a", a.bytes());
        write("b", b.bytes());
        write("main.c", main(scalar.bytes(), [m, k, n]).as_bytes());
        let run = |name: &str, words: &[&str]| run(folder.path(), name, words);
        let triple = "-mtriple=aarch64-linux-gnu";
        run(&llvm("opt"), &["-O3", triple, "f.ll", "-o", "f.bc"]);
        run(
            &llvm("llc"),
            &["-O3", triple, "-filetype=obj", "f.bc", "-o", "f.o"],
        );
        let listing = run(&llvm("llvm-objdump"), &["-d", "f.o"]);
        for fused in ["fmadd", "fmsub", "fnmadd", "fnmsub", "fmla", "fmls"] {
            assert!(!listing.contains(fused), "{case}: {fused}");
        }
        run(
            "aarch64-linux-gnu-gcc",
            &["-O1", "-static", "main.c", "f.o", "-lm", "-o", "main"],
        );
        run("qemu-aarch64", &["./main"]);
        let found = fs::read(folder.path().join("r")).unwrap();
        assert!(found == expected.bytes(), "{case}");
    }
}

/// A tool of the LLVM that this is built with.
fn llvm(tool: &str) -> String {
    match std::env::var("LLVM_TOOLS") {
        Ok(folder) => format!("{folder}/{tool}"),
        Err(_) => tool.to_string(),
    }
}

fn run(folder: &Path, name: &str, words: &[&str]) -> String {
    let output = Command::new(name).args(words).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("{name}: {error}; is it installed?"));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {words:?}: {text}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Reads the operands from files, and writes the result to one.
fn main(bytes: usize, [m, k, n]: [u64; 3]) -> String {
    format!(
        r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define MATRIX void *, void *, int64_t, int64_t, int64_t, int64_t, int64_t
#define PASS(p, rows, columns) p, p, 0, rows, columns, columns, 1
void __neuro_mlir_f(MATRIX, MATRIX, MATRIX);
static void *matrix(const char *name, size_t size) {{
  void *all = aligned_alloc(64, (size + 63) / 64 * 64);
  FILE *file = name ? fopen(name, "rb") : NULL;
  if (name && (!file || fread(all, 1, size, file) != size)) exit(1);
  return all;
}}
int main(void) {{
  void *a = matrix("a", {m} * {k} * {bytes}), *b = matrix("b", {k} * {n} * {bytes});
  void *r = matrix(NULL, {m} * {n} * {bytes});
  __neuro_mlir_f(PASS(a, {m}, {k}), PASS(b, {k}, {n}), PASS(r, {m}, {n}));
  FILE *file = fopen("r", "wb");
  return !file || fwrite(r, {bytes}, {m} * {n}, file) != {m} * {n} || fclose(file);
}}
"#
    )
}
