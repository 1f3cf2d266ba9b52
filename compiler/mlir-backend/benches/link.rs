//! `lower_for_link` of one operation of each kind: what a compile pays before it pays by size.

use ast_types::BinaryOp::{Add, MatMul, Mul};
use criterion::{Criterion, criterion_group, criterion_main};
use mlir_backend::lower_for_link;
use neuro_hir::build::{binary, operation, program, reduce};
use neuro_hir::{HirFunction, HirType, Reduction, TensorType, Tier};
use shared_types::ScalarType::F32;

fn link(criterion: &mut Criterion) {
    let square = || HirType::from(TensorType::new(F32, &[64, 64]));
    let cases: [(&str, HirFunction); 3] = [
        (
            "element-wise",
            operation("f", [square(), square()], |[a, b]| {
                binary(Mul, binary(Add, a, b.clone()), b)
            }),
        ),
        (
            "product",
            operation("f", [square(), square()], |[a, b]| binary(MatMul, a, b)),
        ),
        (
            "reduction",
            operation("f", [square()], |[a]| reduce(Reduction::Sum, a, Some(1))),
        ),
    ];
    for (name, function) in cases {
        let program = program(Tier::Checked, [function]);
        criterion.bench_function(name, |bencher| bencher.iter(|| lower_for_link(&program)));
    }
}

criterion_group!(benches, link);
criterion_main!(benches);
