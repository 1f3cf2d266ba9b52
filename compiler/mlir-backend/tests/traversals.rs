//! Traversals: their text, their signatures, and what of them stays a declaration (backend
//! specification, §The other operations).

use ast_types::BinaryOp::{Add, Div};
use mlir_backend::{lower_for_link, lower_program, translate_to_llvm_ir};
use neuro_hir::build::{binary, operation, program, tensor as tensor_op};
use neuro_hir::{
    Extent, FunctionType, HirExpr, HirExprKind, HirFunction, HirType, TensorOp, TensorType, Tier,
};
use shared_types::ScalarType::{self, Char, F32, I32};

fn tensor(scalar: ScalarType, extents: &[u64]) -> HirType {
    TensorType::new(scalar, extents).into()
}

fn function(parameters: &[ScalarType], result: ScalarType) -> HirType {
    HirType::Function(Box::new(FunctionType {
        parameters: parameters.iter().map(|&scalar| scalar.into()).collect(),
        result: result.into(),
    }))
}

fn map(operand: HirExpr, function: HirExpr, result: HirType) -> HirExpr {
    let op = TensorOp::Map {
        operand: Box::new(operand),
        function: Box::new(function),
    };
    tensor_op(op, result)
}

fn zip(left: HirExpr, right: HirExpr, function: HirExpr, result: HirType) -> HirExpr {
    let op = TensorOp::Zip {
        left: Box::new(left),
        right: Box::new(right),
        function: Box::new(function),
    };
    tensor_op(op, result)
}

fn fold(operand: HirExpr, initial: HirExpr, function: HirExpr, result: HirType) -> HirExpr {
    let op = TensorOp::Fold {
        operand: Box::new(operand),
        initial: Box::new(initial),
        function: Box::new(function),
    };
    tensor_op(op, result)
}

/// The `symbol`s that have a body.
fn linked(tier: Tier, functions: impl IntoIterator<Item = HirFunction>) -> Vec<String> {
    let linked = lower_for_link(&program(tier, functions)).unwrap();
    linked
        .bodies
        .into_iter()
        .map(|body| body.function)
        .collect()
}

fn elements() -> impl Iterator<Item = ScalarType> {
    ScalarType::ALL
        .into_iter()
        .filter(|scalar| scalar.is_element())
}

#[test]
fn every_element_type_traverses_to_every_other() {
    let mut functions = Vec::new();
    for from in elements() {
        for to in elements() {
            let name = |kind: &str| format!("{kind}_{from}_{to}");
            let (t, r) = (tensor(from, &[2, 0, 3]), tensor(to, &[2, 0, 3]));
            let parameters = [t, function(&[from], to)];
            functions.push(operation(&name("map"), parameters, |[t, f]| map(t, f, r)));
            let (t, u, r) = (tensor(from, &[]), tensor(to, &[]), tensor(from, &[]));
            let parameters = [t, u, function(&[from, to], from)];
            functions.push(operation(&name("zip"), parameters, |[t, u, f]| {
                zip(t, u, f, r)
            }));
            let parameters = [tensor(from, &[1; 6]), to.into(), function(&[to, from], to)];
            functions.push(operation(&name("fold"), parameters, |[t, initial, f]| {
                fold(t, initial, f, tensor(to, &[]))
            }));
        }
    }
    let names: Vec<String> = functions.iter().map(|f| f.name.clone()).collect();
    assert_eq!(linked(Tier::Checked, functions), names);
}

#[test]
fn a_function_value_is_shared_and_the_tensors_are_not() {
    let parameters = [
        tensor(F32, &[4]),
        function(&[F32], F32),
        function(&[F32], F32),
    ];
    let f = operation("f", parameters, |[t, f, g]| {
        let t = map(t, f, tensor(F32, &[4]));
        map(t, g, tensor(F32, &[4]))
    });
    let ir = lower_for_link(&program(Tier::Checked, [f]))
        .unwrap()
        .llvm_ir;
    let head = ir.lines().find(|line| line.starts_with("define"));
    let shown = "define void @__neuro_mlir_f(ptr noalias %0, ptr noalias %1, i64 %2, i64 %3, i64 %4, \
                 ptr %5, ptr %6, ptr %7, ptr %8, \
                 ptr noalias %9, ptr noalias %10, i64 %11, i64 %12, i64 %13) {";
    assert_eq!(head, Some(shown));
}

