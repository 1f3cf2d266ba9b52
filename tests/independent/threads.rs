//! Loops that threads share: whatever their number, the bits are those of one thread.

use std::num::NonZeroUsize;

use driver::engine::signature;
use mlir_backend::internal::{self, LinkOptions, Sharing, Target};
use neuro_hir::Tier;
use runtime::{Argument, Jit, Parameter, Signature, Threads};
use tensor::Tensor;

use crate::jit::{compile, compile_shared, program};

/// An einsum, its element type and operands, and how many of its loops are shared.
type Case = (
    &'static str,
    &'static str,
    &'static [u64],
    &'static [u64],
    usize,
);

/// Shapes that blocks, panels and threads divide, and shapes that they do not.
const CASES: &[Case] = &[
    ("f32", "mk,kn->mn", &[1000, 1000], &[1000, 1000], 2),
    ("f32", "mk,kn->mn", &[1023, 769], &[769, 517], 2),
    ("f64", "mk,kn->mn", &[512, 512], &[512, 512], 2),
    ("f32", "mk,kn->mn", &[1024, 256], &[256, 2048], 2),
    // Panels of columns.
    ("f32", "mk,kn->mn", &[17, 100], &[100, 8192], 1),
    // Strips of columns: too few rows for panels.
    ("f32", "mk,kn->mn", &[100, 1000], &[1000, 333], 2),
    ("f64", "mk,kn->mn", &[100, 3000], &[3000, 16], 2),
    // In registers, rows.
    ("f32", "mk,kn->mn", &[2048, 32], &[32, 250], 2),
    ("f32", "mk,kn->mn", &[128, 256], &[256, 128], 1),
    // Few rows, few columns.
    ("f32", "mk,kn->mn", &[16, 2048], &[2048, 1024], 2),
    ("f32", "mk,kn->mn", &[1, 3000], &[3000, 1536], 1),
    ("f32", "mk,kn->mn", &[1, 3000], &[3000, 1560], 1),
    // A prime number of blocks of columns: no longer step divides them.
    ("f32", "mk,kn->mn", &[1, 3000], &[3000, 1511], 0),
    ("f32", "mk,kn->mn", &[4099, 1100], &[1100, 1], 1),
    ("f32", "mk,kn->mn", &[2100, 1], &[1, 2100], 2),
    // A depth of many panels, and one without a divisor.
    ("f32", "mk,kn->mn", &[33, 100_000], &[100_000, 40], 2),
    ("f32", "mk,kn->mn", &[70, 4099], &[4099, 70], 2),
    // Batches, transposed and narrow operands, integers.
    ("f32", "bij,bjk->bik", &[2000, 16, 16], &[2000, 16, 16], 1),
    ("f64", "bij,bjk->bik", &[3, 200, 200], &[3, 200, 200], 2),
    ("f32", "ij,kj->ik", &[512, 500], &[300, 500], 2),
    ("bf16", "mk,kn->mn", &[384, 384], &[384, 384], 2),
    ("f16", "mk,kn->mn", &[300, 301], &[301, 302], 2),
    ("i32", "mk,kn->mn", &[512, 300], &[300, 512], 2),
    ("u8", "mk,kn->mn", &[301, 300], &[300, 299], 2),
    // Too little work, and none.
    ("f32", "mk,kn->mn", &[64, 64], &[64, 64], 0),
    ("f32", "mk,kn->mn", &[0, 512], &[512, 512], 0),
    ("f32", "mk,kn->mn", &[512, 0], &[0, 512], 0),
];

fn source((element, letters, left, right, _): Case) -> String {
    let (inputs, output) = letters.split_once("->").unwrap();
    let (a, b) = inputs.split_once(',').unwrap();
    let known = a.chars().zip(left).chain(b.chars().zip(right));
    let known: Vec<(char, u64)> = known.map(|(letter, &extent)| (letter, extent)).collect();
    let extent = |letter| known.iter().find(|(one, _)| *one == letter).unwrap().1;
    let result: Vec<u64> = output.chars().map(extent).collect();
    format!(
        "func f(a: &Tensor<{element}, {left:?}>, b: &Tensor<{element}, {right:?}>) \
         -> Tensor<{element}, {result:?}> {{ einsum(\"{letters}\", a, b) }}"
    )
}

