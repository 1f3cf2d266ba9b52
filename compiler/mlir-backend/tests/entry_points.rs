//! The three entry points on one program: who defines what, by which name (backend specification,
//! §Entry points, §Linking into a compile).

use ast_types::BinaryOp::{Add, Div};
use mlir_backend::{
    Check, CheckKind, LinkableBodies, lower_for_link, lower_program, translate_to_llvm_ir,
};
use neuro_hir::build::{FunctionBuilder, binary, operation, program};
use neuro_hir::{FunctionTarget, HirFunction, HirProgram, TensorType, Tier};
use shared_types::{FileId, ScalarType, Span};

/// `x + x`, or `x / x` of a scalar.
fn function(name: &str, target: FunctionTarget) -> HirFunction {
    let is_scalar = target == FunctionTarget::Host;
    let mut function = FunctionBuilder::new(name, target);
    let value = match is_scalar {
        true => {
            let x = function.parameter("x", ScalarType::I32);
            binary(Div, x.clone(), x)
        }
        false => {
            let x = function.parameter("x", TensorType::new(ScalarType::F32, &[4]));
            binary(Add, x.clone(), x)
        }
    };
    function.finish(Some(value))
}

fn mixed() -> HirProgram {
    program(
        Tier::Checked,
        [
            function("scalar", FunctionTarget::Host),
            function("whole", FunctionTarget::HostOperation),
            function("only_gpu", FunctionTarget::Gpu { fallback: false }),
            function("either", FunctionTarget::Gpu { fallback: true }),
            function("follows__op0", FunctionTarget::FollowsOperands),
        ],
    )
}

/// What stands before the name on the lines that begin so.
fn named<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    text.lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with(start))
        .filter_map(|line| line.split('@').nth(1)?.split('(').next())
        .collect()
}

#[test]
fn the_whole_program_keeps_its_names() {
    let defined = ["whole", "only_gpu", "either", "follows__op0"];
    let mlir = lower_program(&mixed()).unwrap();
    assert_eq!(named(&mlir, "func.func @"), defined);
    assert_eq!(named(&mlir, "func.func private @"), ["scalar"]);
    let llvm = translate_to_llvm_ir(&mixed()).unwrap();
    assert_eq!(named(&llvm, "define "), defined);
    assert!(named(&llvm, "declare ").contains(&"scalar"));
}

#[test]
fn a_linked_module_has_the_host_bodies_under_their_symbols() {
    let linked = lower_for_link(&mixed()).unwrap();
    let pairs: Vec<(&str, &str)> = linked
        .bodies
        .iter()
        .map(|body| (body.function.as_str(), body.symbol.as_str()))
        .collect();
    let expected = [
        ("whole", "__neuro_mlir_whole"),
        ("either", "__neuro_mlir_either"),
        ("follows__op0", "__neuro_mlir_follows__op0"),
    ];
    assert_eq!(pairs, expected);
    let symbols = expected.map(|(_, symbol)| symbol);
    assert_eq!(named(&linked.llvm_ir, "define "), symbols);
    assert!(linked.bodies.iter().all(|body| body.checks.is_empty()));
    assert_eq!(named(&linked.llvm_ir, "declare "), [] as [&str; 0]);
}

#[test]
fn a_program_without_a_host_body_links_to_nothing() {
    let functions = [
        function("scalar", FunctionTarget::Host),
        function("only_gpu", FunctionTarget::Gpu { fallback: false }),
    ];
    let linked = lower_for_link(&program(Tier::Checked, functions)).unwrap();
    assert_eq!(linked, LinkableBodies::default());
}

#[test]
fn a_check_says_what_it_is_and_where() {
    let ty = || TensorType::new(ScalarType::I32, &[4]).into();
    let span = |start, end| Span::new(FileId(0), start, end);
    let body = operation("f", [ty(), ty()], |[a, b]| {
        let mut sum = binary(Add, a, b.clone());
        sum.span = span(10, 15);
        let mut quotient = binary(Div, sum, b);
        quotient.span = span(9, 20);
        quotient
    });
    let linked = lower_for_link(&program(Tier::Checked, [body])).unwrap();
    let check = |operation, operator, kind, span| Check {
        operation,
        operator,
        kind,
        span,
    };
    let expected = [
        check(0, Add, CheckKind::Overflow, span(10, 15)),
        check(1, Div, CheckKind::ZeroDivisor, span(9, 20)),
        check(1, Div, CheckKind::Overflow, span(9, 20)),
    ];
    assert_eq!(linked.bodies[0].checks, expected);
}
