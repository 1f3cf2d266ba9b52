//! What a call costs beside the work of its body.

use criterion::{Criterion, criterion_group, criterion_main};
use runtime::{Argument, FunctionSignature, Jit, Parameter, Signature};
use shared_types::ScalarType;
use tensor::{Scalar, Tensor};

const IR: &str = "
define void @f(i64 %x, ptr %a, ptr %b, i64 %o) {
  store i64 %x, ptr %b
  ret void
}";

fn call(criterion: &mut Criterion) {
    let scalar = Scalar::I64(7);
    let signature = Signature {
        symbol: "f".into(),
        parameters: vec![
            Parameter::Scalar(scalar.ty()),
            Parameter::Result(scalar.ty(), vec![]),
        ],
    };
    let jit = Jit::load(IR, &[signature]).expect("the module is well-formed");
    let mut result = Tensor::zeros(scalar.ty(), &[]).expect("eight bytes");
    criterion.bench_function("call of a body that stores one number", |bencher| {
        bencher.iter(|| {
            let mut arguments = [Argument::Scalar(scalar), Argument::Result(&mut result)];
            jit.call("f", &mut arguments)
        });
    });
}

/// Calls its function 1,000 times.
const CALLS: &str = "
define void @f(ptr %code, ptr %environment, ptr %r0, ptr %r, i64 %r2) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %last = phi i64 [ 0, %entry ], [ %answer, %body ]
  %answer = call i64 %code(ptr %environment, i64 %last, i64 %i)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 1000
  br i1 %more, label %body, label %done
done:
  store i64 %answer, ptr %r
  ret void
}";

fn function_value(criterion: &mut Criterion) {
    let function = FunctionSignature {
        parameters: vec![ScalarType::I64, ScalarType::I64],
        result: ScalarType::I64,
    };
    let signature = Signature {
        symbol: "f".into(),
        parameters: vec![
            Parameter::Function(function),
            Parameter::Result(ScalarType::I64, vec![]),
        ],
    };
    let jit = Jit::load(CALLS, &[signature]).expect("the module is well-formed");
    let mut result = Tensor::zeros(ScalarType::I64, &[]).expect("eight bytes");
    criterion.bench_function("1,000 calls of a function value", |bencher| {
        bencher.iter(|| {
            let mut arguments = [
                Argument::Function(&|arguments: &[Scalar]| arguments.first().copied()),
                Argument::Result(&mut result),
            ];
            jit.call("f", &mut arguments)
        });
    });
}

criterion_group!(benches, call, function_value);
criterion_main!(benches);
