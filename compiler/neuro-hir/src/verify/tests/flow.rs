use super::*;

fn returns(value: HirExpr) -> HirStatementKind {
    HirStatementKind::Return(Some(value))
}

fn value(value: HirExpr) -> HirBlock {
    build::block([], Some(value))
}

fn choose(then: HirBlock, otherwise: Option<HirBlock>, ty: impl Into<HirType>) -> HirExpr {
    let kind = HirExprKind::If {
        condition: Box::new(boolean(true)),
        then,
        otherwise,
    };
    build::expr(kind, ty)
}

fn number() -> HirExpr {
    integer(1, I32)
}

/// A function with this body, which is to give an `i32`, breaks these rules.
#[track_caller]
fn assert_body(body: HirBlock, expected: &[&str]) {
    let mut f = FunctionBuilder::new("f", FunctionTarget::Host).finish(None);
    f.result = I32.into();
    f.body = body;
    assert_errors(&program(f), expected);
}

#[test]
fn bodies_give_their_result_or_leave() {
    let none = "the body gives `void`, not `i32`";
    let block = |statements: Vec<HirStatementKind>| build::block(statements, None);
    let endless = |statements: Vec<HirStatementKind>| HirStatementKind::Loop {
        body: build::block(statements, None),
    };
    let expr = HirStatementKind::Expr;
    let void = HirType::Void;
    assert_body(value(number()), &[]);
    assert_body(value(float(1.0, F32)), &["the body gives `f32`, not `i32`"]);
    assert_body(block(vec![]), &[none]);
    assert_body(block(vec![returns(number())]), &[]);
    assert_body(
        block(vec![returns(float(1.0, F32))]),
        &["`return` gives `f32`, not `i32`"],
    );
    assert_body(
        block(vec![HirStatementKind::Return(None)]),
        &["`return` gives `void`, not `i32`"],
    );
    assert_body(block(vec![endless(vec![])]), &[]);
    assert_body(block(vec![endless(vec![HirStatementKind::Break])]), &[none]);
    let inner = endless(vec![HirStatementKind::Break]);
    assert_body(block(vec![endless(vec![inner])]), &[]);
    let returning = || build::block([returns(number())], None);
    let both = choose(returning(), Some(returning()), void.clone());
    assert_body(block(vec![expr(both)]), &[]);
    let one = choose(returning(), Some(block(vec![])), void.clone());
    assert_body(block(vec![expr(one)]), &[none]);
    let one = choose(returning(), None, void.clone());
    assert_body(block(vec![expr(one)]), &[none]);
    let nested = build::expr(HirExprKind::Block(returning()), void);
    assert_body(block(vec![expr(nested)]), &[]);
    let right = build::expr(HirExprKind::Block(returning()), Bool);
    let maybe = binary(BinaryOp::And, boolean(true), right.clone());
    assert_body(block(vec![expr(maybe)]), &[none]);
    let always = binary(BinaryOp::And, right, boolean(true));
    assert_body(block(vec![expr(always)]), &[]);
    let while_ = HirStatementKind::While {
        condition: boolean(true),
        body: returning(),
    };
    assert_body(block(vec![while_]), &[none]);
}

#[test]
fn branches_give_their_type_or_leave() {
    let one = || value(number());
    let other = || value(float(1.0, F32));
    let returning = build::block([returns(number())], None);
    assert_body(value(choose(one(), Some(one()), I32)), &[]);
    assert_body(value(choose(one(), Some(returning.clone()), I32)), &[]);
    assert_body(
        value(choose(one(), Some(other()), I32)),
        &["the branch gives `f32`, not `i32`"],
    );
    assert_body(
        value(choose(one(), None, I32)),
        &["an `if` of type `i32` has no `else`"],
    );
    let block = build::expr(HirExprKind::Block(other()), I32);
    assert_body(value(block), &["the block gives `f32`, not `i32`"]);
    let body = HirStatementKind::Loop { body: one() };
    assert_body(
        build::block([body], None),
        &["a loop's body gives `i32`, not `void`"],
    );
}

#[test]
fn breaks_stand_in_loops() {
    let within = |statement| HirStatementKind::While {
        condition: boolean(true),
        body: build::block([statement], None),
    };
    assert_statements([
        (within(HirStatementKind::Break), VALID),
        (within(HirStatementKind::Continue), VALID),
        (HirStatementKind::Break, "`break` outside of a loop"),
        (HirStatementKind::Continue, "`continue` outside of a loop"),
    ]);
    let closure = HirClosure {
        parameters: vec![],
        captures: vec![],
        signature: FunctionType {
            parameters: vec![],
            result: HirType::Void,
        },
        body: build::block([HirStatementKind::Break], None),
    };
    let closure = build::expr(HirExprKind::Closure(closure), function([], HirType::Void));
    let expected = "`break` outside of a loop";
    assert_statements([(within(HirStatementKind::Expr(closure)), expected)]);
}

