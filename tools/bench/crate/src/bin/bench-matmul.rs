//! Contractions on one thread, beside libraries that multiply matrices and beside what the processor can do at most, and
//! forms of a product beside the plain one.

use std::error::Error;
use std::time::Duration;

use bench::{
    Apart, Arguments, Copy, Iree, Library, Multiplier, NumPy, Operation, Peak, Rounding, Row, Side,
    Table, alternate, best_of,
};
use clap::Parser;
use neuro_hir::Tier::Wrapping;
use shared_types::ScalarType::{self, F32, F64};
use tensor::Tensor;

const ROUNDS: usize = 9;
/// A measurement repeats a case until it has done so many operations.
const LEAST_WORK: u64 = 1_000_000_000;

const SMALL_CUBES: [u64; 4] = [16, 32, 64, 128];
const CUBES: [u64; 4] = [256, 512, 1024, 2048];
const ODD: [[u64; 3]; 3] = [[1000, 1000, 1000], [1023, 769, 517], [997, 991, 983]];
/// Matrix times vector, vector times matrix, and an outer product.
const MEMORY_BOUND: [[u64; 3]; 3] = [[4096, 4096, 1], [1, 4096, 4096], [4096, 1, 4096]];

/// A function, its operations, and what is asked of it.
struct Case {
    name: String,
    source: String,
    operations: u64,
    /// The least ratio to OpenBLAS.
    bar: Option<f64>,
    bound: Option<Bound>,
}

/// What the processor can do at most, and the least ratio to that.
#[derive(Clone, Copy)]
enum Bound {
    /// Separate multiplications and additions of a type.
    Peak(ScalarType, f64),
    /// The bandwidth of a copy, for so many bytes that have to move.
    Copy(u64, f64),
}

impl Case {
    fn product(element: ScalarType, [m, k, n]: [u64; 3]) -> Case {
        Case::other(
            format!("{element} {m}x{k}x{n}"),
            2 * m * k * n,
            format!(
                "(a: &Tensor<{element}, [{m}, {k}]>, b: &Tensor<{element}, [{k}, {n}]>) \
                 -> Tensor<{element}, [{m}, {n}]> {{ a @ b }}"
            ),
        )
    }

    fn other(name: impl Into<String>, operations: u64, source: impl AsRef<str>) -> Case {
        Case {
            name: name.into(),
            source: format!("func f{}", source.as_ref()),
            operations,
            bar: None,
            bound: None,
        }
    }

    fn asked(self, bar: impl Into<Option<f64>>, bound: impl Into<Option<Bound>>) -> Case {
        Case {
            bar: bar.into(),
            bound: bound.into(),
            ..self
        }
    }

    fn times(&self) -> u32 {
        (LEAST_WORK / self.operations).max(1) as u32
    }

    /// Ours and a peer's time of the case as operations a second.
    fn row(&self, ours: Duration, (peer, theirs): (&str, Duration)) -> Row {
        let operations = self.operations as f64 * f64::from(self.times());
        let rate = |time: Duration| operations / time.as_secs_f64();
        operations_row(&self.name, rate(ours), (peer, rate(theirs)))
    }
}

