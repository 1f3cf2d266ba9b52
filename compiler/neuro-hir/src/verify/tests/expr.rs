use super::*;

fn call(callee: Callee, arguments: Vec<HirExpr>, ty: impl Into<HirType>) -> HirExpr {
    build::expr(HirExprKind::Call { callee, arguments }, ty)
}

fn cast(name: &str, to: ScalarType) -> HirExpr {
    build::expr(HirExprKind::Cast(boxed(name)), to)
}

#[test]
fn literals_fit_their_types() {
    let literal = |value, ty: HirType| build::expr(HirExprKind::Literal(value), ty);
    let text = || Literal::String("a".into());
    assert_exprs([
        (integer(255, U8), VALID),
        (integer(256, U8), "`u8` does not hold the literal 256"),
        (integer(-128, I8), VALID),
        (integer(-129, I8), "`i8` does not hold the literal -129"),
        (integer(1, F32), "`f32` does not hold the literal 1"),
        (float(0.1, F64), VALID),
        (float(0.1, F32), "`f32` does not hold the literal 0.1"),
        (float(2049.0, F16), "`f16` does not hold the literal 2049.0"),
        (float(1.0, I32), "`i32` does not hold the literal 1.0"),
        (literal(Literal::Char('x'), Char.into()), VALID),
        (
            literal(Literal::Char('x'), I32.into()),
            "`i32` does not hold the literal 'x'",
        ),
        (literal(text(), HirType::String), VALID),
        (
            literal(text(), Char.into()),
            "`char` does not hold the literal \"a\"",
        ),
        (
            literal(Literal::Bool(true), U8.into()),
            "`u8` does not hold the literal true",
        ),
    ]);
}

#[test]
fn locals_are_there_and_of_their_types() {
    assert_exprs([
        (p("i"), VALID),
        (stated(p("i"), I64), "this is of type `i32`, not `i64`"),
        (
            local(LocalId(99), I32),
            "there is no local 99: the function has 24",
        ),
    ]);
}

#[test]
fn unary_operators_take_what_they_apply_to() {
    assert_exprs([
        (unary(UnaryOp::Neg, p("i")), VALID),
        (unary(UnaryOp::Neg, p("rx")), VALID),
        (unary(UnaryOp::Neg, p("t23")), VALID),
        (unary(UnaryOp::Neg, p("u")), "`-` does not apply to `u8`"),
        (
            unary(UnaryOp::Neg, p("u23")),
            "`-` does not apply to `&Tensor<u8, [2, 3]>`",
        ),
        (unary(UnaryOp::Neg, p("b")), "`-` does not apply to `bool`"),
        (unary(UnaryOp::Not, p("b")), VALID),
        (unary(UnaryOp::Not, p("i")), "`!` does not apply to `i32`"),
        (
            unary(UnaryOp::Not, p("b23")),
            "`!` does not apply to `&Tensor<bool, [2, 3]>`",
        ),
    ]);
}

#[test]
fn binary_operators_take_what_they_apply_to() {
    let differ = "`+` does not apply to `i32` and `i64`: their elements differ";
    let booleans = "`+` does not apply to `bool` and `bool`";
    let ordered = "`<` does not apply to `bool` and `bool`";
    let compared = "`==` does not apply to `&Tensor<f32, [2, 3]>` and `&Tensor<f32, [2, 3]>`";
    assert_exprs([
        (binary(BinaryOp::Add, p("i"), p("i")), VALID),
        (binary(BinaryOp::Rem, p("x"), p("rx")), VALID),
        (binary(BinaryOp::Add, p("i"), p("j")), differ),
        (binary(BinaryOp::Add, p("b"), p("b")), booleans),
        (
            stated(binary(BinaryOp::Add, p("i"), p("i")), I64),
            "this is of type `i32`, not `i64`",
        ),
        (binary(BinaryOp::Eq, p("b"), p("b")), VALID),
        (binary(BinaryOp::Le, p("c"), p("c")), VALID),
        (binary(BinaryOp::Lt, p("b"), p("b")), ordered),
        (
            stated(binary(BinaryOp::Lt, p("i"), p("i")), I32),
            "this is of type `bool`, not `i32`",
        ),
        (binary(BinaryOp::Eq, p("t23"), p("t23")), compared),
        (binary(BinaryOp::And, p("b"), p("b")), VALID),
        (
            binary(BinaryOp::Or, p("i"), p("i")),
            "`||` does not apply to `i32` and `i32`",
        ),
    ]);
}

