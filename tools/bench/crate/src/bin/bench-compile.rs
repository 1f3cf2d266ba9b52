//! The compile time of `lower_for_link`: 10, 100 and 1,000 outlined operations, by stage, beside
//! `mlir-opt` running the same passes on the same module.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ast_types::BinaryOp::{Add, MatMul, Mul};
use bench::{Arguments, Row, Table};
use clap::Parser;
use mlir_backend::internal::{self, LinkOptions};
use neuro_hir::build::{binary, operation, program, reduce};
use neuro_hir::{HirFunction, HirProgram, HirType, Reduction, TensorType, Tier};
use shared_types::ScalarType::F32;

const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let prefix = std::env::var_os("NEURO_LLVM_PREFIX").ok_or("NEURO_LLVM_PREFIX is not set")?;
    let mlir_opt = Path::new(&prefix).join("bin/mlir-opt");
    let module = std::env::temp_dir().join(format!("bench-compile-{}.mlir", std::process::id()));
    let table = measure(&mlir_opt, &module, &arguments.filter);
    // The file is only there while mlir-opt reads it.
    let removed = std::fs::remove_file(&module);
    table?.finish(&arguments)?;
    Ok(removed?)
}

fn measure(mlir_opt: &Path, module: &PathBuf, filter: &str) -> Result<Table, Box<dyn Error>> {
    let mut table = Table::default();
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
    Ok(table)
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
    let rows = 16 + index as u64 % 7;
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
