//! A float's `%` is the C library's `fmod` (numerics, §Element-wise).

use std::hint::black_box;

use tensor::Element;

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
    let constant = |a, b: f32| c::fmodf(black_box(a), 0.75) + b * 0.0;
    check("f32", &values, |a, b| c::fmodf(a, b), constant);
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
    let constant = |a, b: f64| c::fmod(black_box(a), 0.75) + b * 0.0;
    check("f64", &values, |a, b| c::fmod(a, b), constant);
}

/// Every value with every other, by a divisor given at run time and by one in the source.
fn check<T: Element>(
    scalar: &str,
    values: &[T],
    remainder: impl Fn(T, T) -> T,
    constant: impl Fn(T, T) -> T,
) {
    let compiled = compile(&source(scalar));
    let rows = tensor(&[N as u64, 1], values);
    let columns = tensor(&[N as u64], values);
    let all = |of: &dyn Fn(T, T) -> T| -> Vec<T> {
        let row = |&a: &T| values.iter().map(move |&b| of(black_box(a), black_box(b)));
        values.iter().flat_map(row).collect()
    };
    let found = compiled.call("rem", &[&rows, &columns]);
    assert_same("rem", &all(&remainder), &found);
    let found = compiled.call("rem_constant", &[&rows, &columns]);
    assert_same("rem_constant", &all(&constant), &found);
}
