use super::*;

#[test]
fn bindings_have_the_types_of_values() {
    let bind = |pattern: fn(LocalId, LocalId) -> HirPattern, value: HirExpr, expected: &[&str]| {
        let mut f = FunctionBuilder::new("f", FunctionTarget::Host);
        for (name, ty) in parameters() {
            f.parameter(name, ty);
        }
        let first = f.declare("first", I32, false);
        let second = f.declare("second", F32, false);
        let pattern = pattern(first, second);
        f.push(HirStatementKind::Bind { pattern, value });
        assert_errors(&program(f.finish(None)), expected);
    };
    let one = |first, _| HirPattern::Local(first);
    let both = |first, second| HirPattern::Tuple(vec![first, second]);
    bind(one, p("i"), &[]);
    bind(one, p("x"), &["local `first` is of type `i32`, not `f32`"]);
    bind(both, p("pair"), &[]);
    bind(both, p("i"), &["the pattern is a tuple of 2, not `i32`"]);
    let swapped = |first, second| HirPattern::Tuple(vec![second, first]);
    bind(
        swapped,
        p("pair"),
        &["local `second` is of type `f32`, not `i32`"],
    );
}

#[test]
fn conditions_are_booleans() {
    let body = || build::block([], None);
    let while_ = |condition| HirStatementKind::While {
        condition,
        body: body(),
    };
    let if_ = |name| {
        let kind = HirExprKind::If {
            condition: boxed(name),
            then: body(),
            otherwise: None,
        };
        HirStatementKind::Expr(build::expr(kind, HirType::Void))
    };
    assert_statements([
        (while_(p("b")), VALID),
        (while_(p("i")), "a condition is a `bool`, not `i32`"),
        (if_("b"), VALID),
        (
            if_("b23"),
            "a condition is a `bool`, not `&Tensor<bool, [2, 3]>`",
        ),
    ]);
}

#[test]
fn loops_count_in_one_integer_type() {
    let count = |local: ScalarType, start: HirExpr, end: HirExpr, expected: &[&str]| {
        let mut f = host([]);
        f.locals.push(HirLocal {
            name: "k".into(),
            ty: local.into(),
            mutable: false,
            span: Span::default(),
        });
        let count = HirStatementKind::For {
            local: LocalId(f.locals.len() as u32 - 1),
            start,
            end,
            inclusive: false,
            body: build::block([], None),
        };
        f.body = build::block([count], None);
        assert_errors(&program(f), expected);
    };
    count(I32, p("i"), p("i"), &[]);
    count(
        I32,
        p("i"),
        p("j"),
        &["the local is of type `i32`, not `i64`"],
    );
    count(
        I64,
        p("i"),
        p("j"),
        &["the local is of type `i64`, not `i32`"],
    );
    count(
        F32,
        p("x"),
        p("x"),
        &["`for` counts in an integer type, not `f32`"],
    );
}

#[test]
fn assigned_values_have_the_type_of_the_place() {
    let element = || build::element(p("m23"), [p("i"), p("i")]);
    let assign = |place, value| HirStatementKind::Assign { place, value };
    let update = |op, place, value| HirStatementKind::CompoundAssign { op, place, value };
    let add = BinaryOp::Add;
    assert_statements([
        (assign(element(), p("x")), VALID),
        (
            assign(element(), p("i")),
            "the place is of type `f32`, not `i32`",
        ),
        (update(add, element(), p("x")), VALID),
        (
            update(add, element(), p("i")),
            "`+=` on `f32` takes no `i32`",
        ),
        (
            update(BinaryOp::And, element(), p("x")),
            "there is no `&&=`",
        ),
        (
            update(BinaryOp::MatMul, p("m23"), p("t23")),
            "there is no `@=`",
        ),
        (update(add, p("m23"), p("t23")), VALID),
        (update(add, p("m23"), p("t3")), VALID),
        (update(add, p("m23"), p("x")), VALID),
        (
            update(add, p("m23"), p("t34")),
            "`&Tensor<f32, [3, 4]>` does not broadcast to `&mut Tensor<f32, [2, 3]>`",
        ),
        (
            update(add, p("m23"), p("t?3")),
            "`&Tensor<f32, [?, 3]>` does not broadcast to `&mut Tensor<f32, [2, 3]>`",
        ),
        (
            update(add, element(), p("t3")),
            "`&Tensor<f32, [3]>` does not broadcast to `f32`",
        ),
    ]);
}

#[test]
fn only_mutable_places_are_written() {
    let assign = |place: HirExpr| {
        let value = stated(float(0.0, F32), place.ty.clone());
        HirStatementKind::Assign { place, value }
    };
    let element = |name| build::element(p(name), [p("i"), p("i")]);
    let update = |name| HirStatementKind::CompoundAssign {
        op: BinaryOp::Add,
        place: p(name),
        value: p("x"),
    };
    assert_statements([
        (assign(element("m23")), VALID),
        (
            assign(p("x")),
            "this cannot be written: `x` (local 6) is not mutable",
        ),
        (
            assign(element("t23")),
            "this cannot be written: it is behind a `&`",
        ),
        (
            assign(element("owned")),
            "this cannot be written: `owned` (local 12) is not mutable",
        ),
        (
            assign(binary(BinaryOp::Add, p("x"), p("x"))),
            "this cannot be written: it is not a place",
        ),
        (update("m23"), VALID),
        (update("t23"), "this cannot be written: it is behind a `&`"),
        (
            update("owned"),
            "this cannot be written: `owned` (local 12) is not mutable",
        ),
    ]);

    let mut f = FunctionBuilder::new("f", FunctionTarget::Host);
    let x = f.bind_mutable("x", float(0.0, F32));
    f.push(assign(x));
    let t = f.bind_mutable(
        "t",
        build::tensor(TensorOp::Fill(Fill::Ones), tensor(F32, &[2])),
    );
    f.push(assign(build::element(t.clone(), [integer(0, I32)])));
    f.push(HirStatementKind::CompoundAssign {
        op: BinaryOp::Div,
        place: t,
        value: float(2.0, F32),
    });
    assert_errors(&program(f.finish(None)), &[]);
}

#[test]
fn only_what_may_be_written_is_borrowed_mutably() {
    let fresh = build::tensor(TensorOp::Clone(boxed("t23")), tensor(F32, &[2, 3]));
    let reborrow = |name| {
        stated(
            borrow(true, p(name)),
            HirType::reference(true, tensor(F32, &[2, 3])),
        )
    };
    assert_exprs([
        (borrow(true, fresh), VALID),
        (reborrow("m23"), VALID),
        (
            reborrow("t23"),
            "this cannot be written: it is behind a `&`",
        ),
        (
            borrow(true, p("owned")),
            "this cannot be written: `owned` (local 12) is not mutable",
        ),
        (borrow(false, p("owned")), VALID),
    ]);
}
