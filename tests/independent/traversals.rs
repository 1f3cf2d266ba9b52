//! Traversals call a function for each element in row-major order, with what it captures: every
//! element type and rank, beside loops.

use half::{bf16, f16};
use tensor::Element;

use crate::jit::{assert_same, compile, tensor};

/// An element type, and a function of three of its values as source and as it is.
trait Number: Element {
    const NAME: &'static str;
    const BODY: &'static str = "x * k + y";

    fn of(value: i8) -> Self;
    fn body(x: Self, k: Self, y: Self) -> Self;
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Number for $ty {
            const NAME: &'static str = stringify!($ty);

            fn of(value: i8) -> Self {
                value as $ty
            }

            fn body(x: Self, k: Self, y: Self) -> Self {
                x.wrapping_mul(k).wrapping_add(y)
            }
        }
    )*};
}

macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl Number for $ty {
            const NAME: &'static str = stringify!($ty);

            fn of(value: i8) -> Self {
                value as $ty / 3.0
            }

            fn body(x: Self, k: Self, y: Self) -> Self {
                x * k + y
            }
        }
    )*};
}

macro_rules! halves {
    ($($ty:ident)*) => {$(
        impl Number for $ty {
            const NAME: &'static str = stringify!($ty);

            fn of(value: i8) -> Self {
                $ty::from_f32(f32::from(value) / 3.0)
            }

            fn body(x: Self, k: Self, y: Self) -> Self {
                let product = $ty::from_f32(x.to_f32() * k.to_f32());
                $ty::from_f32(product.to_f32() + y.to_f32())
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);
floats!(f32 f64);
halves!(f16 bf16);

impl Number for bool {
    const NAME: &'static str = "bool";
    const BODY: &'static str = "(x == k) != y";

    fn of(value: i8) -> Self {
        value & 1 == 1
    }

    fn body(x: Self, k: Self, y: Self) -> Self {
        (x == k) != y
    }
}

/// Every rank, and extents of 0, of 1 and odd ones on each side.
const SHAPES: [&[u64]; 11] = [
    &[],
    &[0],
    &[1],
    &[5],
    &[3, 5],
    &[2, 0, 3],
    &[5, 1, 3],
    &[1, 3, 1, 5],
    &[3, 1, 2, 1, 3],
    &[1, 1, 3, 1, 5, 1],
    &[3, 2, 1, 3, 1, 2],
];

/// For a shape: by closures that capture, by a function's name, and by a function that is passed on.
const SOURCE: &str = "
func map_I(t: &T, k: &K) -> T { val k = k[0]; t.map(|x: E| -> E { val y = x; BODY }) }
func zip_I(t: &T, k: &K, u: &T) -> T { val k = k[0]; t.zip(u, |x: E, y: E| -> E { BODY }) }
func reduce_I(t: &T, k: &K) -> E { val k = k[0]; t.reduce(k, |x: E, y: E| -> E { BODY }) }
func named_I(t: &T) -> T { t.map(square) }
func apply_I(t: &T, u: &T, f: func(E, E) -> E) -> T { t.zip(u, f) }
func passed_I(t: &T, k: &K, u: &T) -> T { val k = k[0]; apply_I(t, u, |x: E, y: E| -> E { BODY }) }
";

fn source<N: Number>() -> String {
    let square = "func square(x: E) -> E { val k = x; val y = x; BODY }".to_string();
    let shapes = SHAPES.iter().enumerate();
    let functions = shapes.map(|(index, shape)| {
        SOURCE
            .replace("_I", &format!("_{index}"))
            .replace("&T", &format!("&Tensor<E, {shape:?}>"))
            .replace("-> T", &format!("-> Tensor<E, {shape:?}>"))
    });
    functions
        .fold(square, |text, functions| text + &functions)
        .replace("&K", "&Tensor<E, [1]>")
        .replace("BODY", N::BODY)
        .replace("Tensor<E", &format!("Tensor<{}", N::NAME))
        .replace(": E", &format!(": {}", N::NAME))
        .replace("-> E", &format!("-> {}", N::NAME))
        .replace("(E, E)", &format!("({0}, {0})", N::NAME))
}

fn check<N: Number>() {
    let compiled = compile(&source::<N>());
    let k = N::of(-5);
    let constant = tensor(&[1], &[k]);
    for (index, shape) in SHAPES.iter().enumerate() {
        let count = shape.iter().product::<u64>();
        let elements = |step: u64| -> Vec<N> {
            let values = (0..count).map(|at| (at * step % 23) as i8 - 11);
            values.map(N::of).collect()
        };
        let (a, b) = (elements(7), elements(5));
        let (t, u) = (tensor(shape, &a), tensor(shape, &b));
        let same = |name: &str, expected: &[N], arguments: &[&tensor::Tensor]| {
            let found = compiled.call::<N>(&format!("{name}_{index}"), arguments);
            assert_same(
                &format!("{name} of {} {shape:?}", N::NAME),
                expected,
                &found,
            );
        };
        let mapped: Vec<N> = a.iter().map(|&x| N::body(x, k, x)).collect();
        same("map", &mapped, &[&t, &constant]);
        let pairs = a.iter().zip(&b);
        let zipped: Vec<N> = pairs.map(|(&x, &y)| N::body(x, k, y)).collect();
        same("zip", &zipped, &[&t, &constant, &u]);
        same("passed", &zipped, &[&t, &constant, &u]);
        let folded = a.iter().fold(k, |x, &y| N::body(x, k, y));
        same("reduce", &[folded], &[&t, &constant]);
        let squares: Vec<N> = a.iter().map(|&x| N::body(x, x, x)).collect();
        same("named", &squares, &[&t]);
    }
}

#[test]
fn integers_traverse() {
    check::<i8>();
    check::<i16>();
    check::<i32>();
    check::<i64>();
    check::<u8>();
    check::<u16>();
    check::<u32>();
    check::<u64>();
}

#[test]
fn floats_traverse() {
    check::<f32>();
    check::<f64>();
    check::<f16>();
    check::<bf16>();
}

#[test]
fn bools_traverse() {
    check::<bool>();
}
