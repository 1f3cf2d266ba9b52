//! What a call costs beside the work of its body.

use criterion::{Criterion, criterion_group, criterion_main};
use runtime::{Argument, Jit, Parameter, Signature};
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

criterion_group!(benches, call);
criterion_main!(benches);
