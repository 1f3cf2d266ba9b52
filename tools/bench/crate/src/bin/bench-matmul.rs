//! Contractions on one thread, beside the BLAS libraries and NumPy, and forms of a product beside the plain one.

use std::error::Error;
use std::time::Duration;

use bench::{Arguments, Blas, NumPy, Operation, Row, Table, alternate, timed};
use clap::Parser;
use neuro_hir::Tier::Wrapping;
use tensor::Tensor;

const ROUNDS: usize = 9;
/// A measurement repeats a case until it has done so many operations.
const LEAST_WORK: u64 = 100_000_000;

const CUBES: [u64; 9] = [16, 32, 64, 128, 256, 512, 1000, 1024, 2048];
const OTHERS: [[u64; 3]; 5] = [
    [1023, 769, 517],
    [997, 991, 983],
    [4096, 4096, 1],
    [1, 4096, 4096],
    [4096, 1, 4096],
];

/// A function, its operations, and the peers that it is measured beside.
struct Case {
    name: String,
    source: String,
    operations: u64,
}

impl Case {
    fn product(element: &str, [m, k, n]: [u64; 3]) -> Case {
        Case {
            name: format!("{element} {m}x{k}x{n}"),
            source: format!(
                "func f(a: &Tensor<{element}, [{m}, {k}]>, b: &Tensor<{element}, [{k}, {n}]>) \
                 -> Tensor<{element}, [{m}, {n}]> {{ a @ b }}"
            ),
            operations: 2 * m * k * n,
        }
    }

    fn other(name: &str, operations: u64, source: &str) -> Case {
        Case {
            name: name.to_string(),
            source: format!("func f{source}"),
            operations,
        }
    }

    fn times(&self) -> u32 {
        (LEAST_WORK / self.operations).max(1) as u32
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let mut peers = Vec::new();
    for (name, file) in [("OpenBLAS", "libopenblas.so.0"), ("BLIS", "libblis.so.4")] {
        match Blas::open(name, file) {
            Ok(peer) => peers.push(peer),
            Err(error) => eprintln!("no rows beside {error}"),
        }
    }
    let mut table = Table::default();
    let wanted = |case: &Case| case.name.contains(&arguments.filter);

    let mut products = Vec::new();
    for element in ["f32", "f64"] {
        products.extend(CUBES.map(|extent| Case::product(element, [extent; 3])));
        products.extend(OTHERS.map(|extents| Case::product(element, extents)));
    }
    products.push(Case::other(
        "f32 8x8x8, 10,000 of them",
        2 * 512 * 10_000,
        "(a: &Tensor<f32, [10000, 8, 8]>, b: &Tensor<f32, [10000, 8, 8]>) -> Tensor<f32, [10000, 8, 8]> \
         { einsum(\"bij,bjk->bik\", a, b) }",
    ));
    for case in products.iter().filter(|case| wanted(case)) {
        for peer in &peers {
            table.add(beside_blas(case, peer)?);
        }
    }
    ratios(&mut table, &wanted)?;
    integers(&mut table, &wanted)?;
    table.finish(&arguments)
}

fn beside_blas(case: &Case, peer: &Blas) -> Result<Row, Box<dyn Error>> {
    let mut ours = Operation::compile(&case.source, Wrapping)?;
    let operands: Vec<Tensor> = ours
        .operands()
        .map(|(_, operand)| operand.clone())
        .collect();
    let [a, b] = operands.as_slice() else {
        return Err("a product of two operands was expected".into());
    };
    let mut result = ours.results().first().ok_or("no result")?.clone();
    let times = case.times();
    let theirs = || {
        let (time, done) = timed(|| (0..times).try_for_each(|_| peer.multiply(a, b, &mut result)));
        done?;
        Ok(time)
    };
    let best = alternate(ROUNDS, || ours.run(times), theirs)?;
    Ok(rate(case, best, peer.name()))
}

fn rate(case: &Case, (ours, theirs): (Duration, Duration), peer: &str) -> Row {
    let operations = case.operations as f64 * f64::from(case.times());
    let rate = |time: Duration| operations / time.as_secs_f64();
    Row {
        unit: "GFLOP/s".into(),
        ..Row::rate(&*case.name, rate(ours), (peer, rate(theirs)))
    }
}

/// Forms of a product beside the plain one of its size.
fn ratios(table: &mut Table, wanted: &dyn Fn(&Case) -> bool) -> Result<(), Box<dyn Error>> {
    let plain = |element: &str| {
        format!(
            "(x: &Tensor<{element}, [512, 512]>, w: &Tensor<{element}, [512, 512]>) \
             -> Tensor<{element}, [512, 512]> {{ x @ w }}"
        )
    };
    let einsum =
        |letters: &str| plain("f32").replace("x @ w", &format!("einsum(\"{letters}\", x, w)"));
    let bias = "(x: &Tensor<f32, [512, 512]>, w: &Tensor<f32, [512, 512]>, b: &Tensor<f32, [512]>) \
                -> Tensor<f32, [512, 512]> { x @ w + b }";
    let batch = "(a: &Tensor<f32, [64, 64, 64]>, b: &Tensor<f32, [64, 64, 64]>) \
                 -> Tensor<f32, [64, 64, 64]> { einsum(\"bij,bjk->bik\", a, b) }";
    let one = || Case::product("f32", [512; 3]);
    let cases = [
        ("bf16 512x512x512", plain("bf16"), one(), 1),
        ("f16 512x512x512", plain("f16"), one(), 1),
        ("f32 ij,kj->ik 512", einsum("ij,kj->ik"), one(), 1),
        ("f32 ji,jk->ik 512", einsum("ji,jk->ik"), one(), 1),
        ("f32 x @ w + b 512", bias.to_string(), one(), 1),
        (
            "f32 bij,bjk->bik 64 of 64x64x64",
            batch.to_string(),
            Case::product("f32", [64; 3]),
            64,
        ),
    ];
    for (name, source, plain, times) in cases {
        let case = Case::other(name, plain.operations * u64::from(times), &source);
        if !wanted(&case) {
            continue;
        }
        let mut ours = Operation::compile(&case.source, Wrapping)?;
        let mut theirs = Operation::compile(&plain.source, Wrapping)?;
        let best = alternate(
            ROUNDS,
            || ours.run(case.times()),
            || theirs.run(times * case.times()),
        )?;
        table.add(rate(&case, best, &plain.name));
    }
    Ok(())
}

fn integers(table: &mut Table, wanted: &dyn Fn(&Case) -> bool) -> Result<(), Box<dyn Error>> {
    let case = Case::product("i32", [512; 3]);
    if !wanted(&case) {
        return Ok(());
    }
    let mut numpy = NumPy::start()?;
    let mut ours = Operation::compile(&case.source, Wrapping)?;
    for (name, operand) in ours.operands() {
        numpy.bind(name, operand)?;
    }
    let best = alternate(ROUNDS, || ours.run(1), || numpy.run("r = a @ b"))?;
    table.add(rate(&case, best, numpy.name()));
    Ok(())
}
