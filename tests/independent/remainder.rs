//! A float's `%` is the C library's `fmod` (numerics, §Element-wise).

use std::hint::black_box;

use crate::jit::{assert_same, compile, tensor};

mod c {
    // SAFETY: C's mathematics library, which the standard library links, declares them so; they
    // take and return floats by value, for every value.
    unsafe extern "C" {
        pub safe fn fmod(x: f64, y: f64) -> f64;
        pub safe fn fmodf(x: f32, y: f32) -> f32;
    }
}

const SOURCE: &str = "
func rem(a: &Tensor<F, [N, 1]>, b: &Tensor<F, [N]>) -> Tensor<F, [N, N]> { a % b }
func rem_constant(a: &Tensor<F, [N, 1]>, b: &Tensor<F, [N]>) -> Tensor<F, [N, N]> { a % 0.75 + b * 0.0 }
";

/// As many values of each side.
const N: usize = 400;

/// Bits that are spread over all floats, the special ones first.
fn spread(specials: &[u64], width: u32) -> Vec<u64> {
    let rest = (0..).map(|n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - width));
    specials.iter().copied().chain(rest).take(N).collect()
}

fn source(scalar: &str) -> String {
    SOURCE.replace('F', scalar).replace('N', &N.to_string())
}

#[test]
fn f32s() {
    let specials = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        0.0,
        -0.0,
        1e-45,
        1e-38,
        f32::MAX,
        0.75,
        -3.0,
        1e30,
    ];
    let values = spread(&specials.map(|value| value.to_bits().into()), 32);
    let values: Vec<f32> = values
        .into_iter()
        .map(|bits| f32::from_bits(bits as u32))
        .collect();
    let compiled = compile(&source("f32"));
    let (left, right) = (
        tensor(&[N as u64, 1], &values),
        tensor(&[N as u64], &values),
    );
    let pairs = || {
        values
            .iter()
            .flat_map(|&a| values.iter().map(move |&b| (a, b)))
    };
    let expected: Vec<f32> = pairs()
        .map(|(a, b)| c::fmodf(black_box(a), black_box(b)))
        .collect();
    assert_same("rem", &expected, &compiled.call("rem", &[&left, &right]));
    let expected: Vec<f32> = pairs()
        .map(|(a, b)| c::fmodf(black_box(a), 0.75) + b * 0.0)
        .collect();
    assert_same(
        "rem_constant",
        &expected,
        &compiled.call("rem_constant", &[&left, &right]),
    );
}

#[test]
fn f64s() {
    let specials = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        5e-324,
        2e-308,
        f64::MAX,
        0.75,
        -3.0,
        1e300,
    ];
    let values = spread(&specials.map(f64::to_bits), 64);
    let values: Vec<f64> = values.into_iter().map(f64::from_bits).collect();
    let compiled = compile(&source("f64"));
    let (left, right) = (
        tensor(&[N as u64, 1], &values),
        tensor(&[N as u64], &values),
    );
    let pairs = || {
        values
            .iter()
            .flat_map(|&a| values.iter().map(move |&b| (a, b)))
    };
    let expected: Vec<f64> = pairs()
        .map(|(a, b)| c::fmod(black_box(a), black_box(b)))
        .collect();
    assert_same("rem", &expected, &compiled.call("rem", &[&left, &right]));
    let expected: Vec<f64> = pairs()
        .map(|(a, b)| c::fmod(black_box(a), 0.75) + b * 0.0)
        .collect();
    assert_same(
        "rem_constant",
        &expected,
        &compiled.call("rem_constant", &[&left, &right]),
    );
}
