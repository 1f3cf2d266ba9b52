//! The compile time of `lower_for_link`: 10, 100 and 1,000 outlined operations, by stage, beside
//! `mlir-opt` running the same passes on the same module; and of contractions that are scheduled, to object code, beside
//! what it should be at most.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ast_types::BinaryOp::{Add, MatMul, Mul};
use bench::{Arguments, Row, Table};
use clap::Parser;
use codegen::Processor;
use mlir_backend::internal::{self, LinkOptions, Target};
use neuro_hir::build::{binary, operation, program, reduce};
use neuro_hir::{HirFunction, HirProgram, HirType, Reduction, TensorType, Tier};
use shared_types::ScalarType::F32;

const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let prefix = std::env::var_os("NEURO_LLVM_PREFIX").ok_or("NEURO_LLVM_PREFIX is not set")?;
    let mlir_opt = Path::new(&prefix).join("bin/mlir-opt");
    let module = std::env::temp_dir().join(format!("bench-compile-{}.mlir", std::process::id()));
    let mut table = Table::default();
    let measured = measure(&mlir_opt, &module, &arguments.filter, &mut table);
    // The file is only there while mlir-opt reads it.
    let removed = match module.exists() {
        true => std::fs::remove_file(&module),
        false => Ok(()),
    };
    measured?;
    removed?;
    contractions(&arguments.filter, &mut table)?;
    table.finish(&arguments)
}

fn measure(
    mlir_opt: &Path,
    module: &PathBuf,
    filter: &str,
    table: &mut Table,
) -> Result<(), Box<dyn Error>> {
    let mut stages = Vec::new();
    for count in [10, 100, 1000] {
        let case = format!("{count} operations");
        if !case.contains(filter) {
            continue;
        }
        let program = operations(count);
        std::fs::write(module, internal::link_mlir(&program)?)?;
        let mut ours: Option<(Duration, internal::Linked)> = None;
        let mut peer = Duration::MAX;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            let linked = internal::link(&program, &LinkOptions::default())?;
            let time = start.elapsed();
            if ours.as_ref().is_none_or(|(best, _)| time < *best) {
                ours = Some((time, linked));
            }
            peer = peer.min(run_peer(mlir_opt, module)?);
        }
        let Some((time, linked)) = ours else { continue };
        table.add(Row::time(&case, time, ("mlir-opt", peer)));
        let split: Vec<String> = linked
            .times
            .iter()
            .map(|(stage, time)| format!("{stage} {:.2} ms", time.as_secs_f64() * 1e3))
            .collect();
        stages.push(format!("{case}: {}", split.join(", ")));
    }
    stages.iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// Contractions that are scheduled for this processor: one whose shape blocks divide and one they do not, the script's
/// part of it, and a hundred of ten shapes.
fn contractions(filter: &str, table: &mut Table) -> Result<(), Box<dyn Error>> {
    let milliseconds = |time: u64| Duration::from_millis(time);
    for (shape, most) in [([512, 512, 512], 150), ([1023, 769, 517], 250)] {
        let [m, k, n] = shape;
        let case = format!("f32 {m}x{k}x{n} to an object");
        let script = format!("the schedule of f32 {m}x{k}x{n}");
        if !case.contains(filter) && !script.contains(filter) {
            continue;
        }
        let (total, schedule) = to_object(&[shape])?;
        let bar = ("its bar", milliseconds(most));
        table.add(Row::time(case, total, bar).with_bar(1.0));
        let fifth = ("a fifth of that", total / 5);
        table.add(Row::time(script, schedule, fifth).with_bar(1.0));
    }
    let case = "100 contractions of 10 shapes";
    if case.contains(filter) {
        let shapes: Vec<[u64; 3]> = (0..10).map(|k| [256 + 32 * k, 512, 300 + k]).collect();
        let (ten, _) = to_object(&shapes)?;
        let (hundred, _) = to_object(&shapes.repeat(10))?;
        let tenfold = ("10 times 10 contractions", ten * 10);
        table.add(Row::time(case, hundred, tenfold));
    }
    Ok(())
}

/// The best time from HIR to an object for this processor, and what the schedule took of it.
fn to_object(shapes: &[[u64; 3]]) -> Result<(Duration, Duration), Box<dyn Error>> {
    let options = LinkOptions {
        target: Target::native(),
        ..LinkOptions::default()
    };
    let functions = shapes.iter().enumerate().map(|(index, &[m, k, n])| {
        let tensor = |extents: [u64; 2]| HirType::from(TensorType::new(F32, &extents));
        let operands = [tensor([m, k]), tensor([k, n])];
        operation(&format!("op{index}"), operands, |[a, b]| {
            binary(MatMul, a, b)
        })
    });
    let program = program(Tier::Wrapping, functions);
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let linked = internal::link(&program, &options)?;
        codegen::compile(&linked.llvm_ir, &[], &Processor::native(), |_, _, _| Ok(()))?;
        let total = start.elapsed();
        let stages = linked.times.iter();
        let schedule = stages.filter(|(stage, _)| *stage == "schedule");
        let schedule = schedule.map(|(_, time)| *time).sum();
        best = best.min((total, schedule));
    }
    Ok(best)
}

fn run_peer(mlir_opt: &Path, module: &Path) -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    let status = Command::new(mlir_opt)
        .arg(format!("--pass-pipeline={}", internal::host_pipeline()))
        .arg("--mlir-disable-threading")
        .arg(module)
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!("mlir-opt ended with {status}").into());
    }
    Ok(start.elapsed())
}

/// Operations of four kinds in turn, as outlining makes them.
fn operations(count: usize) -> HirProgram {
    program(Tier::Wrapping, (0..count).map(outlined))
}

fn outlined(index: usize) -> HirFunction {
    let name = format!("op{index}");
    // Each is of its own shape: bodies that are the same are compiled once.
    let rows = 16 + index as u64;
    let tensor = |extents: &[u64]| HirType::from(TensorType::new(F32, extents));
    match index % 4 {
        0 => operation(&name, [tensor(&[rows, 32]), tensor(&[32])], |[a, b]| {
            binary(Mul, binary(Add, a, b.clone()), b)
        }),
        1 => operation(&name, [tensor(&[rows, 24]), tensor(&[24, 8])], |[a, b]| {
            binary(MatMul, a, b)
        }),
        2 => operation(&name, [tensor(&[rows, 32])], |[a]| {
            reduce(Reduction::Max, a, Some(1))
        }),
        _ => operation(&name, [tensor(&[rows, 8])], |[a]| binary(Add, a.clone(), a)),
    }
}
