//! Loops over elements on one thread, beside NumPy: element-wise chains and broadcasts, reductions, permutations and
//! slices of 16M elements where nothing else is said. Both sides write a result that was there before.

use std::error::Error;

use bench::{Arguments, NumPy, Operation, Row, Table, alternate};
use clap::Parser;
use neuro_hir::Tier::{self, Checked, Wrapping};
use tensor::{Tensor, TensorError};

const ROUNDS: usize = 9;

/// What the sources below call their shapes: 16M elements each.
const TYPES: &str = "
type V = Tensor<f32, [16777216]>
type M = Tensor<f32, [4096, 4096]>
type D = Tensor<f64, [4096, 4096]>
type I = Tensor<i32, [4096, 4096]>
type H = Tensor<f16, [4096, 4096]>
type B = Tensor<bf16, [4096, 4096]>
type U = Tensor<u8, [4096, 4096]>
type T3 = Tensor<f32, [256, 256, 256]>
type T4 = Tensor<f32, [64, 64, 64, 64]>
type Row = Tensor<f32, [4096]>
type Column = Tensor<f32, [4096, 1]>
";

struct Case {
    name: &'static str,
    tier: Tier,
    /// A function's parameters, result and body.
    source: &'static str,
    /// The same into `r`, the parameters being arrays of their names.
    numpy: &'static str,
}

const fn case(name: &'static str, source: &'static str, numpy: &'static str) -> Case {
    Case {
        name,
        tier: Wrapping,
        source,
        numpy,
    }
}

const fn checked(name: &'static str, source: &'static str, numpy: &'static str) -> Case {
    Case {
        name,
        tier: Checked,
        source,
        numpy,
    }
}

