//! The text of tensors against a table that NumPy 2.4 printed.
//!
//! A case is a line `TYPE [SHAPE] BYTES` (in hexadecimal, or `count`: 0, 1, 2, …) and, indented,
//! the lines that `print` gave.

use half::f16;
use shared_types::ScalarType;
use tensor::{Scalar, Tensor, format};

fn counting(scalar: ScalarType, shape: &[u64]) -> Tensor {
    let mut tensor = Tensor::zeros(scalar, shape).unwrap();
    for position in 0..tensor.len() {
        let value = match scalar {
            ScalarType::F32 => Scalar::F32(position as f32),
            ScalarType::F64 => Scalar::F64(position as f64),
            _ => Scalar::from_bits(scalar, position as u64).unwrap(),
        };
        tensor.set(position, value).unwrap();
    }
    tensor
}

fn parse(case: &str) -> Tensor {
    let (scalar, rest) = case.split_once(" [").unwrap();
    let (shape, bytes) = rest.split_once("] ").unwrap();
    let scalar = scalar.parse().unwrap();
    let shape: Vec<u64> = shape
        .split_whitespace()
        .map(|extent| extent.parse().unwrap())
        .collect();
    if bytes == "count" {
        return counting(scalar, &shape);
    }
    let byte = |at: usize| u8::from_str_radix(&bytes[at..at + 2], 16).unwrap();
    let bytes: Vec<u8> = (0..bytes.len()).step_by(2).map(byte).collect();
    Tensor::from_bytes(scalar, &shape, &bytes).unwrap()
}

#[test]
fn tensors_print_as_numpy_prints_them() {
    let table = include_str!("numpy_text.txt");
    let mut lines = table.lines().peekable();
    let mut wrong = Vec::new();
    let mut cases = 0;
    while let Some(case) = lines.next() {
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with("  ")) {
            expected.push(&line[2..]);
        }
        cases += 1;
        let expected = expected.join("\n");
        let text = format::tensor(&parse(case));
        if text != expected {
            wrong.push(format!("{case}\nexpected:\n{expected}\nfound:\n{text}\n"));
        }
    }
    assert!(cases > 100);
    assert!(
        wrong.is_empty(),
        "{} of {cases}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_f16_prints_as_numpy_prints_it() {
    let texts: String = (0..=u16::MAX)
        .map(f16::from_bits)
        .filter(|value| !value.is_nan())
        .map(|value| format::scalar(Scalar::F16(value)) + "\n")
        .collect();
    let bytes = Tensor::from_slice(&[texts.len() as u64], texts.as_bytes()).unwrap();
    // xxh3-64 of the lines that NumPy gives.
    assert_eq!(bytes.hash(), 0x5f6b_9df7_6df9_42ec);
}

#[test]
fn one_line_has_no_breaks() {
    let tensor = counting(ScalarType::I32, &[2, 2, 40]);
    let text = format::one_line(&tensor);
    assert!(text.starts_with("[[[  0   1   2"));
    assert!(text.contains(" 39] [ 40 "));
    assert!(text.contains(" 79]] [[ 80 "));
    assert!(text.ends_with("159]]]"));
    assert!(!text.contains('\n'));
    let large = format::one_line(&counting(ScalarType::I32, &[8, 200]));
    assert!(large.contains(" 599]"), "{large}");
    assert!(large.contains("] ... [1000"), "{large}");
}

#[test]
fn characters_print_in_quotes() {
    let tensor = Tensor::from_slice(&[2], &['a', '\n']).unwrap();
    assert_eq!(format::tensor(&tensor), "['a'  '\\n']");
    assert_eq!(format::scalar(Scalar::Char('ä')), "ä");
}

#[test]
fn a_bf16_prints_its_shortest_digits() {
    let text = |value| format::scalar(Scalar::Bf16(half::bf16::from_f32(value)));
    assert_eq!(text(0.1), "0.1");
    assert_eq!(text(-3.140_625), "-3.14");
    assert_eq!(text(1e30), "1e+30");
}