#[test]
fn locals_are_bound_before_they_are_read() {
    let early = |f: &mut FunctionBuilder| {
        let x = f.declare("x", I32, false);
        f.push(HirStatementKind::Expr(local(x, I32)));
        let pattern = HirPattern::Local(x);
        let value = number();
        f.push(HirStatementKind::Bind { pattern, value });
    };
    let itself = |f: &mut FunctionBuilder| {
        let x = f.declare("x", I32, false);
        let pattern = HirPattern::Local(x);
        let value = local(x, I32);
        f.push(HirStatementKind::Bind { pattern, value });
    };
    let leaked = |f: &mut FunctionBuilder| {
        let x = f.declare("x", I32, false);
        let pattern = HirPattern::Local(x);
        let value = number();
        let bind = HirStatementKind::Bind { pattern, value };
        let choice = choose(build::block([bind], None), None, HirType::Void);
        f.push(HirStatementKind::Expr(choice));
        f.push(HirStatementKind::Expr(local(x, I32)));
    };
    let counter = |f: &mut FunctionBuilder| {
        let x = f.declare("x", I32, false);
        f.push(HirStatementKind::For {
            local: x,
            start: number(),
            end: number(),
            inclusive: false,
            body: build::block([HirStatementKind::Expr(local(x, I32))], None),
        });
        f.push(HirStatementKind::Expr(local(x, I32)));
    };
    let unbound = "`x` (local 0) is not bound here";
    for case in [early, itself, leaked, counter] {
        let mut f = FunctionBuilder::new("f", FunctionTarget::Host);
        case(&mut f);
        assert_errors(&program(f.finish(None)), &[unbound]);
    }

    let mut f = FunctionBuilder::new("f", FunctionTarget::Host);
    f.bind("x", number());
    let pattern = HirPattern::Local(LocalId(0));
    let value = number();
    f.push(HirStatementKind::Bind { pattern, value });
    assert_errors(&program(f.finish(None)), &["`x` (local 0) is bound twice"]);
}

/// A closure `|x: i32| -> i32 { statement; value }` beside a `mut outer: i32` breaks these rules.
#[track_caller]
fn assert_closure(
    captures: &[LocalId],
    statement: Option<HirStatementKind>,
    value: HirExpr,
    expected: &[&str],
) {
    let mut f = FunctionBuilder::new("f", FunctionTarget::Host);
    f.bind_mutable("outer", number());
    let x = f.declare("x", I32, false);
    let closure = HirClosure {
        parameters: vec![x],
        captures: captures.to_vec(),
        signature: FunctionType {
            parameters: vec![I32.into()],
            result: I32.into(),
        },
        body: build::block(statement, Some(value)),
    };
    let ty = function([I32.into()], I32);
    let closure = build::expr(HirExprKind::Closure(closure), ty);
    f.push(HirStatementKind::Expr(closure));
    assert_errors(&program(f.finish(None)), expected);
}

#[test]
fn closures_list_what_they_read() {
    const OUTER: LocalId = LocalId(0);
    let outer = || local(OUTER, I32);
    let x = || local(LocalId(1), I32);
    let both = || binary(BinaryOp::Add, outer(), x());
    assert_closure(&[OUTER], None, both(), &[]);
    assert_closure(&[], None, x(), &[]);
    assert_closure(&[], Some(returns(x())), x(), &[]);
    assert_closure(
        &[],
        Some(returns(float(1.0, F32))),
        x(),
        &["`return` gives `f32`, not `i32`"],
    );
    assert_closure(&[], None, both(), &["`outer` (local 0) is not bound here"]);
    assert_closure(
        &[OUTER],
        None,
        x(),
        &["`outer` (local 0) is captured but not read"],
    );
    let twice = "`outer` (local 0) is captured twice";
    assert_closure(&[OUTER, OUTER], None, both(), &[twice]);
    let unbound = "`x` (local 1) is not bound here";
    assert_closure(&[LocalId(1)], None, x(), &[unbound]);
    let missing = "there is no local 7: the function has 2";
    assert_closure(&[LocalId(7)], None, x(), &[missing]);
    let assign = HirStatementKind::Assign {
        place: outer(),
        value: number(),
    };
    let copy = "this cannot be written: `outer` (local 0) is a captured copy";
    assert_closure(&[OUTER], Some(assign), x(), &[copy]);
}
