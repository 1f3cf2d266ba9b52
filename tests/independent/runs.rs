//! Runs that fold in the lanes of vectors, several rows at once, beside the loops that each is
//! without a schedule.

use half::{bf16, f16};
use tensor::{Element, Tensor};

use crate::jit::{compile, compile_plain, numbers, tensor};

/// Whole blocks of rows and whole tiles, what is left of either, and runs longer than the lanes.
const SHAPES: [[u64; 2]; 4] = [[64, 64], [515, 16], [9, 1003], [11, 4097]];

/// Functions of a matrix, a row and a column of it.
const BODIES: [&str; 9] = [
    "m @ x",
    "m.sum(axis: 1)",
    "m.mean(axis: 1)",
    "m.max(axis: 1)",
    "m.min(axis: 1)",
    "(m * n).sum(axis: 1)",
    "(m - x.reshape([COLUMNS])).abs().max(axis: 1)",
    "(m * y + n).max(axis: 1)",
    "m.reshape([1, ROWS, COLUMNS]).sum(axis: 2)",
];

#[test]
fn rows_fold_in_lanes() {
    let [whole, cut_rows, cut, lanes] = SHAPES;
    all("f32", |x| x as f32, &SHAPES);
    all("f64", |x| x, &[cut_rows, cut]);
    all("f16", f16::from_f64, &[whole, cut]);
    all("bf16", bf16::from_f64, &[cut_rows, lanes]);
}

fn all<T: Element>(element: &str, number: fn(f64) -> T, shapes: &[[u64; 2]]) {
    for &[rows, columns] in shapes {
        let random = |shape: &[u64], seed| {
            let count = shape.iter().product::<u64>() as usize;
            let elements: Vec<T> = numbers(count, seed).map(number).collect();
            tensor(shape, &elements)
        };
        let operands = [
            ("m", random(&[rows, columns], 1)),
            ("n", random(&[rows, columns], 2)),
            ("x", random(&[columns, 1], 3)),
            ("y", random(&[rows, 1], 4)),
        ];
        let source: String = BODIES
            .iter()
            .enumerate()
            .map(|(index, body)| function(index, body, element, [rows, columns], &operands))
            .collect();
        let (scheduled, plain) = (compile(&source), compile_plain(&source));
        let arguments: Vec<&Tensor> = operands.iter().map(|(_, tensor)| tensor).collect();
        for (index, body) in BODIES.iter().enumerate() {
            let name = format!("f{index}");
            let found = scheduled.result(&name, &arguments);
            let expected = plain.result(&name, &arguments);
            assert!(
                found.same_bits(&expected),
                "{element} {rows}x{columns}: {body}"
            );
        }
    }
}

fn function(
    index: usize,
    body: &str,
    element: &str,
    [rows, columns]: [u64; 2],
    operands: &[(&str, Tensor)],
) -> String {
    let parameters = operands
        .iter()
        .map(|(name, tensor)| format!("{name}: &Tensor<{element}, {:?}>", tensor.shape()));
    let result: &[u64] = match body {
        "m @ x" => &[rows, 1],
        _ if body.contains("axis: 2") => &[1, rows],
        _ => &[rows],
    };
    format!(
        "func f{index}({}) -> Tensor<{element}, {result:?}> {{ {} }}\n",
        parameters.collect::<Vec<_>>().join(", "),
        body.replace("ROWS", &rows.to_string())
            .replace("COLUMNS", &columns.to_string())
    )
}