#[test]
fn element_wise_shapes_broadcast() {
    let shapes = "the shapes of `&Tensor<f32, [2, 3]>` and `&Tensor<f32, [3, 4]>` do not agree \
                  for `+`";
    let elements = "`+` does not apply to `&Tensor<f32, [2, 3]>` and `i32`: their elements differ";
    let unknown = "the shapes of `&Tensor<f32, [2, 3]>` and `&Tensor<f32, [?, 3]>` do not agree \
                   for `-`";
    let result = "this is of type `Tensor<f32, [2, 3]>`, not `Tensor<f32, [3]>`";
    assert_exprs([
        (binary(BinaryOp::Add, p("t23"), p("owned")), VALID),
        (binary(BinaryOp::Add, p("t3"), p("t23")), VALID),
        (binary(BinaryOp::Mul, p("x"), p("t23")), VALID),
        (binary(BinaryOp::Add, p("t23"), p("t34")), shapes),
        (binary(BinaryOp::Add, p("t23"), p("i")), elements),
        (
            stated(binary(BinaryOp::Add, p("t23"), p("t3")), tensor(F32, &[3])),
            result,
        ),
        (binary(BinaryOp::Sub, p("t?3"), p("t?3")), VALID),
        (binary(BinaryOp::Sub, p("t?3"), p("t3")), VALID),
        (binary(BinaryOp::Sub, p("t23"), p("t?3")), unknown),
    ]);
}

#[test]
fn products_contract_matrices() {
    let shapes = "the shapes of `&Tensor<f32, [2, 3]>` and `&Tensor<f32, [2, 3]>` do not agree \
                  for `@`";
    assert_exprs([
        (binary(BinaryOp::MatMul, p("t23"), p("t34")), VALID),
        (binary(BinaryOp::MatMul, p("t?3"), p("t34")), VALID),
        (binary(BinaryOp::MatMul, p("t23"), p("t23")), shapes),
        (
            binary(BinaryOp::MatMul, p("b23"), p("b23")),
            "`@` does not apply to `&Tensor<bool, [2, 3]>` and `&Tensor<bool, [2, 3]>`",
        ),
        (
            binary(BinaryOp::MatMul, p("x"), p("x")),
            "the shapes of `f32` and `f32` do not agree for `@`",
        ),
    ]);
}

#[test]
fn casts_are_between_scalars() {
    assert_exprs([
        (cast("i", U8), VALID),
        (cast("x", I32), VALID),
        (cast("b", I32), VALID),
        (cast("c", I64), VALID),
        (cast("u", Char), VALID),
        (cast("b", Bool), VALID),
        (cast("i", Bool), "`i32` does not cast to `bool`"),
        (cast("b", F32), "`bool` does not cast to `f32`"),
        (cast("i", Char), "`i32` does not cast to `char`"),
        (
            cast("t23", F64),
            "`&Tensor<f32, [2, 3]>` does not cast to `f64`",
        ),
    ]);
}

