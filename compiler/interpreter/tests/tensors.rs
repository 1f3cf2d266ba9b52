//! The tensor operations as expressions: what each gives through the HIR.

use ast_types::{BinaryOp, UnaryOp};
use interpreter::{Failure, Host, HostError, Interpreter, Value};
use neuro_hir::build::{
    FunctionBuilder, binary, expr, float, integer, math, operation, pow, program, reduce, tensor,
    unary,
};
use neuro_hir::{
    Device, Einsum, Fill, FunctionTarget, HirExpr, HirExprKind, HirFunction, HirType, MathFunction,
    Reduction, SliceAxis, TensorOp, TensorType, Tier,
};
use shared_types::{Literal, ScalarType};
use tensor::{Element, Scalar, Tensor};

struct Silent;

impl Host for Silent {
    fn print(&self, _: &str) -> Result<(), HostError> {
        Ok(())
    }
}

const F32: ScalarType = ScalarType::F32;
const I32: ScalarType = ScalarType::I32;

fn ty(scalar: ScalarType, shape: &[u64]) -> HirType {
    TensorType::new(scalar, shape).into()
}

fn of<T: Element>(shape: &[u64], elements: &[T]) -> Tensor {
    Tensor::from_slice(shape, elements).unwrap()
}

/// What `function` gives, and the panic where it gives nothing.
fn run(function: HirFunction, arguments: &[&Tensor]) -> Result<Vec<Tensor>, String> {
    let program = program(Tier::Checked, [function]);
    assert_eq!(program.verify(), Ok(()));
    let function = program.functions().next().unwrap();
    let mut arguments: Vec<Value> = arguments.iter().map(|&t| t.clone().into()).collect();
    let flat = |value| match value {
        Value::Tensor(tensor) => tensor,
        Value::Scalar(scalar) => Tensor::from_scalar(scalar).unwrap(),
        other => panic!("{other:?}"),
    };
    match Interpreter::new(&program, &Silent).call(function, &mut arguments) {
        Ok(Value::Tuple(parts)) => Ok(parts.into_iter().map(flat).collect()),
        Ok(value) => Ok(vec![flat(value)]),
        Err(Failure::Panic(panic)) => Err(panic.to_string()),
        Err(other) => panic!("{other}"),
    }
}

/// `op` of one tensor gives `expected`.
#[track_caller]
fn gives(argument: &Tensor, op: impl FnOnce(Box<HirExpr>) -> TensorOp, expected: &Tensor) {
    let result = ty(expected.scalar_type(), expected.shape());
    let parameter = ty(argument.scalar_type(), argument.shape());
    let function = operation("f", [parameter], |[t]| tensor(op(Box::new(t)), result));
    let found = run(function, &[argument]).unwrap().remove(0);
    assert!(found.same_bits(expected), "{found:?}");
}

#[test]
fn movements() {
    let t = of(&[2, 3], &[1i32, 2, 3, 4, 5, 6]);
    let swap = |operand| TensorOp::Permute {
        operand,
        axes: vec![1, 0],
    };
    gives(&t, swap, &of(&[3, 2], &[1i32, 4, 2, 5, 3, 6]));
    gives(&t, TensorOp::Reshape, &of(&[3, 2], &[1i32, 2, 3, 4, 5, 6]));
    gives(&t, TensorOp::Clone, &t);
    let to_device = |operand| TensorOp::ToDevice {
        operand,
        device: Device::Gpu(0),
    };
    gives(&t, to_device, &t);
    let slice = |tensor| TensorOp::Slice {
        tensor,
        axes: vec![
            SliceAxis::Position(integer(1, I32)),
            SliceAxis::Range {
                start: 1,
                extent: 2,
                reversed: true,
            },
        ],
    };
    gives(&t, slice, &of(&[2], &[6i32, 5]));
}

