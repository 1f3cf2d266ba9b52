use std::process::Command;

use crate::support;
use crate::workshop::Workshop;

/// What code for some processors could do otherwise: fuse, flush subnormals, convert halves.
const PROGRAM: &str = "\
func fused(x: &Tensor<f32, [67]>, y: &Tensor<f32, [67]>) -> Tensor<f32, [67]> { x * x + y }
func product(x: &Tensor<f64, [9, 17]>, y: &Tensor<f64, [17, 5]>) -> Tensor<f64, [9, 5]> { x @ y }
func halves(x: &Tensor<f16, [67]>, y: &Tensor<f16, [67]>) -> Tensor<f16, [67]> { x * y + x / y }
func brains(x: &Tensor<bf16, [67]>, y: &Tensor<bf16, [67]>) -> Tensor<bf16, [67]> { x * y + x / y }
";

/// The levels that this machine has.
fn levels() -> Vec<&'static str> {
    let mut levels = vec!["native"];
    #[cfg(target_arch = "x86_64")]
    {
        levels.extend(["x86-64", "x86-64-v2"]);
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("f16c") {
            levels.push("x86-64-v3");
        }
        if is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512dq") {
            levels.push("x86-64-v4");
        }
    }
    levels
}

/// Calls each function on elements of small, large and subnormal exponents; prints the bits.
const MAIN: &str = r#"
#include <string.h>
#include "bits.h"

#define CALL(function, type, code, size, rank, x_shape, y_shape, z_shape) do {                       \
    static unsigned char x[2048], y[2048], z[2048];                                                  \
    fill(x, size, 1); fill(y, size, 2);                                                              \
    DLTensor dx = {x, {kDLCPU, 0}, rank, {code, size * 8, 1}, x_shape, NULL, 0};                     \
    DLTensor dy = {y, {kDLCPU, 0}, rank, {code, size * 8, 1}, y_shape, NULL, 0};                     \
    DLTensor dz = {z, {kDLCPU, 0}, rank, {code, size * 8, 1}, z_shape, NULL, 0};                     \
    if (function(&dx, &dy, &dz, NULL) != NEURO_OK) return 1;                                         \
    for (size_t at = 0; at < sizeof z; ++at) printf("%02x", z[at]);                                  \
    printf("\n");                                                                                    \
  } while (0)

/* A quarter is subnormal, or nearly so; the rest is about 1. */
static void fill(unsigned char *to, size_t size, uint64_t seed) {
  for (size_t at = 0; at < 2048; at += size) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t bits = seed >> 16;
    memcpy(to + at, &bits, size);
    to[at + size - 1] = (unsigned char)((seed >> 56) % 4 == 0 ? 0 : 0x3c + (seed >> 58) % 4);
  }
}

int main(void) {
  int64_t vector[] = {67}, left[] = {9, 17}, right[] = {17, 5}, both[] = {9, 5};
  CALL(neuro_fused, float, kDLFloat, 4, 1, vector, vector, vector);
  CALL(neuro_halves, uint16_t, kDLFloat, 2, 1, vector, vector, vector);
  CALL(neuro_brains, uint16_t, kDLBfloat, 2, 1, vector, vector, vector);
  CALL(neuro_product, double, kDLFloat, 8, 2, left, right, both);
  return 0;
}
"#;

#[test]
fn the_bits_are_the_same_for_every_processor() {
    let workshop = Workshop::new();
    workshop.write("bits.nr", PROGRAM);
    workshop.write("main.c", MAIN);
    let mut first = None;
    for level in levels() {
        workshop.build("bits.nr", &["--cpu", level]);
        workshop.link("main.c", "bits");
        let seen = workshop.run();
        assert_eq!(
            (seen.status, seen.out.lines().count()),
            (Some(0), 4),
            "{level}"
        );
        assert_eq!(
            *first.get_or_insert_with(|| seen.out.clone()),
            seen.out,
            "{level}"
        );
    }
}

/// A multiplication fused with an addition rounds once; the contract is twice.
#[test]
fn no_instruction_fuses_a_multiplication_with_an_addition() {
    let workshop = Workshop::new();
    let program = "
        func small(a: &Tensor<f32, [64, 64]>, b: &Tensor<f32, [64, 64]>) -> Tensor<f32, [64, 64]> { a @ b }
        func large(a: &Tensor<f32, [512, 515]>, b: &Tensor<f32, [515, 301]>) -> Tensor<f32, [512, 301]> { a @ b }
        func double(a: &Tensor<f64, [300, 301]>, b: &Tensor<f64, [301, 302]>) -> Tensor<f64, [300, 302]> { a @ b }
        func half(a: &Tensor<bf16, [64, 64]>, b: &Tensor<bf16, [64, 64]>) -> Tensor<bf16, [64, 64]> { a @ b }";
    workshop.write("products.nr", program);
    let shared = [&[][..], &["--threads"]];
    for (level, shared) in levels()
        .into_iter()
        .flat_map(|level| shared.map(|one| (level, one)))
    {
        workshop.build("products.nr", &[&["--cpu", level], shared].concat());
        let object = workshop.path("products.o");
        let seen = workshop.seen(Command::new("objdump").arg("-d").arg(object));
        assert_eq!(seen.status, Some(0), "{}", seen.err);
        let has = |instruction: &str| seen.out.lines().any(|line| line.contains(instruction));
        let (multiplies, adds) = match cfg!(target_arch = "aarch64") {
            true => ("fmul", "fadd"),
            false => ("mulp", "addp"),
        };
        assert!(has(multiplies) && has(adds), "{level}: no vectors");
        for fused in ["fmadd", "fmsub", "fnmadd", "fnmsub", "fmla", "fmls"] {
            assert!(!has(fused), "{level}: {fused}");
        }
    }
}

#[test]
fn an_unknown_processor_is_refused() {
    let workshop = Workshop::new();
    workshop.write("bits.nr", PROGRAM);
    for name in ["pentium9", "", "i386"] {
        let mut command = support::neuro_mlir();
        command.args(["build", "bits.nr", "-o", "out", "--cpu", name]);
        let seen = workshop.seen(&mut command);
        assert_eq!((seen.status, seen.out.as_str()), (Some(2), ""));
        assert!(
            seen.err.contains(&format!("`{name}` is no processor")),
            "{seen:?}"
        );
    }
    assert!(!workshop.path("out").exists());
}
