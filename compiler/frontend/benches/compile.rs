//! Source to HIR: lexing, parsing, checking and outlining, by the byte.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use frontend::{Options, compile};
use neuro_hir::Tier;
use shared_types::{SourceFile, SourceMap};

const STATEMENTS: &str = "
    val scaled = (a * 0.5 + b) / (b - 1.0)
    val product = scaled @ a.t()
    mut total = product.sum()
    for k in 0..n {
        if total > 100.0 { total -= k as f32 } else { total += (a[k, 0] * 2.0).abs() }
    }
    print(\"total\", total, b.max(axis: rows))";

fn functions(count: usize, statements: usize) -> String {
    let body = STATEMENTS.repeat(statements);
    let function = |index| {
        format!(
            "func step{index}(a: &Tensor<f32, [8, 8]>, b: &Tensor<f32, [rows: 8, 8]>, n: i32) {{{body}\n}}\n"
        )
    };
    (0..count).map(function).collect()
}

fn programs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(20);
    for (name, text) in [
        ("many functions", functions(500, 1)),
        ("one long function", functions(1, 500)),
    ] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("long.nr", text));
        let options = Options {
            tier: Tier::Checked,
            on_device: false,
        };
        group.bench_function(name, |bencher| {
            bencher.iter(|| match compile(&sources, file, options) {
                Ok(program) => program,
                Err(faults) => panic!("{}", faults[0].render(&sources)),
            })
        });
    }
    group.finish();
}

criterion_group!(benches, programs);
criterion_main!(benches);