#[test]
fn a_slice_position_is_checked() {
    let mut function = FunctionBuilder::new("f", FunctionTarget::Host);
    let t = function.parameter("t", ty(I32, &[2, 3]));
    let at = function.parameter("at", ScalarType::I64);
    let slice = TensorOp::Slice {
        tensor: Box::new(t),
        axes: vec![
            SliceAxis::Range {
                start: 0,
                extent: 2,
                reversed: false,
            },
            SliceAxis::Position(at),
        ],
    };
    let function = function.finish(Some(tensor(slice, ty(I32, &[2]))));
    let program = program(Tier::Checked, [function]);
    let function = program.function("f").unwrap();
    let at = |at: i64| {
        let t = of(&[2, 3], &[1i32, 2, 3, 4, 5, 6]);
        let mut arguments = [t.into(), Scalar::I64(at).into()];
        Interpreter::new(&program, &Silent).call(function, &mut arguments)
    };
    assert!(matches!(at(2), Ok(Value::Tensor(t)) if t.same_bits(&of(&[2], &[3i32, 6]))));
    assert_eq!(
        at(-1).unwrap_err().to_string(),
        "panic: index -1 is out of range for axis 1 of extent 3"
    );
}

#[test]
fn a_checked_position_is_an_i64_in_range() {
    let check = |position: i128| {
        let mut function = FunctionBuilder::new("f", FunctionTarget::Host);
        let kind = HirExprKind::CheckedPosition {
            position: Box::new(integer(position, ScalarType::U8)),
            axis: 2,
            extent: 40,
        };
        let checked = function.bind("at", expr(kind, ScalarType::I64));
        run(function.finish(Some(checked)), &[])
    };
    assert!(check(39).unwrap()[0].same_bits(&of(&[], &[39i64])));
    assert_eq!(
        check(40).unwrap_err(),
        "panic: index 40 is out of range for axis 2 of extent 40"
    );
}

#[test]
fn makers() {
    let make = |op, expected: &Tensor| {
        let result = ty(expected.scalar_type(), expected.shape());
        let made = run(operation("f", [], |[]| tensor(op, result)), &[]);
        assert!(made.unwrap()[0].same_bits(expected));
    };
    make(TensorOp::Fill(Fill::Zeros), &of(&[2], &[0.0f64; 2]));
    make(TensorOp::Fill(Fill::Ones), &of(&[1, 2], &[1u8; 2]));
    make(
        TensorOp::Fill(Fill::Identity),
        &of(&[2, 2], &[1i16, 0, 0, 1]),
    );
    make(
        TensorOp::Scalar(Box::new(float(-0.0, F32))),
        &of(&[], &[-0.0f32]),
    );
    let literal = |value| expr(HirExprKind::Literal(Literal::Char(value)), ScalarType::Char);
    let letters = vec![literal('a'), literal('ß')];
    make(TensorOp::Literal(letters), &of(&[2], &['a', 'ß']));
}

#[test]
fn sorts() {
    let t = of(&[4], &[2.0f32, f32::NAN, -1.0, 2.0]);
    let sort = |operand| TensorOp::Sort {
        operand,
        axis: 0,
        descending: false,
    };
    gives(&t, sort, &of(&[4], &[-1.0, 2.0, 2.0, f32::NAN]));
    let argsort = |operand| TensorOp::ArgSort {
        operand,
        axis: 0,
        descending: true,
    };
    gives(&t, argsort, &of(&[4], &[0i32, 3, 2, 1]));
    let pair = HirType::Tuple(vec![ty(F32, &[2]), ty(I32, &[2])]);
    let top = operation("f", [ty(F32, &[4])], |[operand]| {
        let top = TensorOp::TopK {
            operand: Box::new(operand),
            axis: 0,
            k: 2,
        };
        tensor(top, pair)
    });
    let parts = run(top, &[&t]).unwrap();
    assert!(parts[0].same_bits(&of(&[2], &[2.0f32, 2.0])));
    assert!(parts[1].same_bits(&of(&[2], &[0i32, 3])));
}

