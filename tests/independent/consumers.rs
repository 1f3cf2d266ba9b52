//! Element-wise operations on a product, which its loops take with them, beside the loops that
//! each is without a schedule, and shared among threads.

use std::num::NonZeroUsize;

use tensor::Tensor;

use crate::jit::{compile, compile_plain, compile_shared};

/// Functions of `x: [M, K]`, `w: [K, N]`, `b: [N]`, `c: [M, 1]`, `d: [M, N]` and `e: [N, M]`.
const BODIES: [&str; 9] = [
    "(x @ w * c - d).abs()",
    "(x @ w).t() + e",
    "val p = x @ w
     (&p + b).abs() + p",
    "x @ w + b",
    "(x @ w + b).tanh()",
    "d - x @ w",
    "x @ w + e.t()",
    "x @ w + d @ (e @ d)",
    "(x @ w)[(0..M).rev(), ..] + b",
];

/// The bodies of products in registers, and in several panels of each axis, the last one cut.
const ALL: usize = BODIES.len();
/// Those of products in one panel of some axis: with a whole tile, with a transposed one, with one
/// that is read twice.
const FEW: usize = 3;

#[test]
fn products_are_passed_over_once() {
    for (element, [m, k, n], count) in [
        ("f32", [20, 30, 40], ALL),
        ("f32", [300, 80, 330], FEW),
        ("f32", [130, 600, 48], FEW),
        ("f32", [40, 300, 1100], FEW),
        ("f32", [260, 520, 1030], ALL),
        ("f64", [300, 80, 330], FEW),
        ("bf16", [130, 600, 48], FEW),
        ("i32", [40, 300, 1100], FEW),
    ] {
        let shapes: [(&str, &[u64]); 6] = [
            ("x", &[m, k]),
            ("w", &[k, n]),
            ("b", &[n]),
            ("c", &[m, 1]),
            ("d", &[m, n]),
            ("e", &[n, m]),
        ];
        let parameters: Vec<String> = shapes
            .iter()
            .map(|(name, shape)| format!("{name}: &Tensor<{element}, {shape:?}>"))
            .collect();
        let bodies = BODIES.iter().enumerate();
        let bodies = bodies.filter(|(_, body)| {
            element != "i32" || !body.contains("tanh") && !body.contains("abs")
        });
        let bodies: Vec<_> = bodies.take(count).collect();
        let functions = bodies.iter().map(|(index, body)| {
            let result = if body.contains("(x @ w).t()") {
                [n, m]
            } else {
                [m, n]
            };
            format!(
                "func f{index}({}) -> Tensor<{element}, {result:?}> {{\n{}\n}}\n",
                parameters.join(", "),
                body.replace("0..M", &format!("0..{m}"))
            )
        });
        check(
            &functions.collect::<String>(),
            bodies.iter().map(|(index, _)| format!("f{index}")),
            element,
            &shapes,
        );
    }
}

#[test]
fn batches_are_passed_over_once() {
    let (a, b, c): (&[u64], &[u64], &[u64]) = (&[5, 40, 70], &[5, 70, 50], &[50]);
    let source = format!(
        "func f(a: &Tensor<f32, {a:?}>, b: &Tensor<f32, {b:?}>, c: &Tensor<f32, {c:?}>) -> Tensor<f32, [5, 40, 50]> {{
             einsum(\"bij,bjk->bik\", a, b) * 2.0f32 + c
         }}"
    );
    check(
        &source,
        ["f".to_string()],
        "f32",
        &[("a", a), ("b", b), ("c", c)],
    );
}

fn check(
    source: &str,
    names: impl IntoIterator<Item = String>,
    element: &str,
    shapes: &[(&str, &[u64])],
) {
    let operands = shapes
        .iter()
        .map(|(name, shape)| tensor::random(1, name, element.parse().unwrap(), shape).unwrap());
    let operands: Vec<Tensor> = operands.collect();
    let operands: Vec<&Tensor> = operands.iter().collect();
    let plain = compile_plain(source);
    let others = [
        compile(source),
        compile_shared(source, NonZeroUsize::new(3).unwrap()),
    ];
    for name in names {
        let expected = plain.result(&name, &operands);
        for other in &others {
            let found = other.result(&name, &operands);
            assert!(
                found.same_bits(&expected),
                "{element} {shapes:?}, {name} of {source}"
            );
        }
    }
}
