//! Linking: which bodies qualify, what they declare, and what their status words mean.

use std::sync::LazyLock;

use ast_types::BinaryOp::{self, Add, Div, MatMul, Mul, Rem, Sub};
use ast_types::UnaryOp::Neg;
use mlir_backend::{CheckKind, LinkableBodies, lower_for_link};
use neuro_hir::build::{binary, math, operation, pow, program, reduce, tensor as tensor_op, unary};
use neuro_hir::{
    Einsum, HirExpr, HirFunction, HirType, MathFunction, Reduction, SliceAxis, TensorOp,
    TensorType, Tier,
};
use shared_types::ScalarType;

fn tensor(scalar: ScalarType, extents: &[u64]) -> HirType {
    TensorType::new(scalar, extents).into()
}

fn link(tier: Tier, functions: Vec<HirFunction>) -> LinkableBodies {
    lower_for_link(&program(tier, functions)).unwrap()
}

fn numbers() -> impl Iterator<Item = ScalarType> {
    ScalarType::ALL
        .into_iter()
        .filter(|scalar| scalar.is_number())
}

const ARITHMETIC: [BinaryOp; 5] = [Add, Sub, Mul, Div, Rem];

/// Every operation on every number type that has it.
fn every_operation() -> Vec<HirFunction> {
    let mut functions = Vec::new();
    for scalar in numbers() {
        let ty = |extents: &[u64]| tensor(scalar, extents);
        for op in ARITHMETIC {
            let name = format!("{scalar}_{op:?}");
            let operands = [ty(&[2, 3]), ty(&[3])];
            functions.push(operation(&name, operands, |[a, b]| binary(op, a, b)));
            let name = format!("{scalar}_{op:?}_scalar");
            let operands = [scalar.into(), ty(&[2, 0, 3])];
            functions.push(operation(&name, operands, |[a, b]| binary(op, a, b)));
        }
        let name = format!("{scalar}_matmul");
        let operands = [ty(&[3, 5]), ty(&[5, 7])];
        functions.push(operation(&name, operands, |[a, b]| binary(MatMul, a, b)));
        for op in Reduction::ALL {
            if op == Reduction::Mean && !scalar.is_float() {
                continue;
            }
            for (index, (extents, axis)) in [
                (&[7][..], None),
                (&[2, 3, 5], Some(1)),
                (&[4096], None),
                (&[3, 4097], None),
                (&[2, 10_007, 3], Some(1)),
                (&[8192], Some(0)),
                (&[], None),
            ]
            .into_iter()
            .enumerate()
            {
                let name = format!("{scalar}_{op:?}_{index}");
                functions.push(operation(&name, [ty(extents)], |[a]| reduce(op, a, axis)));
            }
        }
        functions.extend(movements(scalar));
        if scalar.is_signed() || scalar.is_float() {
            let name = format!("{scalar}_neg");
            functions.push(operation(&name, [ty(&[5])], |[a]| unary(Neg, a)));
        }
        if scalar.is_float() {
            for function in MathFunction::ALL {
                let name = format!("{scalar}_{}", function.name());
                functions.push(operation(&name, [ty(&[5])], |[a]| math(function, a)));
            }
            let name = format!("{scalar}_pow");
            let operands = [ty(&[5]), ty(&[1])];
            functions.push(operation(&name, operands, |[a, b]| pow(a, b)));
        }
    }
    functions
}

/// What moves or contracts elements by their letters, in shapes of every rank.
fn movements(scalar: ScalarType) -> Vec<HirFunction> {
    let ty = |extents: &[u64]| tensor(scalar, extents);
    let mut functions = Vec::new();
    let mut push =
        |kind: &str, operands: [HirType; 2], body: &dyn Fn(HirExpr, HirExpr) -> HirExpr| {
            let name = format!("{scalar}_{kind}_{}", functions.len());
            functions.push(operation(&name, operands, |[a, b]| body(a, b)));
        };
    let boxed = |a: &HirExpr| Box::new(a.clone());
    for (from, to) in [
        (&[6, 4][..], &[2, 12][..]),
        (&[6, 4], &[24]),
        (&[1, 1], &[]),
        (&[], &[1, 1, 1]),
        (&[3, 0], &[0, 7]),
    ] {
        push("reshape", [ty(from), ty(from)], &|a, b| {
            tensor_op(TensorOp::Reshape(Box::new(binary(Add, a, b))), ty(to))
        });
        push("reshape", [ty(from), ty(from)], &|a, _| {
            tensor_op(TensorOp::Reshape(boxed(&a)), ty(to))
        });
    }
    push("permute", [ty(&[2, 3, 5]), ty(&[1])], &|a, _| {
        let op = TensorOp::Permute {
            operand: boxed(&a),
            axes: vec![2, 0, 1],
        };
        tensor_op(op, ty(&[5, 2, 3]))
    });
    push(
        "slice",
        [ty(&[4, 5, 3]), ScalarType::U8.into()],
        &|a, position| {
            let range = |start, extent, reversed| SliceAxis::Range {
                start,
                extent,
                reversed,
            };
            let op = TensorOp::Slice {
                tensor: boxed(&a),
                axes: vec![
                    range(1, 3, true),
                    SliceAxis::Position(position),
                    range(0, 0, false),
                ],
            };
            tensor_op(op, ty(&[3, 0]))
        },
    );
    for (inputs, output, operands, result) in [
        (["ij", "jk"], "ik", [&[2, 3][..], &[3, 4]], &[2, 4][..]),
        (["ii", "i"], "", [&[3, 3], &[3]], &[]),
        (["ii", "i"], "i", [&[3, 3], &[3]], &[3]),
        (["bij", "bkj"], "bik", [&[2, 3, 5], &[2, 7, 5]], &[2, 3, 7]),
        (["ab", "cd"], "dbca", [&[2, 3], &[4, 5]], &[5, 3, 4, 2]),
    ] {
        push("einsum", operands.map(ty), &|a, b| {
            let op = TensorOp::Einsum(Einsum {
                inputs: inputs.map(|letters| letters.chars().collect()).to_vec(),
                output: output.chars().collect(),
                operands: vec![a, b],
            });
            tensor_op(op, ty(result))
        });
    }
    functions
}