/// Fused into a consumer, a call would be made at each of its points.
#[test]
fn a_traversal_is_not_fused() {
    let f = || {
        let parameters = [
            tensor(F32, &[3]),
            tensor(F32, &[2, 3]),
            function(&[F32], F32),
        ];
        operation("f", parameters, |[t, u, f]| {
            binary(Add, u, map(t, f, tensor(F32, &[3])))
        })
    };
    let program = program(Tier::Wrapping, [f()]);
    for ir in [
        translate_to_llvm_ir(&program).unwrap(),
        lower_for_link(&program).unwrap().llvm_ir,
    ] {
        let loops = ir.matches("icmp slt i64").count();
        assert_eq!(loops, 3, "one of the call, two of the sum:\n{ir}");
    }
}

#[test]
fn an_unknown_extent_is_that_of_the_operand() {
    let dynamic = || -> HirType { TensorType::with_extents(F32, [Extent::Dynamic]).into() };
    let f = operation("f", [dynamic(), function(&[F32], F32)], |[t, f]| {
        map(t, f, dynamic())
    });
    let text = lower_program(&program(Tier::Wrapping, [f])).unwrap();
    assert!(text.contains("tensor.dim"), "{text}");
    assert!(text.contains("llvm.call"), "{text}");
}

#[test]
fn what_does_not_fit_together_stays_a_declaration() {
    let t = || tensor(F32, &[4]);
    let unfit = [
        operation("another_element", [t(), function(&[I32], F32)], |[t, f]| {
            map(t, f, tensor(F32, &[4]))
        }),
        operation("another_result", [t(), function(&[F32], I32)], |[t, f]| {
            map(t, f, tensor(F32, &[4]))
        }),
        operation("another_shape", [t(), function(&[F32], F32)], |[t, f]| {
            map(t, f, tensor(F32, &[5]))
        }),
        operation(
            "more_parameters",
            [t(), function(&[F32, F32], F32)],
            |[t, f]| map(t, f, tensor(F32, &[4])),
        ),
        operation(
            "two_shapes",
            [t(), tensor(F32, &[1]), function(&[F32, F32], F32)],
            |[t, u, f]| zip(t, u, f, tensor(F32, &[4])),
        ),
        operation(
            "another_accumulator",
            [t(), I32.into(), function(&[F32, F32], F32)],
            |[t, initial, f]| fold(t, initial, f, tensor(F32, &[])),
        ),
        operation(
            "no_scalar_to_start_from",
            [t(), tensor(F32, &[]), function(&[F32, F32], F32)],
            |[t, initial, f]| fold(t, initial, f, tensor(F32, &[])),
        ),
        operation(
            "fold_of_a_rank",
            [t(), F32.into(), function(&[F32, F32], F32)],
            |[t, initial, f]| fold(t, initial, f, tensor(F32, &[1])),
        ),
        operation("a_tensor_as_the_function", [t(), t()], |[t, f]| {
            map(t, f, tensor(F32, &[4]))
        }),
        operation("the_function_itself", [function(&[F32], F32)], |[f]| f),
        operation(
            "arithmetic_on_it",
            [t(), function(&[F32], F32)],
            |[t, f]| binary(Div, t, f),
        ),
        operation("a_name", [t()], |[t]| {
            let name = HirExprKind::Function("another_element".into());
            let f = neuro_hir::build::expr(name, function(&[F32], F32));
            map(t, f, tensor(F32, &[4]))
        }),
    ];
    let count = unfit.len();
    let program = program(Tier::Checked, unfit);
    let text = lower_program(&program).unwrap();
    assert_eq!(text.matches("func.func private").count(), count, "{text}");
    assert_eq!(lower_for_link(&program).unwrap().bodies, []);
}

#[test]
fn a_function_of_anything_but_numbers_and_bools_is_not_linked() {
    let of_tensors = FunctionType {
        parameters: vec![tensor(F32, &[4])],
        result: F32.into(),
    };
    let types = [
        HirType::Function(Box::new(of_tensors)),
        function(&[Char], F32),
        function(&[F32], Char),
    ];
    for ty in types {
        let f = || {
            operation("f", [tensor(F32, &[4]), ty.clone()], |[t, _]| {
                binary(Add, t.clone(), t)
            })
        };
        let text = lower_program(&program(Tier::Checked, [f()])).unwrap();
        assert!(!text.contains("private"), "{text}");
        assert_eq!(linked(Tier::Checked, [f()]), [""; 0]);
    }
}
