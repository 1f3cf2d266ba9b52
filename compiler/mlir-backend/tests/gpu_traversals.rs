//! Traversals in GPU bodies: what their symbols take, and what their kernels are (backend
//! specification, §GPU kernels). Their bits are tested where they run.

#[path = "support/gpu.rs"]
mod support;

use ast_types::BinaryOp::{Add, MatMul, Mul};
use mlir_backend::internal::{self, Form, Vendor};
use mlir_backend::{BodyParameter, GpuTarget, lower_for_gpu};
use neuro_hir::build::{FunctionBuilder, binary, block, call, expr, local, math, program, tensor};
use neuro_hir::{
    FunctionTarget, FunctionType, HirClosure, HirExpr, HirExprKind, HirFunction, HirProgram,
    HirStatementKind, HirType, LocalId, MathFunction, TensorOp, TensorType, Tier,
};
use shared_types::ScalarType::{self, F32, I32};

use support::options;

fn square(scalar: ScalarType) -> HirType {
    TensorType::new(scalar, &[4, 4]).into()
}

fn of_one(scalar: ScalarType) -> FunctionType {
    FunctionType {
        parameters: vec![scalar.into()],
        result: scalar.into(),
    }
}

fn map(operand: HirExpr, function: HirExpr, ty: HirType) -> HirExpr {
    let op = TensorOp::Map {
        operand: Box::new(operand),
        function: Box::new(function),
    };
    tensor(op, ty)
}

/// `func op(a, f, g, b) { ((a @ b).map(f) + b).map(g) }`.
fn operation(scalar: ScalarType) -> HirFunction {
    let mut op = FunctionBuilder::new("op", FunctionTarget::FollowsOperands);
    let ty = || HirType::Function(Box::new(of_one(scalar)));
    let a = op.parameter("a", square(scalar));
    let f = op.parameter("f", ty());
    let g = op.parameter("g", ty());
    let b = op.parameter("b", square(scalar));
    let mapped = map(binary(MatMul, a, b.clone()), f, square(scalar));
    let value = map(binary(Add, mapped, b), g, square(scalar));
    op.finish(Some(value))
}

/// A function that calls the operation so many times: `op(a, |x| x * k, |x| inner(x), a)`.
fn caller(
    op: &HirFunction,
    scalar: ScalarType,
    calls: usize,
    inner: impl Fn(HirExpr) -> HirExpr,
) -> HirFunction {
    let mut caller = FunctionBuilder::new("caller", FunctionTarget::Host);
    let a = caller.parameter("a", square(scalar));
    caller.parameter("k", scalar);
    let (k, x) = (LocalId(1), caller.declare("x", scalar, false));
    let closure = |captures: Vec<LocalId>, body: HirExpr| {
        let closure = HirClosure {
            parameters: vec![x],
            captures,
            signature: of_one(scalar),
            body: block([], Some(body)),
        };
        let ty = HirType::Function(Box::new(of_one(scalar)));
        expr(HirExprKind::Closure(closure), ty)
    };
    for _ in 0..calls {
        let scaled = binary(Mul, local(x, scalar), local(k, scalar));
        let arguments = [
            a.clone(),
            closure(vec![k], scaled),
            closure(Vec::new(), inner(local(x, scalar))),
            a.clone(),
        ];
        caller.push(HirStatementKind::Expr(call(op, arguments)));
    }
    caller.finish(None)
}

fn calling(
    tier: Tier,
    scalar: ScalarType,
    calls: usize,
    inner: impl Fn(HirExpr) -> HirExpr,
) -> HirProgram {
    let op = operation(scalar);
    let caller = caller(&op, scalar, calls, inner);
    program(tier, [caller, op])
}

#[test]
fn a_symbol_takes_what_a_function_has_captured_in_its_place() {
    let program = calling(Tier::Checked, I32, 1, |x| x);
    let target = GpuTarget::Nvidia {
        chip: "sm_90".into(),
    };
    let linked = lower_for_gpu(&program, &target).unwrap();
    let operand = BodyParameter::Operand {
        scalar: I32,
        shape: vec![4, 4],
        owned: true,
    };
    let captured = BodyParameter::Captured {
        name: "k".into(),
        scalar: I32,
    };
    let result = BodyParameter::Result {
        scalar: I32,
        shape: vec![4, 4],
    };
    let status = BodyParameter::Status;
    let expected = [operand.clone(), captured, operand, status, result];
    let [op] = &linked.bodies[..] else {
        panic!("{:?}", linked.bodies)
    };
    assert_eq!(op.parameters, expected);
    // Of the product, of the function, and of the sum.
    let operators: Vec<String> = op.checks.iter().map(|c| c.operator.to_string()).collect();
    assert_eq!(operators, ["*", "+", "*", "+"]);
}

/// A device has no callers in C, and nothing is called that could be in its place.
#[test]
fn a_kernel_calls_nothing() {
    for tier in [Tier::Checked, Tier::Wrapping] {
        let program = calling(tier, I32, 1, |x| x);
        for (vendor, calls) in [(Vendor::Nvidia, "call"), (Vendor::Amd, "s_swappc")] {
            let linked = internal::link_gpu(&program, &options(vendor, Form::Assembly)).unwrap();
            let text = String::from_utf8_lossy(&linked.binary).into_owned();
            assert!(text.contains("__neuro_gpu_op_0"), "{text}");
            for none in [calls, "__neuro_gpu_op.", "_mlir_ciface"] {
                assert!(!text.contains(none), "{none}: {text}");
            }
        }
    }
}

#[test]
fn a_function_that_two_calls_pass_is_not_known() {
    let program = calling(Tier::Wrapping, F32, 2, |x| x);
    let linked = internal::link_gpu(&program, &options(Vendor::Amd, Form::Bitcode)).unwrap();
    assert!(linked.bodies.is_empty());
    let reason = &linked.refused[0].function.reason;
    assert_eq!(reason, "a function that is known when it runs only");
}

#[test]
fn mathematics_in_a_function_needs_the_library() {
    let program = calling(Tier::Wrapping, F32, 1, |x| math(MathFunction::Exp, x));
    let linked = internal::link_gpu(&program, &options(Vendor::Nvidia, Form::Bitcode)).unwrap();
    assert!(linked.bodies.is_empty());
    let refused = &linked.refused[0].function;
    assert_eq!(refused.name, "op");
    assert!(refused.reason.contains("the vendor's mathematics"));
}