#[test]
fn every_operation_has_a_body_on_every_type() {
    let functions = every_operation();
    let names: Vec<_> = functions
        .iter()
        .map(|function| function.name.clone())
        .collect();
    for linked in [&*CHECKED, &link(Tier::Wrapping, functions)] {
        let bodies: Vec<_> = linked
            .bodies
            .iter()
            .map(|body| body.function.clone())
            .collect();
        assert_eq!(bodies, names);
    }
}

/// All of it on the checked tier, linked once for the tests that read it.
static CHECKED: LazyLock<LinkableBodies> = LazyLock::new(|| link(Tier::Checked, every_operation()));

/// A declaration of a program's function would name it at the wrong ABI.
#[test]
fn a_linked_module_declares_only_what_the_host_has() {
    let linked = &*CHECKED;
    let mut declared: Vec<&str> = linked
        .llvm_ir
        .lines()
        .filter(|line| line.starts_with("declare"))
        .filter_map(|line| line.split('@').nth(1)?.split('(').next())
        .filter(|name| !name.starts_with("llvm."))
        .collect();
    declared.sort_unstable();
    let library = [
        "cos", "cosf", "exp", "expf", "free", "log", "logf", "malloc", "pow", "powf", "sin",
        "sinf", "tanh", "tanhf",
    ];
    assert_eq!(declared, library);
}

#[test]
fn checks_are_numbered_over_the_body() {
    let ty = || tensor(ScalarType::I32, &[4]);
    let body = |tier| {
        let f = operation("f", [ty(), ty()], |[a, b]| {
            binary(Div, binary(Mul, a, b.clone()), b)
        });
        let checks = link(tier, vec![f]).bodies.remove(0).checks;
        let row = |check: mlir_backend::Check| (check.operation, check.operator, check.kind);
        checks.into_iter().map(row).collect::<Vec<_>>()
    };
    let checked = [
        (0, Mul, CheckKind::Overflow),
        (1, Div, CheckKind::ZeroDivisor),
        (1, Div, CheckKind::Overflow),
    ];
    assert_eq!(body(Tier::Checked), checked);
    assert_eq!(body(Tier::Wrapping), checked[1..2]);
}

#[test]
fn a_program_without_bodies_gives_nothing() {
    assert_eq!(link(Tier::Checked, vec![]), LinkableBodies::default());
    let ty = || tensor(ScalarType::F32, &[4]);
    let unchanged = operation("f", [ty()], |[a]| a);
    assert_eq!(
        link(Tier::Checked, vec![unchanged]),
        LinkableBodies::default()
    );
}

#[test]
fn the_same_program_gives_the_same_text() {
    assert_eq!(link(Tier::Checked, every_operation()), *CHECKED);
}

#[test]
fn entry_points_may_be_called_from_several_threads() {
    let expected: Vec<_> = numbers().map(text).collect();
    let texts = std::thread::scope(|scope| {
        let threads: Vec<_> = numbers()
            .map(|scalar| scope.spawn(move || text(scalar)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect::<Vec<_>>()
    });
    assert_eq!(texts, expected);
}

fn text(scalar: ScalarType) -> [String; 3] {
    let ty = || tensor(scalar, &[16, 16]);
    let f = operation("f", [ty(), ty()], |[a, b]| {
        binary(Add, binary(MatMul, a, b.clone()), b)
    });
    let program = program(Tier::Wrapping, [f]);
    [
        mlir_backend::lower_program(&program).unwrap(),
        mlir_backend::translate_to_llvm_ir(&program).unwrap(),
        lower_for_link(&program).unwrap().llvm_ir,
    ]
}

#[test]
fn there_are_no_gpu_bodies_yet() {
    let target = mlir_backend::GpuTarget::Nvidia {
        chip: "sm_90".into(),
    };
    let error = mlir_backend::lower_for_gpu(&program(Tier::Checked, []), &target).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("not yet"), "{message}");
}