#[test]
fn mathematics_takes_floats() {
    let exponent = "`pow` of `&Tensor<f32, [2, 3]>` takes no `f16`";
    let shapes = "the shapes of `Tensor<f32, [2, 3]>` and `Tensor<f32, [3, 4]>` do not agree for \
                  `pow`";
    assert_exprs([
        (build::math(MathFunction::Exp, p("h")), VALID),
        (build::math(MathFunction::Abs, p("t23")), VALID),
        (
            build::math(MathFunction::Abs, p("i")),
            "`abs` takes floats, not `i32`",
        ),
        (
            build::math(MathFunction::Sign, p("i23")),
            "`sign` takes floats, not `&Tensor<i32, [2, 3]>`",
        ),
        (build::pow(p("x"), p("x")), VALID),
        (build::pow(p("t23"), p("x")), VALID),
        (build::pow(p("t23"), p("t3")), VALID),
        (build::pow(p("t23"), p("h")), exponent),
        (build::pow(p("t23"), p("t34")), shapes),
        (build::pow(p("i"), p("i")), "`pow` takes floats, not `i32`"),
        (
            stated(build::pow(p("x"), p("t3")), F32),
            "`pow` of a scalar takes a scalar",
        ),
    ]);
}

#[test]
fn calls_match_signatures() {
    let mut callee = FunctionBuilder::new("g", FunctionTarget::Host);
    callee.parameter("a", reference(F32, &[2, 3]));
    let value = callee.parameter("n", I32);
    let callee = callee.finish(Some(value));
    let kernel = {
        let mut kernel = FunctionBuilder::new("k", FunctionTarget::Kernel { threads: vec![1] });
        kernel.parameter("out", HirType::reference(true, tensor(F32, &[2, 3])));
        kernel.finish(None)
    };
    let named = {
        let mut ty = TensorType::new(F32, &[2, 3]);
        ty.axes[0].name = Some("rows".into());
        stated(
            borrow(false, p("owned")),
            HirType::reference(false, ty.into()),
        )
    };
    let assert = |expr: HirExpr, expected: &[&str]| {
        let caller = host([HirStatementKind::Expr(expr)]);
        let functions = [callee.clone(), kernel.clone(), caller];
        assert_errors(&build::program(Tier::Checked, functions), expected);
    };
    assert(build::call(&callee, [p("t23"), p("i")]), &[]);
    assert(build::call(&callee, [p("m23"), p("i")]), &[]);
    assert(build::call(&callee, [named, p("i")]), &[]);
    assert(build::call(&kernel, [p("m23")]), &[]);
    assert(
        build::call(&kernel, [p("t23")]),
        &["parameter 0 of `k` is of type `&mut Tensor<f32, [2, 3]>`, not `&Tensor<f32, [2, 3]>`"],
    );
    assert(
        build::call(&callee, [p("t23")]),
        &["`g` takes 2 arguments, not 1"],
    );
    assert(
        build::call(&callee, [p("owned"), p("i")]),
        &["parameter 0 of `g` is of type `&Tensor<f32, [2, 3]>`, not `Tensor<f32, [2, 3]>`"],
    );
    assert(
        build::call(&callee, [p("t23"), p("j")]),
        &["parameter 1 of `g` is of type `i32`, not `i64`"],
    );
    assert(
        stated(build::call(&callee, [p("t23"), p("i")]), I64),
        &["this is of type `i32`, not `i64`"],
    );
    let value = build::expr(HirExprKind::Function("k".into()), I32);
    assert(value, &["kernel `k` is launched by name only"]);
    let signature = function([reference(F32, &[2, 3]), I32.into()], I32);
    assert(
        build::expr(HirExprKind::Function("g".into()), signature),
        &[],
    );
}

#[test]
fn calls_name_what_is_there() {
    let value = |name| Callee::Value(boxed(name));
    let method = Callee::Method {
        owner: "A".into(),
        name: "m".into(),
    };
    assert_exprs([
        (call(value("f32f32"), vec![p("x")], F32), VALID),
        (
            call(value("f32f32"), vec![], F32),
            "the function takes 1 arguments, not 0",
        ),
        (call(value("x"), vec![], F32), "`f32` cannot be called"),
        (
            call(Callee::Function("g".into()), vec![], F32),
            "there is no function `g`",
        ),
        (call(method, vec![], F32), "`A` has no method `m`"),
        (
            build::expr(HirExprKind::Constant("K".into()), F32),
            "there is no constant `K`",
        ),
        (
            build::expr(HirExprKind::Function("g".into()), F32),
            "there is no function `g`",
        ),
    ]);
}

