//! Operations without a body, on HIR that no source gives.

use ast_types::BinaryOp::Add;
use interpreter::Interpreter;
use neuro_hir::build::{self, FunctionBuilder, binary, operation, program};
use neuro_hir::{TensorType, Tier};
use shared_types::{FileId, ScalarType, SourceFile, SourceMap, Span};

use super::*;
use crate::engine::{Engine, Silent};

fn vector() -> HirType {
    TensorType::new(ScalarType::F32, &[2]).into()
}

/// What a host function that calls `callee` with a tensor ends in, with the exit status.
fn outcome(callee: HirFunction) -> (u8, String) {
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let a = main.parameter("a", vector());
    let result = build::call(&callee, [a]);
    let program = program(Tier::Checked, [callee, main.finish(Some(result))]);
    assert_eq!(program.verify(), Ok(()));
    let jit = Jit::compile(&program, ["main"]).unwrap();
    let host = Silent(Engine::Jit(jit));
    let argument = Tensor::zeros(ScalarType::F32, &[2]).unwrap();
    let main = program.function("main").unwrap();
    let called = Interpreter::new(&program, &host).call(main, &mut [argument.into()]);
    let mut sources = SourceMap::default();
    sources.add(SourceFile::new("f.nr", "before the operation"));
    match called {
        Ok(value) => (0, format!("{value:?}")),
        Err(failure) => {
            let fault = Fault::from(failure);
            (fault.status(), fault.text(&sources))
        }
    }
}

/// `func f(a: Tensor<f32, [2]>) -> Tensor<f32, [2]> { a }`, which no builder of bodies expresses.
fn unchanged(target: FunctionTarget) -> HirFunction {
    HirFunction {
        target,
        span: Span::new(FileId(0), 7, 20),
        ..operation("f", [vector()], |[a]| a)
    }
}

#[test]
fn an_outlined_operation_without_a_body_is_an_internal_error() {
    for target in [
        FunctionTarget::HostOperation,
        FunctionTarget::FollowsOperands,
    ] {
        let (status, text) = outcome(unchanged(target));
        assert_eq!(status, 3);
        let first = "f.nr:1:8: error: internal error: `f` cannot be compiled: an argument handed \
                     back unchanged\n";
        assert!(text.starts_with(first), "{text}");
        assert!(text.contains("Please report it"), "{text}");
    }
}

/// Its author may say more than the host's bodies hold.
#[test]
fn a_function_for_a_gpu_without_a_host_body_is_refused() {
    let (status, text) = outcome(unchanged(FunctionTarget::Gpu { fallback: true }));
    let first = "f.nr:1:8: error: `f` cannot be compiled: an argument handed back unchanged\n";
    assert_eq!((status, text.starts_with(first)), (2, true), "{text}");
}

/// What the program does not come to does not fail it.
#[test]
fn what_is_not_called_needs_no_body() {
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let a = main.parameter("a", vector());
    let sum = operation("sum", [vector()], |[a]| binary(Add, a.clone(), a));
    let result = build::call(&sum, [a]);
    let unused = unchanged(FunctionTarget::HostOperation);
    let program = program(Tier::Checked, [unused, sum, main.finish(Some(result))]);
    let jit = Jit::compile(&program, ["main"]).unwrap();
    assert!(jit.code.bodies.contains_key("sum") && jit.code.refused.is_empty());
}