#[test]
fn operations_run_in_program_order() {
    // (a + b) overflows at [1] before (a * b) does at [0]: the sum stands first.
    let both = operation("f", [ty(I32, &[2]), ty(I32, &[2])], |[a, b]| {
        let sum = binary(BinaryOp::Add, a.clone(), b.clone());
        binary(BinaryOp::Sub, sum, binary(BinaryOp::Mul, a, b))
    });
    let a = of(&[2], &[1 << 20, i32::MAX]);
    let b = of(&[2], &[1 << 20, 1]);
    assert_eq!(
        run(both, &[&a, &b]).unwrap_err(),
        "panic: integer overflow in `+` at element [1]"
    );
}

#[test]
fn contractions_and_folds_name_the_result_element() {
    let product = operation("f", [ty(I32, &[1, 2]), ty(I32, &[2, 2])], |[a, b]| {
        binary(BinaryOp::MatMul, a, b)
    });
    let (a, b) = (of(&[1, 2], &[2i32, 2]), of(&[2, 2], &[1i32, 1, 1, 1 << 30]));
    assert_eq!(
        run(product, &[&a, &b]).unwrap_err(),
        "panic: integer overflow in `*` at element [0, 1]"
    );
    let trace = operation("f", [ty(ScalarType::I8, &[2, 2])], |[t]| {
        let einsum = Einsum {
            inputs: vec![vec!['i', 'i']],
            output: vec![],
            operands: vec![t],
        };
        tensor(TensorOp::Einsum(einsum), ty(ScalarType::I8, &[]))
    });
    let t = of(&[2, 2], &[100i8, 0, 0, 100]);
    assert_eq!(
        run(trace, &[&t]).unwrap_err(),
        "panic: integer overflow in `+`"
    );
    let sums = operation("f", [ty(ScalarType::I8, &[2, 2])], |[t]| {
        reduce(Reduction::Sum, t, Some(0))
    });
    let t = of(&[2, 2], &[100i8, 100, 0, 100]);
    assert_eq!(
        run(sums, &[&t]).unwrap_err(),
        "panic: integer overflow in `+` at element [1]"
    );
    let negated = operation("f", [ty(ScalarType::I8, &[1])], |[t]| {
        unary(UnaryOp::Neg, t)
    });
    assert_eq!(
        run(negated, &[&of(&[1], &[-128i8])]).unwrap_err(),
        "panic: integer overflow in `-` at element [0]"
    );
}

#[test]
fn mathematics_on_tensors_and_scalars() {
    let root = operation("f", [ty(F32, &[2])], |[t]| math(MathFunction::Sqrt, t));
    let result = run(root, &[&of(&[2], &[4.0f32, -0.0])]).unwrap();
    assert!(result[0].same_bits(&of(&[2], &[2.0f32, -0.0])));
    let power = operation("f", [ty(F32, &[2])], |[t]| pow(t, float(2.0, F32)));
    let result = run(power, &[&of(&[2], &[3.0f32, -1.0])]).unwrap();
    assert!(result[0].same_bits(&of(&[2], &[9.0f32, 1.0])));
    let mut scalars = FunctionBuilder::new("f", FunctionTarget::Host);
    let x = scalars.bind("x", math(MathFunction::Abs, float(-2.0, F32)));
    let y = pow(x, float(3.0, F32));
    assert!(run(scalars.finish(Some(y)), &[]).unwrap()[0].same_bits(&of(&[], &[8.0f32])));
}

#[test]
fn casts_stand_on_scalars() {
    let mut function = FunctionBuilder::new("f", FunctionTarget::Host);
    let cast = HirExprKind::Cast(Box::new(float(-1e10, F32)));
    let x = function.bind("x", expr(cast, I32));
    assert!(run(function.finish(Some(x)), &[]).unwrap()[0].same_bits(&of(&[], &[i32::MIN])));
}

#[test]
fn a_tensor_that_no_machine_holds_is_a_panic() {
    let huge = operation("f", [], |[]| {
        tensor(
            TensorOp::Fill(Fill::Zeros),
            ty(ScalarType::F64, &[1 << 50, 1 << 9]),
        )
    });
    let text = run(huge, &[]).unwrap_err();
    assert!(text.starts_with("panic: out of memory: "), "{text}");
}