fn operations_row(case: &str, ours: f64, peer: (&str, f64)) -> Row {
    Row {
        unit: "GFLOP/s".into(),
        ..Row::rate(case, ours, peer)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    if Apart::serve()? {
        return Ok(());
    }
    let arguments = Arguments::parse();
    let mut table = Table::default();
    let wanted = |case: &Case| case.name.contains(&arguments.filter);

    let mut limits = Limits::new()?;
    limits.rows(&mut table, &arguments.filter)?;
    let mut peers = peers();
    for case in products().iter().filter(|case| wanted(case)) {
        beside_libraries(case, &mut peers, &mut limits, &mut table)?;
    }
    ratios(&mut table, &wanted)?;
    integers(&mut table, &wanted)?;
    table.finish(&arguments)
}

fn products() -> Vec<Case> {
    let mut products = Vec::new();
    for element in [F32, F64] {
        let cube = |extent| Case::product(element, [extent; 3]);
        let peak = |bar| Bound::Peak(element, bar);
        products.extend(SMALL_CUBES.map(|extent| cube(extent).asked(1.0, peak(0.95))));
        products.extend(CUBES.map(|extent| {
            let bar = match (element, extent) {
                (F32, 256 | 512) => 1.05,
                (F64, 1024 | 2048) => 0.97,
                _ => 1.0,
            };
            cube(extent).asked(bar, peak(0.85))
        }));
        products.extend(ODD.map(|extents| Case::product(element, extents).asked(0.95, None)));
        products.extend(MEMORY_BOUND.map(|[m, k, n]| {
            let bytes = (m * k + k * n + m * n) * element.bytes() as u64;
            Case::product(element, [m, k, n]).asked(None, Bound::Copy(bytes, 0.9))
        }));
        let batch = format!("Tensor<{element}, [10000, 8, 8]>");
        products.push(
            Case::other(
                format!("{element} 8x8x8, 10,000 of them"),
                2 * 512 * 10_000,
                format!(
                    "(a: &{batch}, b: &{batch}) -> {batch} {{ einsum(\"bij,bjk->bik\", a, b) }}"
                ),
            )
            .asked(1.0, None),
        );
    }
    products
}

/// The libraries that are there.
fn peers() -> Vec<Box<dyn Multiplier>> {
    const OPENBLAS: &str = "libopenblas.so.0";
    let openblas = Library::blas("OpenBLAS", OPENBLAS);
    if let Some(kernels) = openblas.as_ref().ok().and_then(Library::kernels) {
        println!("OpenBLAS multiplies by its kernels for {kernels}");
    }
    let mut peers: Vec<Box<dyn Multiplier>> = Vec::new();
    let mut add = |name: &str, peer: Result<Box<dyn Multiplier>, Box<dyn Error>>| match peer {
        Ok(peer) => peers.push(peer),
        Err(error) => println!("no rows beside {name}: {error}"),
    };
    add("OpenBLAS", openblas.map(boxed));
    add(
        "OpenBLAS-Haswell",
        Apart::openblas(OPENBLAS, "Haswell").map(boxed),
    );
    add("BLIS", Library::blas("BLIS", "libblis.so.4").map(boxed));
    add("gemm", Ok(boxed(Library::gemm())));
    add("matrixmultiply", Ok(boxed(Library::matrixmultiply())));
    add("NumPy", NumPy::start().map(boxed));
    add("IREE", Iree::start().map(boxed));
    peers
}

fn boxed(peer: impl Multiplier + 'static) -> Box<dyn Multiplier> {
    Box::new(peer)
}

/// What the processor can do at most, measured again beside each case.
struct Limits {
    f32s: Peak,
    f64s: Peak,
    copy: Copy,
}

impl Limits {
    fn new() -> Result<Limits, Box<dyn Error>> {
        Ok(Limits {
            f32s: Peak::new(F32, Rounding::Twice)?,
            f64s: Peak::new(F64, Rounding::Twice)?,
            copy: Copy::new()?,
        })
    }

    fn peak(&mut self, element: ScalarType) -> &mut Peak {
        match element {
            F64 => &mut self.f64s,
            _ => &mut self.f32s,
        }
    }

    /// The peaks beside those of fused instructions, and a copy beside one past the caches.
    fn rows(&mut self, table: &mut Table, filter: &str) -> Result<(), Box<dyn Error>> {
        for element in [F32, F64] {
            let case = format!("{element} peak");
            if !case.contains(filter) {
                continue;
            }
            let mut fused = Peak::new(element, Rounding::Once)?;
            let rate = |operations: u64, time: Duration| operations as f64 / time.as_secs_f64();
            let separate = self.peak(element);
            let operations = [separate.operations(), fused.operations()];
            let best = alternate(ROUNDS, || separate.run(), || fused.run())?;
            let (ours, theirs) = (rate(operations[0], best.0), rate(operations[1], best.1));
            table.add(operations_row(&case, ours, ("fused multiply-add", theirs)));
        }
        if "copy".contains(filter) {
            let mut copied = Vec::new();
            for _ in 0..ROUNDS {
                copied.push((self.copy.run()?, self.copy.run_past_caches()?));
            }
            let best = |time: fn(&(Duration, Duration)) -> Duration| {
                let best = copied.iter().map(time).min().unwrap_or_default();
                Copy::BYTES as f64 / best.as_secs_f64()
            };
            let past_caches = ("stores past the caches", best(|times| times.1));
            table.add(Row::rate("copy", best(|times| times.0), past_caches));
        }
        Ok(())
    }
}

fn beside_libraries(
    case: &Case,
    peers: &mut [Box<dyn Multiplier>],
    limits: &mut Limits,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let mut ours = Operation::compile(&case.source, Wrapping)?;
    let operands: Vec<Tensor> = ours
        .operands()
        .map(|(_, operand)| operand.clone())
        .collect();
    let [a, b] = operands.as_slice() else {
        return Err("a product of two operands was expected".into());
    };
    let times = case.times();
    let mut sides: Vec<Box<Side>> = vec![Box::new(|| ours.run(times))];
    let mut names = Vec::new();
    for peer in peers {
        let taken = peer.take(a, b).and_then(|taken| {
            if taken {
                peer.multiply(1)?;
            }
            Ok(taken)
        });
        match taken {
            Ok(true) => {
                names.push(peer.name().to_string());
                sides.push(Box::new(move || peer.multiply(times)));
            }
            Ok(false) => {}
            Err(error) => println!("{}: no row beside {}: {error}", case.name, peer.name()),
        }
    }
    let mut operations = 0;
    match case.bound {
        Some(Bound::Peak(element, _)) => {
            let peak = limits.peak(element);
            operations = peak.operations();
            sides.push(Box::new(move || peak.run()));
        }
        Some(Bound::Copy(..)) => sides.push(Box::new(|| limits.copy.run())),
        None => {}
    }
    let best = best_of(ROUNDS, &mut sides)?;
    let (ours, theirs) = (best[0], &best[1..]);
    for (name, &time) in names.iter().zip(theirs) {
        let bar = case.bar.filter(|_| name == "OpenBLAS");
        table.add(case.row(ours, (name.as_str(), time)).with_bar(bar));
    }
    let (Some(bound), Some(limit)) = (case.bound, theirs.get(names.len())) else {
        return Ok(());
    };
    let rate = |amount: u64, time: Duration| amount as f64 / time.as_secs_f64();
    let times = u64::from(times);
    table.add(match bound {
        Bound::Peak(_, bar) => {
            let ours = rate(case.operations * times, ours);
            operations_row(&case.name, ours, ("peak", rate(operations, *limit))).with_bar(bar)
        }
        Bound::Copy(bytes, bar) => {
            let ours = rate(bytes * times, ours);
            Row::rate(&*case.name, ours, ("copy", rate(Copy::BYTES, *limit))).with_bar(bar)
        }
    });
    Ok(())
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
    let one = || Case::product(F32, [512; 3]);
    let cases = [
        ("bf16 512x512x512", plain("bf16"), one(), 1, 0.5),
        ("f16 512x512x512", plain("f16"), one(), 1, 0.5),
        ("f32 ij,kj->ik 512", einsum("ij,kj->ik"), one(), 1, 0.95),
        ("f32 ji,jk->ik 512", einsum("ji,jk->ik"), one(), 1, 0.95),
        ("f32 x @ w + b 512", bias.to_string(), one(), 1, 1.0 / 1.05),
        (
            "f32 bij,bjk->bik 64 of 64x64x64",
            batch.to_string(),
            Case::product(F32, [64; 3]),
            64,
            0.95,
        ),
    ];
    for (name, source, plain, times, bar) in cases {
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
        table.add(
            case.row(best.0, (plain.name.as_str(), best.1))
                .with_bar(bar),
        );
    }
    Ok(())
}

fn integers(table: &mut Table, wanted: &dyn Fn(&Case) -> bool) -> Result<(), Box<dyn Error>> {
    let case = Case::product(ScalarType::I32, [512; 3]);
    if !wanted(&case) {
        return Ok(());
    }
    let mut numpy = NumPy::start()?;
    let mut ours = Operation::compile(&case.source, Wrapping)?;
    for (name, operand) in ours.operands() {
        numpy.bind(name, operand)?;
    }
    let best = alternate(ROUNDS, || ours.run(1), || numpy.run("r = a @ b"))?;
    table.add(case.row(best.0, (numpy.name(), best.1)).with_bar(5.0));
    Ok(())
}
