//! Which bodies have a symbol, and what it takes (backend specification, §Linking into a compile).

use ast_types::BinaryOp::{self, Add, Div, MatMul, Mul};
use expect_test::expect;
use mlir_backend::internal::{Cause, LinkOptions, link, link_mlir};
use mlir_backend::lower_for_link;
use neuro_hir::build::{FunctionBuilder, binary, expr, operation, program, tensor};
use neuro_hir::{
    Extent, FunctionTarget, HirExpr, HirExprKind, HirFunction, HirStatementKind, HirType,
    SliceAxis, TensorOp, TensorType, Tier,
};
use shared_types::ScalarType::{self, Bool, Char, F32, I8, I32};
use shared_types::{FileId, Span};

fn of(scalar: ScalarType, extents: &[u64]) -> HirType {
    TensorType::new(scalar, extents).into()
}

fn symbols(functions: Vec<HirFunction>) -> Vec<String> {
    let linked = lower_for_link(&program(Tier::Checked, functions)).unwrap();
    linked.bodies.into_iter().map(|body| body.symbol).collect()
}

/// `func takes(a: &Tensor<f32, [2]>, b: TY) -> Tensor<f32, [2]> { a + a }`
fn takes(ty: HirType) -> HirFunction {
    let a = HirType::reference(false, of(F32, &[2]));
    operation("takes", [a, ty], |[a, _]| binary(Add, a.clone(), a))
}

#[test]
fn a_parameter_is_a_number_a_bool_or_a_static_tensor_of_them() {
    let numbers = ScalarType::ALL.into_iter().filter(|&scalar| scalar != Char);
    for scalar in numbers {
        let shared = |mutable| HirType::reference(mutable, of(scalar, &[2, 0]));
        for ty in [scalar.into(), of(scalar, &[]), shared(false), shared(true)] {
            assert_eq!(symbols(vec![takes(ty)]), ["__neuro_mlir_takes"]);
        }
    }
    let unknown = TensorType::with_extents(F32, [Extent::Static(2), Extent::Dynamic]);
    let nested = TensorType {
        element: Box::new(HirType::String),
        axes: vec![],
    };
    for ty in [
        Char.into(),
        of(Char, &[2]),
        unknown.clone().into(),
        HirType::reference(false, unknown.into()),
        nested.into(),
        HirType::String,
        HirType::Nominal("Layer".into()),
        HirType::Tuple(vec![of(F32, &[2])]),
        HirType::Void,
    ] {
        assert_eq!(symbols(vec![takes(ty)]), [""; 0]);
    }
}

#[test]
fn a_result_is_a_static_tensor_a_tuple_of_them_or_nothing() {
    let sum = |a: HirExpr| binary(Add, a.clone(), a);
    let tuple = |a: HirExpr| {
        let ty = HirType::Tuple(vec![a.ty.clone(), a.ty.clone()]);
        expr(HirExprKind::Tuple(vec![sum(a.clone()), sum(a)]), ty)
    };
    let mut nothing = FunctionBuilder::new("nothing", FunctionTarget::HostOperation);
    let place = nothing.parameter("t", HirType::reference(true, of(F32, &[2])));
    let value = place.clone();
    nothing.push(HirStatementKind::CompoundAssign {
        op: Mul,
        place,
        value,
    });
    let unknown = HirType::from(TensorType::with_extents(F32, [Extent::Dynamic]));
    let found = symbols(vec![
        operation("tensor", [of(F32, &[2])], |[a]| sum(a)),
        operation("tuple", [of(F32, &[2])], |[a]| tuple(a)),
        nothing.finish(None),
        operation("unknown", [unknown], |[a]| sum(a)),
        operation("nested", [of(F32, &[2])], |[a]| {
            let pair = tuple(a);
            let ty = HirType::Tuple(vec![pair.ty.clone()]);
            expr(HirExprKind::Tuple(vec![pair]), ty)
        }),
        operation("chars", [Char.into()], |[c]| {
            tensor(TensorOp::Scalar(Box::new(c)), of(Char, &[]))
        }),
    ]);
    assert_eq!(
        found,
        [
            "__neuro_mlir_tensor",
            "__neuro_mlir_tuple",
            "__neuro_mlir_nothing"
        ]
    );
}

