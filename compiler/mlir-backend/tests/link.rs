//! Linking: which bodies qualify, what they declare, and what their status words mean.

#[path = "support/operations.rs"]
mod operations;

use std::sync::LazyLock;

use ast_types::BinaryOp::{Add, Div, MatMul, Mul};
use mlir_backend::{CheckKind, LinkableBodies, lower_for_link};
use neuro_hir::build::{binary, operation, program};
use neuro_hir::{HirFunction, Tier};
use shared_types::ScalarType;

use operations::{every_operation, numbers, tensor};

fn link(tier: Tier, functions: Vec<HirFunction>) -> LinkableBodies {
    lower_for_link(&program(tier, functions)).unwrap()
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

/// LLVM would flush its subnormals on some processors.
#[test]
fn a_bf16_moves_as_its_bits() {
    let functions = every_operation();
    let functions = functions.into_iter();
    let of_bf16 = functions.filter(|function| function.name.starts_with("bf16"));
    let ir = link(Tier::Checked, of_bf16.collect()).llvm_ir;
    for line in ir.lines().filter(|line| line.contains("bfloat")) {
        // What a scalar operand is, and how far an element is from the next.
        let moves_nothing = ["define", "bitcast bfloat %", "getelementptr"];
        let fits = moves_nothing.iter().any(|part| line.contains(part));
        assert!(fits, "{line}");
    }
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

/// What checks nothing is compiled once and called under each name; a check is of its place.
#[test]
fn functions_that_are_the_same_share_their_code() {
    let sum = |name: &str, scalar, extent| {
        let ty = || tensor(scalar, &[extent]);
        operation(name, [ty(), ty()], |[a, b]| binary(Add, a, b))
    };
    let functions = [
        sum("a", ScalarType::F32, 4),
        sum("b", ScalarType::F32, 5),
        sum("c", ScalarType::F32, 4),
        sum("d", ScalarType::I32, 4),
        sum("e", ScalarType::I32, 4),
    ];
    let linked = link(Tier::Checked, functions.to_vec());
    let names: Vec<&str> = linked.bodies.iter().map(|b| b.function.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e"]);
    let calls: Vec<&str> = linked
        .llvm_ir
        .lines()
        .filter_map(|line| line.trim().strip_prefix("tail call void @__neuro_mlir_"))
        .map(|line| &line[..1])
        .collect();
    assert_eq!(calls, ["a"]);
    let wrapping = link(Tier::Wrapping, functions.to_vec()).llvm_ir;
    assert_eq!(wrapping.matches("tail call void @__neuro_mlir_").count(), 2);
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
