//! Half precision is the `half` crate's conversions around `f32` operations (numerics, §Elements).

use half::{bf16, f16};
use tensor::Element;

use crate::jit::{assert_same, compile, tensor};

trait Half: Element {
    const NAME: &'static str;
    const ONE: Self;

    fn narrow(value: f32) -> Self;
    fn wide(self) -> f32;
    fn of_bits(bits: u16) -> Self;
    fn bits(self) -> u16;
}

macro_rules! half {
    ($($ty:ident)*) => {$(
        impl Half for $ty {
            const NAME: &'static str = stringify!($ty);
            const ONE: Self = $ty::ONE;

            fn narrow(value: f32) -> Self {
                $ty::from_f32(value)
            }

            fn wide(self) -> f32 {
                self.to_f32()
            }

            fn of_bits(bits: u16) -> Self {
                $ty::from_bits(bits)
            }

            fn bits(self) -> u16 {
                self.to_bits()
            }
        }
    )*};
}

half!(f16 bf16);

fn all<H: Half>() -> Vec<H> {
    (0..=u16::MAX).map(H::of_bits).collect()
}

const UNARY: &str = "
func negate(a: &Tensor<H, [65536]>) -> Tensor<H, [65536]> { -a }
func abs(a: &Tensor<H, [65536]>) -> Tensor<H, [65536]> { a.abs() }
func sqrt(a: &Tensor<H, [65536]>) -> Tensor<H, [65536]> { a.sqrt() }
func sign(a: &Tensor<H, [65536]>) -> Tensor<H, [65536]> { a.sign() }
func and_zero(a: &Tensor<H, [65536]>) -> Tensor<H, [65536]> { a + 0.0 }
func and_one(a: &Tensor<H, [65536]>) -> Tensor<H, [65536]> { a + 1.0 }
func sum_of_one(a: &Tensor<H, [65536]>) -> Tensor<H, [65536]> { a.reshape([65536, 1]).sum(axis: 1) }
func mean_of_one(a: &Tensor<H, [65536]>) -> Tensor<H, [65536]> { a.reshape([65536, 1]).mean(axis: 1) }
func max_of_one(a: &Tensor<H, [65536]>) -> Tensor<H, [65536]> { a.reshape([65536, 1]).max(axis: 1) }
func product_of_one(a: &Tensor<H, [65536]>, b: &Tensor<H, [1, 1]>) -> Tensor<H, [65536, 1]> { a.reshape([65536, 1]) @ b }
";

fn every_value<H: Half>() {
    let compiled = compile(&UNARY.replace("H,", &format!("{},", H::NAME)));
    let values = all::<H>();
    let operand = tensor(&[65536], &values);
    let check = |name: &str, expected: &dyn Fn(H) -> H| {
        let expected: Vec<H> = values.iter().map(|&value| expected(value)).collect();
        assert_same(name, &expected, &compiled.call(name, &[&operand]));
    };
    check("negate", &|x| H::of_bits(x.bits() ^ 0x8000));
    check("abs", &|x| H::of_bits(x.bits() & 0x7fff));
    check("sqrt", &|x| H::narrow(x.wide().sqrt()));
    check("sign", &|x| {
        let (above, below) = (x.wide() > 0.0, x.wide() < 0.0);
        H::narrow(f32::from(u8::from(above)) - f32::from(u8::from(below)))
    });
    check("and_zero", &|x| H::narrow(x.wide() + 0.0));
    check("and_one", &|x| H::narrow(x.wide() + 1.0));
    check("sum_of_one", &|x| x);
    check("mean_of_one", &|x| x);
    check("max_of_one", &|x| x);
    // The accumulator starts at +0.
    let one = tensor(&[1, 1], &[H::ONE]);
    let expected: Vec<H> = values.iter().map(|x| H::narrow(0.0 + x.wide())).collect();
    assert_same(
        "product_of_one",
        &expected,
        &compiled.call("product_of_one", &[&operand, &one]),
    );
}

const BINARY: &str = "
func add(a: &Tensor<H, [65536, 1]>, b: &Tensor<H, [24]>) -> Tensor<H, [65536, 24]> { a + b }
func sub(a: &Tensor<H, [65536, 1]>, b: &Tensor<H, [24]>) -> Tensor<H, [65536, 24]> { a - b }
func mul(a: &Tensor<H, [65536, 1]>, b: &Tensor<H, [24]>) -> Tensor<H, [65536, 24]> { a * b }
func div(a: &Tensor<H, [65536, 1]>, b: &Tensor<H, [24]>) -> Tensor<H, [65536, 24]> { a / b }
func rem(a: &Tensor<H, [65536, 1]>, b: &Tensor<H, [24]>) -> Tensor<H, [65536, 24]> { a % b }
func chain(a: &Tensor<H, [65536, 1]>, b: &Tensor<H, [24]>) -> Tensor<H, [65536, 24]> { a * b + a }
";

/// Every value beside some: zeros, ones, the ends of the subnormals and normals, and any others.
fn every_value_beside_some<H: Half>(some: [u16; 24]) {
    let compiled = compile(&BINARY.replace("H,", &format!("{},", H::NAME)));
    let (values, others) = (all::<H>(), some.map(H::of_bits));
    let (wide, wide_others) = (values.iter().map(|x| x.wide()), others.map(H::wide));
    let wide: Vec<f32> = wide.collect();
    let left = tensor(&[65536, 1], &values);
    let right = tensor(&[24], &others);
    let check = |name: &str, answer: &dyn Fn(f32, f32) -> f32| {
        let mut expected = Vec::with_capacity(wide.len() * wide_others.len());
        for &a in &wide {
            expected.extend(wide_others.map(|b| H::narrow(answer(a, b))));
        }
        assert_same(name, &expected, &compiled.call(name, &[&left, &right]));
    };
    check("add", &|a, b| a + b);
    check("sub", &|a, b| a - b);
    check("mul", &|a, b| a * b);
    check("div", &|a, b| a / b);
    check("rem", &|a, b| a % b);
    check("chain", &|a, b| H::narrow(a * b).wide() + a);
}

#[test]
fn every_f16() {
    every_value::<f16>();
}

#[test]
fn every_bf16() {
    every_value::<bf16>();
}

#[test]
fn every_f16_beside_some() {
    every_value_beside_some::<f16>([
        0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x7c00,
        0xfc00, 0x7e00, 0x3555, 0x4248, 0xc170, 0x1234, 0x2e66, 0x5a01, 0x93ab, 0x3bff, 0x3c01,
        0x0200, 0x6400,
    ]);
}

#[test]
fn every_bf16_beside_some() {
    every_value_beside_some::<bf16>([
        0x0000, 0x8000, 0x3f80, 0xbf80, 0x0001, 0x8001, 0x007f, 0x0080, 0x7f7f, 0xff7f, 0x7f80,
        0xff80, 0x7fc0, 0x3eab, 0x4049, 0xc02e, 0x1234, 0x3dcd, 0x5a01, 0x93ab, 0x3f7f, 0x3f81,
        0x0040, 0x4b00,
    ]);
}