/// A program's function `f`, whose loops threads share.
struct Shared {
    jit: Jit,
    signature: Signature,
}

impl Shared {
    fn compile(source: &str) -> Shared {
        let program = program(source, Tier::Wrapping);
        let options = LinkOptions {
            target: Target::native(),
            threads: Sharing::Large,
            ..LinkOptions::default()
        };
        let linked = internal::link(&program, &options).unwrap();
        let signature = signature(&linked.bodies[0]);
        let jit = Jit::load(&linked.llvm_ir, std::slice::from_ref(&signature)).unwrap();
        Shared { jit, signature }
    }

    fn call(&self, a: &Tensor, b: &Tensor, threads: &Threads) -> Tensor {
        let Parameter::Result(scalar, shape) = &self.signature.parameters[2] else {
            panic!("{}", self.signature);
        };
        let mut result = Tensor::zeros(*scalar, shape).unwrap();
        let mut arguments = vec![
            Argument::Operand(a),
            Argument::Operand(b),
            Argument::Result(&mut result),
        ];
        if self.signature.parameters.len() > 3 {
            arguments.push(Argument::Threads(threads));
        }
        self.jit
            .call(&self.signature.symbol, &mut arguments)
            .unwrap();
        result
    }
}

fn random(scalar: &str, a: &[u64], b: &[u64]) -> (Tensor, Tensor) {
    let scalar = scalar.parse().unwrap();
    let random = |name, shape| tensor::random(1, name, scalar, shape).unwrap();
    (random("a", a), random("b", b))
}

fn threads(count: usize) -> Threads {
    Threads::new(NonZeroUsize::new(count).unwrap()).unwrap()
}

#[test]
fn bits_are_those_of_one_thread() {
    let pools = [1, 2, 3, 8, 64].map(|count| (count, threads(count)));
    for &case in CASES {
        let source = source(case);
        let (a, b) = random(case.0, case.2, case.3);
        let expected = compile(&source).result("f", &[&a, &b]);
        let shared = Shared::compile(&source);
        for (count, threads) in &pools {
            let found = shared.call(&a, &b, threads);
            assert!(found.same_bits(&expected), "{source} by {count} threads");
        }
    }
}

/// One body and one pool: nothing waits for ever, and no buffer is another call's.
#[test]
fn several_threads_call_at_once() {
    let case = ("f32", "mk,kn->mn", &[300, 301][..], &[301, 302][..], 2);
    let (a, b) = random(case.0, case.2, case.3);
    let expected = compile(&source(case)).result("f", &[&a, &b]);
    let shared = Shared::compile(&source(case));
    let threads = threads(3);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert!(shared.call(&a, &b, &threads).same_bits(&expected));
                }
            });
        }
    });
}

/// For each target: a loop that is not shared any more would still have the bits.
#[test]
fn loops_are_shared() {
    let targets = [
        ("generic", Target::GENERIC),
        ("AVX2", Target::AVX2),
        ("AVX-512", Target::AVX512),
    ];
    let mut wrong = Vec::new();
    for (name, target) in targets {
        for &case in CASES {
            let program = program(&source(case), Tier::Wrapping);
            let options = LinkOptions {
                target,
                threads: Sharing::Large,
                ..LinkOptions::default()
            };
            let linked = internal::link(&program, &options).unwrap();
            let tasks = linked
                .llvm_ir
                .matches("define internal void @__neuro_mlir_f.task")
                .count()
                / 2;
            assert_eq!(linked.bodies[0].shares_loops(), tasks > 0);
            if tasks != case.4 {
                wrong.push(format!("{name}: {tasks} in {case:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What lies between two products runs in one thread.
#[test]
fn several_loops_of_one_body() {
    let square = "Tensor<f32, [300, 300]>";
    let source =
        format!("func f(a: &{square}, b: &{square}) -> {square} {{ ((a @ b).tanh() + a) @ b }}");
    let (a, b) = random("f32", &[300, 300], &[300, 300]);
    let expected = compile(&source).result("f", &[&a, &b]);
    let found = compile_shared(&source, NonZeroUsize::new(3).unwrap()).result("f", &[&a, &b]);
    assert!(found.same_bits(&expected));
}