const CASES: &[Case] = &[
    // One operation
    case(
        "a + b",
        "(a: &M, b: &M) -> M { a + b }",
        "np.add(a, b, out=r)",
    ),
    case(
        "a * 2",
        "(a: &M) -> M { a * 2.0f32 }",
        "np.multiply(a, np.float32(2), out=r)",
    ),
    case("-a", "(a: &M) -> M { -a }", "np.negative(a, out=r)"),
    case(
        "a / b",
        "(a: &M, b: &M) -> M { a / b }",
        "np.divide(a, b, out=r)",
    ),
    case(
        "a.abs()",
        "(a: &M) -> M { a.abs() }",
        "np.absolute(a, out=r)",
    ),
    case(
        "a.flatten(), a copy",
        "(a: &M) -> V { a.flatten() }",
        "np.copyto(r, a.reshape(-1))",
    ),
    case(
        "a += b",
        "(a: &mut M, b: &M) { a += b }",
        "np.add(a, b, out=a)",
    ),
    case(
        "f64 a + b",
        "(a: &D, b: &D) -> D { a + b }",
        "np.add(a, b, out=r)",
    ),
    case(
        "f16 a + b",
        "(a: &H, b: &H) -> H { a + b }",
        "np.add(a, b, out=r)",
    ),
    case(
        "i32 a + b, wrapping",
        "(a: &I, b: &I) -> I { a + b }",
        "np.add(a, b, out=r)",
    ),
    case(
        "i32 a * b, wrapping",
        "(a: &I, b: &I) -> I { a * b }",
        "np.multiply(a, b, out=r)",
    ),
    checked(
        "i32 a + b, checked",
        "(a: &I, b: &I) -> I { a + b }",
        "np.add(a, b, out=r)",
    ),
    checked(
        "i32 a * b, checked",
        "(a: &I, b: &I) -> I { a * b }",
        "np.multiply(a, b, out=r)",
    ),
    // Broadcasts
    case(
        "a + row",
        "(a: &M, b: &Row) -> M { a + b }",
        "np.add(a, b, out=r)",
    ),
    case(
        "a + column",
        "(a: &M, b: &Column) -> M { a + b }",
        "np.add(a, b, out=r)",
    ),
    case(
        "row + column",
        "(a: &Row, b: &Column) -> M { a + b }",
        "np.add(a, b, out=r)",
    ),
    // Chains
    case(
        "a + b + c",
        "(a: &M, b: &M, c: &M) -> M { a + b + c }",
        "np.add(a, b, out=r); np.add(r, c, out=r)",
    ),
    case(
        "(a + b) * c - a",
        "(a: &M, b: &M, c: &M) -> M { (a + b) * c - a }",
        "np.add(a, b, out=r); np.multiply(r, c, out=r); np.subtract(r, a, out=r)",
    ),
    case(
        "((a - row) / column).abs() * 2 + 1",
        "(a: &M, b: &Row, c: &Column) -> M { ((a - b) / c).abs() * 2.0f32 + 1.0f32 }",
        "np.subtract(a, b, out=r); np.divide(r, c, out=r); np.absolute(r, out=r)
np.multiply(r, np.float32(2), out=r); np.add(r, np.float32(1), out=r)",
    ),
    checked(
        "i32 (a + b) * c - a, checked",
        "(a: &I, b: &I, c: &I) -> I { (a + b) * c - a }",
        "np.add(a, b, out=r); np.multiply(r, c, out=r); np.subtract(r, a, out=r)",
    ),
    // Mathematics
    case("a.sqrt()", "(a: &M) -> M { a.sqrt() }", "np.sqrt(a, out=r)"),
    case("a.exp()", "(a: &M) -> M { a.exp() }", "np.exp(a, out=r)"),
    case("a.tanh()", "(a: &M) -> M { a.tanh() }", "np.tanh(a, out=r)"),
    // Reductions
    case("a.sum()", "(a: &V) -> f32 { a.sum() }", "np.sum(a, out=r)"),
    case("a.max()", "(a: &V) -> f32 { a.max() }", "np.max(a, out=r)"),
    case(
        "a.mean(), rank 2",
        "(a: &M) -> f32 { a.mean() }",
        "np.mean(a, out=r)",
    ),
    case(
        "f64 a.sum()",
        "(a: &D) -> f64 { a.sum() }",
        "np.sum(a, out=r)",
    ),
    case(
        "f16 a.sum()",
        "(a: &H) -> f16 { a.sum() }",
        "np.sum(a, out=r)",
    ),
    case(
        "i32 a.sum(), wrapping",
        "(a: &I) -> i32 { a.sum() }",
        "np.sum(a, out=r, dtype=np.int32)",
    ),
    checked(
        "i32 a.sum(), checked",
        "(a: &I) -> i32 { a.sum() }",
        "np.sum(a, out=r, dtype=np.int32)",
    ),
    case(
        "i32 a.max()",
        "(a: &I) -> i32 { a.max() }",
        "np.max(a, out=r)",
    ),
    case(
        "a.sum(axis: 0)",
        "(a: &M) -> Row { a.sum(axis: 0) }",
        "np.sum(a, axis=0, out=r)",
    ),
    case(
        "a.max(axis: 0)",
        "(a: &M) -> Row { a.max(axis: 0) }",
        "np.max(a, axis=0, out=r)",
    ),
    case(
        "a.sum(axis: 1)",
        "(a: &M) -> Row { a.sum(axis: 1) }",
        "np.sum(a, axis=1, out=r)",
    ),
    case(
        "a.max(axis: 1)",
        "(a: &M) -> Row { a.max(axis: 1) }",
        "np.max(a, axis=1, out=r)",
    ),
    case(
        "a.sum(axis: 1), rank 3",
        "(a: &T3) -> Tensor<f32, [256, 256]> { a.sum(axis: 1) }",
        "np.sum(a, axis=1, out=r)",
    ),
    case(
        "(a * b).sum()",
        "(a: &V, b: &V) -> f32 { (a * b).sum() }",
        "np.sum(a * b, out=r)",
    ),
    // Permutations
    case("a.t()", "(a: &M) -> M { a.t() }", "np.copyto(r, a.T)"),
    case("f64 a.t()", "(a: &D) -> D { a.t() }", "np.copyto(r, a.T)"),
    case("u8 a.t()", "(a: &U) -> U { a.t() }", "np.copyto(r, a.T)"),
    case(
        "a.t() + b",
        "(a: &M, b: &M) -> M { a.t() + b }",
        "np.add(a.T, b, out=r)",
    ),
    case(
        "a.permute([0, 2, 1])",
        "(a: &T3) -> T3 { a.permute([0, 2, 1]) }",
        "np.copyto(r, a.transpose(0, 2, 1))",
    ),
    case(
        "a.permute([1, 0, 2])",
        "(a: &T3) -> T3 { a.permute([1, 0, 2]) }",
        "np.copyto(r, a.transpose(1, 0, 2))",
    ),
    case(
        "a.permute([2, 1, 0])",
        "(a: &T3) -> T3 { a.permute([2, 1, 0]) }",
        "np.copyto(r, a.transpose(2, 1, 0))",
    ),
    case(
        "a.permute([0, 2, 1, 3])",
        "(a: &T4) -> T4 { a.permute([0, 2, 1, 3]) }",
        "np.copyto(r, a.transpose(0, 2, 1, 3))",
    ),
    case(
        "a.permute([3, 2, 1, 0])",
        "(a: &T4) -> T4 { a.permute([3, 2, 1, 0]) }",
        "np.copyto(r, a.transpose(3, 2, 1, 0))",
    ),
    // Slices
    case(
        "a[1..4095, 1..4095]",
        "(a: &M) -> Tensor<f32, [4094, 4094]> { a[1..4095, 1..4095] }",
        "np.copyto(r, a[1:4095, 1:4095])",
    ),
    case(
        "a[(0..4096).rev(), ..]",
        "(a: &M) -> M { a[(0..4096).rev(), ..] }",
        "np.copyto(r, a[::-1])",
    ),
    case(
        "a[.., (0..4096).rev()]",
        "(a: &M) -> M { a[.., (0..4096).rev()] }",
        "np.copyto(r, a[:, ::-1])",
    ),
    case(
        "a[.., 7]",
        "(a: &M) -> Row { a[.., 7] }",
        "np.copyto(r, a[:, 7])",
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let mut numpy = NumPy::start()?;
    let mut table = Table::default();
    for case in CASES
        .iter()
        .filter(|case| case.name.contains(&arguments.filter))
    {
        table.add(measure(case, &mut numpy)?);
    }
    table.finish(&arguments)
}

fn measure(case: &Case, numpy: &mut NumPy) -> Result<Row, Box<dyn Error>> {
    let mut ours = Operation::compile(&format!("{TYPES}func f{}", case.source), case.tier)?;
    if case.tier == Checked {
        ours.map_operands(small)?;
    }
    for (name, operand) in ours.operands() {
        numpy.bind(name, operand)?;
    }
    if let [result] = ours.results() {
        numpy.bind("r", result)?;
    }
    let best = alternate(ROUNDS, || ours.run(1), || numpy.run(case.numpy))?;
    Ok(Row::time(case.name, best.0, (numpy.name(), best.1)))
}

/// Integers that no case's arithmetic overflows with.
fn small(tensor: &mut Tensor) -> Result<(), TensorError> {
    tensor
        .as_mut_slice::<i32>()?
        .iter_mut()
        .for_each(|element| *element %= 1000);
    Ok(())
}