#[test]
fn borrows_have_reference_types() {
    let of = |mutable, name: &str, ty: HirType| stated(borrow(mutable, p(name)), ty);
    let owned = "this is of type `&Tensor<f32, [2, 3]>`, not `Tensor<f32, [2, 3]>`";
    let twice = HirType::reference(false, reference(F32, &[2, 3]));
    assert_exprs([
        (borrow(false, p("owned")), VALID),
        (of(false, "owned", tensor(F32, &[2, 3])), owned),
        (of(false, "t23", twice), VALID),
        (of(false, "t23", reference(F32, &[2, 3])), VALID),
        (of(false, "m23", reference(F32, &[2, 3])), VALID),
        (
            of(true, "m23", HirType::reference(true, tensor(F32, &[2, 3]))),
            VALID,
        ),
    ]);
}

#[test]
fn tuples_and_print_take_their_members() {
    let member = |name, index, ty: ScalarType| {
        let operand = boxed(name);
        build::expr(HirExprKind::TupleMember { operand, index }, ty)
    };
    let tuple = HirExprKind::Tuple(vec![p("i"), p("x")]);
    let print = |name| build::expr(HirExprKind::Print(vec![p(name)]), HirType::Void);
    assert_exprs([
        (build::expr(tuple.clone(), p("pair").ty), VALID),
        (
            build::expr(tuple, I32),
            "this is of type `(i32, f32)`, not `i32`",
        ),
        (member("pair", 1, F32), VALID),
        (member("pair", 2, F32), "`(i32, f32)` has no member 2"),
        (member("i", 0, I32), "`i32` has no member 0"),
        (print("t23"), VALID),
        (print("s"), VALID),
        (print("pair"), "`(i32, f32)` cannot be printed"),
    ]);
}

#[test]
fn grid_indices_stand_in_kernels_and_checked_positions_in_host_code() {
    let index = |axis| {
        let of = GridIndex::Block;
        build::expr(HirExprKind::GridIndex { of, axis }, I64)
    };
    let position = |position| {
        let kind = HirExprKind::CheckedPosition {
            position,
            axis: 0,
            extent: 4,
        };
        build::expr(kind, I64)
    };
    assert_exprs([
        (index(0), "`block_id` stands in a kernel only"),
        (index(3), "`block_id` has 3 axes: there is no axis 3"),
        (position(boxed("u")), VALID),
        (position(boxed("x")), "an index is an integer, not `f32`"),
    ]);
    let mut kernel = FunctionBuilder::new("k", FunctionTarget::Kernel { threads: vec![1] });
    kernel.parameter("out", HirType::reference(true, tensor(F32, &[4])));
    kernel.bind("at", index(2));
    kernel.bind("checked", position(Box::new(integer(0, I32))));
    let expected = ["a position is checked in host code only"];
    assert_errors(&program(kernel.finish(None)), &expected);
}

#[test]
fn closures_have_the_types_of_their_signatures() {
    let closure = |parameters: [HirType; 1], result: ScalarType| {
        let mut f = FunctionBuilder::new("f", FunctionTarget::Host);
        let x = f.declare("x", F32, false);
        let ty = function(parameters.clone(), result);
        let closure = HirClosure {
            parameters: vec![x],
            captures: vec![],
            signature: FunctionType {
                parameters: parameters.to_vec(),
                result: result.into(),
            },
            body: build::block([], Some(local(x, F32))),
        };
        f.bind("g", build::expr(HirExprKind::Closure(closure), ty));
        program(f.finish(None))
    };
    assert_errors(&closure([F32.into()], F32), &[]);
    assert_errors(
        &closure([F64.into()], F32),
        &["parameter `x` is of type `f32`, not `f64`"],
    );
    assert_errors(
        &closure([F32.into()], F64),
        &["the closure gives `f32`, not `f64`"],
    );
}
