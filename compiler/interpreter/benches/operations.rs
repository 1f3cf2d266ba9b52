//! The oracle's own speed: what the differential tests pay for each operation.

use ast_types::BinaryOp::{Add, MatMul};
use criterion::{Criterion, criterion_group, criterion_main};
use interpreter::{Host, HostError, Interpreter, Value};
use neuro_hir::build::{binary, operation, program, reduce};
use neuro_hir::{HirType, Reduction, TensorType, Tier};
use shared_types::ScalarType::F32;

struct Silent;

impl Host for Silent {
    fn print(&self, _line: &str) -> Result<(), HostError> {
        Ok(())
    }
}

fn operations(criterion: &mut Criterion) {
    let extents = [128, 128];
    let square = || HirType::from(TensorType::new(F32, &extents));
    let functions = [
        operation("add", [square(), square()], |[a, b]| binary(Add, a, b)),
        operation("product", [square(), square()], |[a, b]| {
            binary(MatMul, a, b)
        }),
        operation("sum", [square(), square()], |[a, _]| {
            reduce(Reduction::Sum, a, None)
        }),
    ];
    let program = program(Tier::Checked, functions);
    for function in program.functions() {
        let operands = [1, 2].map(|seed| tensor::random(seed, "operand", F32, &extents));
        let [Ok(a), Ok(b)] = operands else {
            panic!("no memory for two small tensors");
        };
        criterion.bench_function(&function.name, |bencher| {
            bencher.iter(|| {
                let mut arguments = [Value::Tensor(a.clone()), Value::Tensor(b.clone())];
                Interpreter::new(&program, &Silent).call(function, &mut arguments)
            })
        });
    }
}

criterion_group!(benches, operations);
criterion_main!(benches);
