//! Whole programs: control flow, references, calls, closures, what a host sees.

#[path = "programs/control.rs"]
mod control;
#[path = "programs/functions.rs"]
mod functions;
#[path = "programs/host.rs"]
mod host;
#[path = "programs/panics.rs"]
mod panics;
#[path = "programs/places.rs"]
mod places;

use std::cell::RefCell;

use ast_types::BinaryOp;
use interpreter::{Failure, Host, HostError, Interpreter, Value};
use neuro_hir::build::integer;
use neuro_hir::{HirExpr, HirProgram, HirStatementKind, TensorType};
use shared_types::ScalarType;
use tensor::{Scalar, Tensor};

/// Keeps what is printed, and runs nothing itself.
#[derive(Default)]
struct Output(RefCell<Vec<String>>);

impl Host for Output {
    fn print(&self, line: &str) -> Result<(), HostError> {
        self.0.borrow_mut().push(line.to_string());
        Ok(())
    }
}

const I32: ScalarType = ScalarType::I32;

fn int(value: i128) -> HirExpr {
    integer(value, I32)
}

fn i32s(shape: &[u64]) -> TensorType {
    TensorType::new(I32, shape)
}

/// Runs the last function of a program that the verifier accepts.
fn run<'p>(program: &'p HirProgram, arguments: &mut [Value<'p>]) -> Result<Value<'p>, Failure> {
    run_on(&Output::default(), program, arguments)
}

fn run_on<'p>(
    host: &dyn Host,
    program: &'p HirProgram,
    arguments: &mut [Value<'p>],
) -> Result<Value<'p>, Failure> {
    assert_eq!(program.verify(), Ok(()));
    let function = program.functions().last().unwrap();
    Interpreter::new(program, host).call(function, arguments)
}

fn scalar(value: Result<Value, Failure>) -> Scalar {
    match value.unwrap() {
        Value::Scalar(scalar) => scalar,
        other => panic!("{other:?} is no scalar"),
    }
}

fn tensor_of(value: &Value) -> Tensor {
    match value {
        Value::Tensor(tensor) => tensor.clone(),
        other => panic!("{other:?} is no tensor"),
    }
}

fn panic_text(value: Result<Value, Failure>) -> String {
    match value {
        Err(Failure::Panic(panic)) => panic.to_string(),
        other => panic!("no panic: {other:?}"),
    }
}

fn assign(place: &HirExpr, value: HirExpr) -> HirStatementKind {
    HirStatementKind::Assign {
        place: place.clone(),
        value,
    }
}

fn add_assign(place: &HirExpr, value: HirExpr) -> HirStatementKind {
    HirStatementKind::CompoundAssign {
        op: BinaryOp::Add,
        place: place.clone(),
        value,
    }
}