#[test]
fn only_operations_and_functions_that_may_run_on_the_host_have_one() {
    let of_target = |(at, target)| HirFunction {
        target,
        ..operation(&format!("f{at}"), [of(F32, &[2])], |[a]| {
            binary(Add, a.clone(), a)
        })
    };
    let targets = [
        FunctionTarget::Host,
        FunctionTarget::HostOperation,
        FunctionTarget::FollowsOperands,
        FunctionTarget::Gpu { fallback: false },
        FunctionTarget::Gpu { fallback: true },
        FunctionTarget::Kernel { threads: vec![1] },
    ];
    let functions = targets.into_iter().enumerate().map(of_target).collect();
    assert_eq!(
        symbols(functions),
        ["__neuro_mlir_f1", "__neuro_mlir_f2", "__neuro_mlir_f4"]
    );
}

/// Operands as exploded descriptors and scalars, the status word where something is checked, then
/// the results. What has a result only reads its operands.
#[test]
fn a_symbol_takes_operands_then_the_status_word_then_results() {
    let checked = operation("checked", [of(I8, &[2, 3]), I8.into()], |[a, s]| {
        binary(Mul, a, s)
    });
    let plain = operation("plain", [of(F32, &[]), of(Bool, &[4])], |[a, _]| {
        binary(Mul, a.clone(), a)
    });
    let mut update = FunctionBuilder::new("update", FunctionTarget::HostOperation);
    let value = update.parameter("v", of(I32, &[]));
    let place = update.parameter("t", HirType::reference(true, of(I32, &[2])));
    update.push(HirStatementKind::CompoundAssign {
        op: Add,
        place,
        value,
    });
    let program = program(Tier::Checked, [checked, plain, update.finish(None)]);
    let linked = lower_for_link(&program).unwrap().llvm_ir;
    let defined = linked
        .lines()
        .filter_map(|line| line.strip_prefix("define ")?.strip_suffix(" {"));
    expect![[r#"
        void @__neuro_mlir_checked(ptr noalias %0, ptr noalias %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i8 %7, ptr noalias %8, ptr noalias %9, i64 %10, ptr noalias %11, ptr noalias %12, i64 %13, i64 %14, i64 %15, i64 %16, i64 %17)
        void @__neuro_mlir_plain(ptr noalias %0, ptr noalias %1, i64 %2, ptr noalias %3, ptr noalias %4, i64 %5, i64 %6, i64 %7, ptr noalias %8, ptr noalias %9, i64 %10)
        void @__neuro_mlir_update(ptr %0, ptr %1, i64 %2, ptr %3, ptr %4, i64 %5, i64 %6, i64 %7, ptr %8, ptr %9, i64 %10)
    "#]]
    .assert_eq(&defined.map(|line| format!("{line}\n")).collect::<String>());
}

/// The same list with its kinds: what a caller needs to know of the symbol.
#[test]
fn a_body_says_what_its_symbol_takes() {
    let borrowed = HirType::reference(false, of(F32, &[2, 3]));
    let row = operation("row", [borrowed, ScalarType::I64.into()], |[a, at]| {
        let rest = SliceAxis::Range {
            start: 0,
            extent: 3,
            reversed: false,
        };
        let slice = TensorOp::Slice {
            tensor: Box::new(a),
            axes: vec![SliceAxis::Position(at), rest],
        };
        tensor(slice, of(F32, &[3]))
    });
    let divide = operation("divide", [of(I8, &[]), I8.into()], |[a, s]| {
        binary(Div, a, s)
    });
    let mut update = FunctionBuilder::new("update", FunctionTarget::HostOperation);
    let place = update.parameter("t", HirType::reference(true, of(I32, &[2])));
    let value = update.parameter("v", of(I32, &[]));
    update.push(HirStatementKind::CompoundAssign {
        op: Add,
        place,
        value,
    });
    let program = program(Tier::Wrapping, [row, divide, update.finish(None)]);
    assert_eq!(program.verify(), Ok(()));
    let bodies = lower_for_link(&program).unwrap().bodies;
    let lines = bodies.iter().map(|body| {
        let parameters = body.parameters.iter().map(|one| format!("\n    {one:?}"));
        format!("{}{}\n", body.symbol, parameters.collect::<String>())
    });
    expect![[r#"
        __neuro_mlir_row
            Operand { scalar: F32, shape: [2, 3], owned: false }
            Position { scalar: I64, extent: 2 }
            Result { scalar: F32, shape: [3] }
        __neuro_mlir_divide
            Operand { scalar: I8, shape: [], owned: true }
            Scalar(I8)
            Status
            Result { scalar: I8, shape: [] }
        __neuro_mlir_update
            Target { scalar: I32, shape: [2] }
            Operand { scalar: I32, shape: [], owned: true }
    "#]]
    .assert_eq(&lines.collect::<String>());
}

#[test]
fn what_a_body_allocates_it_frees() {
    let square = || of(F32, &[8, 8]);
    let chain = operation("f", [square(), square()], |[a, b]| {
        let product = binary(MatMul, a, b.clone());
        binary(MatMul, binary(Add, product, b.clone()), b)
    });
    let ir = lower_for_link(&program(Tier::Wrapping, [chain]))
        .unwrap()
        .llvm_ir;
    let count = |callee: &str| ir.matches(callee).count();
    assert!(count("call ptr @malloc(") > 0, "{ir}");
    assert_eq!(count("call ptr @malloc("), count("call void @free("));
}

/// `count` operations in a chain, on tensors of one element.
fn chain(name: &str, scalar: ScalarType, op: BinaryOp, count: usize) -> HirFunction {
    let mut function = FunctionBuilder::new(name, FunctionTarget::HostOperation);
    let a = function.parameter("a", of(scalar, &[]));
    let step = |last, at: usize| {
        let mut value = binary(op, last, a.clone());
        value.span = Span::new(FileId(0), at as u32, at as u32 + 1);
        value
    };
    let mut last = a.clone();
    for at in 1..count {
        last = function.bind("x", step(last, at));
    }
    function.finish(Some(step(last, count)))
}

/// A body past a limit of the status word has no symbol (numerics, §Integer checks).
#[test]
fn a_body_past_a_limit_has_no_symbol() {
    let sum = |name: &str, scalar, extents: [u64; 2]| {
        let rows = of(scalar, &[extents[0], 1]);
        operation(name, [rows, of(scalar, &[extents[1]])], |[a, b]| {
            binary(Add, a, b)
        })
    };
    let refused = |tier, function: HirFunction| {
        let linked = link(&program(tier, [function]), &LinkOptions::default()).unwrap();
        let refused = linked.refused.into_iter().next().map(|refused| {
            assert_eq!(refused.cause, Cause::Limit);
            let at = refused.function.span.start;
            format!("{at}: {}", refused.function.reason)
        });
        assert_eq!(refused.is_none(), linked.bodies.len() == 1);
        refused.unwrap_or_default()
    };
    let positions = "0: a checked operation of more than 2^40 positions";
    let checks = "2048: a body of more than 4,095 checks";
    let operations = "4096: a body with checks and over 4,095 operations";
    let past = [1 << 20, (1 << 20) + 1];
    for (tier, function, expected) in [
        (Tier::Checked, chain("checks", I8, Div, 2048), checks),
        (Tier::Checked, chain("integers", I8, Add, 4096), operations),
        (Tier::Checked, sum("most", I8, [1 << 20; 2]), ""),
        (Tier::Checked, sum("more", I8, past), positions),
        (Tier::Wrapping, sum("wrapping", I8, past), ""),
        (Tier::Checked, sum("unchecked", F32, past), ""),
    ] {
        let name = function.name.clone();
        assert_eq!(refused(tier, function), expected, "{name}");
    }
}

/// Before the passes, which take long over a body of this size in a debug build.
#[test]
fn a_body_at_the_limits_is_lowered() {
    let all = chain("all", I8, Add, 4095);
    let text = link_mlir(&program(Tier::Checked, [all])).unwrap();
    assert_eq!(text.matches("llvm.intr.sadd.with.overflow").count(), 4095);
    // What checks nothing has no status word, and no limit.
    for (tier, scalar, addition) in [
        (Tier::Wrapping, I8, "arith.addi"),
        (Tier::Checked, F32, "arith.addf"),
    ] {
        let all = chain("all", scalar, Add, 4097);
        let text = link_mlir(&program(tier, [all])).unwrap();
        assert_eq!(text.matches(addition).count(), 4097);
    }
}
