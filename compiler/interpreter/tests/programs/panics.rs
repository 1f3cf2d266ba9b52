//! How a program fails.

use ast_types::BinaryOp;
use interpreter::{Failure, Interpreter, Value};
use neuro_hir::build::{
    FunctionBuilder, binary, block, element, expr, integer, local, operation, program,
};
use neuro_hir::{FunctionTarget, HirBlock, HirExprKind, HirStatementKind, HirType, Tier};
use shared_types::{ScalarType, Span};
use tensor::{Scalar, Tensor};

use crate::{I32, Output, i32s, int, panic_text, run, scalar};

#[test]
fn scalar_panics_follow_the_tier() {
    let mut function = FunctionBuilder::new("f", FunctionTarget::Host);
    let x = function.parameter("x", ScalarType::I8);
    let sum = binary(BinaryOp::Add, x.clone(), integer(1, ScalarType::I8));
    let function = function.finish(Some(sum));
    let checked = program(Tier::Checked, [function.clone()]);
    let wrapping = program(Tier::Wrapping, [function]);
    let argument = || Value::from(Scalar::I8(127));
    assert_eq!(
        panic_text(run(&checked, &mut [argument()])),
        "panic: integer overflow in `+`"
    );
    assert_eq!(scalar(run(&wrapping, &mut [argument()])), Scalar::I8(-128));
}

#[test]
fn a_panic_has_the_place_of_its_operation() {
    let mut sum = binary(BinaryOp::Mul, int(1 << 30), int(2));
    sum.span = Span::new(Default::default(), 7, 9);
    let main = FunctionBuilder::new("main", FunctionTarget::Host).finish(Some(sum));
    let program = program(Tier::Checked, [main]);
    let Err(Failure::Panic(panic)) = run(&program, &mut []) else {
        panic!("no panic");
    };
    assert_eq!((panic.span.start, panic.span.end), (7, 9));
}

#[test]
fn tensor_panics_name_the_element() {
    let sum = operation("f", [i32s(&[2, 2]).into(), i32s(&[2]).into()], |[a, b]| {
        binary(BinaryOp::Add, a, b)
    });
    let quotient = operation("g", [i32s(&[]).into(), I32.into()], |[a, b]| {
        binary(BinaryOp::Rem, a, b)
    });
    let sum = program(Tier::Checked, [sum]);
    let a = Tensor::from_slice(&[2, 2], &[1, 2, 3, i32::MAX]).unwrap();
    let b = Tensor::from_slice(&[2], &[0, 1]).unwrap();
    let text = panic_text(run(&sum, &mut [a.into(), b.into()]));
    assert_eq!(text, "panic: integer overflow in `+` at element [1, 1]");
    let quotient = program(Tier::Wrapping, [quotient]);
    let one = Tensor::from_scalar(Scalar::I32(1)).unwrap();
    let text = panic_text(run(&quotient, &mut [one.into(), Scalar::I32(0).into()]));
    assert_eq!(text, "panic: division by zero in `%`");
}

#[test]
fn indices_are_checked() {
    let mut function = FunctionBuilder::new("f", FunctionTarget::Host);
    let t = function.parameter("t", HirType::reference(false, i32s(&[2, 3]).into()));
    let i = function.parameter("i", ScalarType::I64);
    let j = function.parameter("j", ScalarType::U8);
    let program = program(Tier::Checked, [function.finish(Some(element(t, [i, j])))]);
    let at = |i: i64, j: u8| {
        let t = Tensor::from_slice(&[2, 3], &[10, 11, 12, 20, 21, 22]).unwrap();
        run(
            &program,
            &mut [t.into(), Scalar::I64(i).into(), Scalar::U8(j).into()],
        )
    };
    assert_eq!(scalar(at(1, 2)), Scalar::I32(22));
    assert_eq!(
        panic_text(at(-1, 9)),
        "panic: index -1 is out of range for axis 0 of extent 2"
    );
    assert_eq!(
        panic_text(at(1, 3)),
        "panic: index 3 is out of range for axis 1 of extent 3"
    );
}

#[test]
fn what_the_verifier_refuses_is_an_error_value() {
    let broken = [
        local(neuro_hir::LocalId(9), I32),
        expr(HirExprKind::Constant("none".into()), I32),
        binary(BinaryOp::Add, int(1), integer(1, ScalarType::I64)),
        expr(
            HirExprKind::TupleMember {
                operand: Box::new(int(1)),
                index: 0,
            },
            I32,
        ),
        element(int(1), [int(0)]),
    ];
    for body in broken {
        let main = FunctionBuilder::new("main", FunctionTarget::Host).finish(Some(body));
        let program = program(Tier::Checked, [main]);
        assert!(program.verify().is_err());
        let output = Output::default();
        let function = program.function("main").unwrap();
        let result = Interpreter::new(&program, &output).call(function, &mut []);
        assert!(
            matches!(result, Err(Failure::Internal { .. })),
            "{result:?}"
        );
    }
    let body: HirBlock = block([HirStatementKind::Break], None);
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host).finish(None);
    main.body = body;
    let program = program(Tier::Checked, [main]);
    let function = program.function("main").unwrap();
    let result = Interpreter::new(&program, &Output::default()).call(function, &mut []);
    assert!(matches!(result, Err(Failure::Internal { .. })));
}
