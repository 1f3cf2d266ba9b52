use super::*;

/// Nests `wrap` until the deepest body that may pass, and one level more; a 2 MiB stack is enough.
#[track_caller]
fn assert_nests(leaf: HirExpr, nodes: usize, wrap: impl Fn(HirExpr) -> HirExpr) {
    // The block of the function is a level, and so is the leaf.
    let levels = (MAX_DEPTH - 2) / nodes;
    let nest = |levels| {
        let mut body = leaf.clone();
        for _ in 0..levels {
            body = wrap(body);
        }
        let mut function = FunctionBuilder::new("deep", FunctionTarget::Host);
        function.declare("x", ScalarType::I32, false);
        program(function.finish(Some(body)))
    };
    let deep = nest(levels);
    assert_eq!(deep.verify(), Ok(()));
    let too_deep = nest(levels + 1);
    assert_errors(&too_deep, &["the body nests deeper than 4096 levels"]);
}

fn number() -> HirExpr {
    build::integer(1, ScalarType::I32)
}

#[test]
fn operators_nest() {
    assert_nests(number(), 1, |inner| build::unary(UnaryOp::Neg, inner));
}

#[test]
fn operands_nest() {
    assert_nests(number(), 1, |inner| {
        build::binary(BinaryOp::Add, inner, number())
    });
}

#[test]
fn right_operands_nest() {
    let one = boolean(true);
    assert_nests(one.clone(), 1, |inner| {
        build::binary(BinaryOp::And, one.clone(), inner)
    });
}

#[test]
fn branches_nest() {
    assert_nests(number(), 2, |inner| {
        let kind = HirExprKind::If {
            condition: Box::new(boolean(true)),
            then: build::block([], Some(inner)),
            otherwise: Some(build::block([], Some(number()))),
        };
        build::expr(kind, ScalarType::I32)
    });
}

#[test]
fn loops_nest() {
    let void = build::expr(HirExprKind::Print(vec![]), HirType::Void);
    assert_nests(void, 5, |inner| {
        let body = build::block([HirStatementKind::Expr(inner)], None);
        let kind = HirStatementKind::While {
            condition: boolean(true),
            body,
        };
        build::expr(
            HirExprKind::Block(build::block([kind], None)),
            HirType::Void,
        )
    });
}

#[test]
fn closures_nest() {
    let void = build::expr(HirExprKind::Print(vec![]), HirType::Void);
    assert_nests(void, 5, |inner| {
        let signature = FunctionType {
            parameters: vec![],
            result: HirType::Void,
        };
        let closure = HirClosure {
            parameters: vec![],
            captures: vec![],
            signature: signature.clone(),
            body: build::block([], Some(inner)),
        };
        let ty = HirType::Function(Box::new(signature));
        let closure = build::expr(HirExprKind::Closure(closure), ty);
        let block = build::block([HirStatementKind::Expr(closure)], None);
        build::expr(HirExprKind::Block(block), HirType::Void)
    });
}

#[test]
fn types_nest() {
    let nest =
        |levels, leaf: HirType| (1..levels).fold(leaf, |ty, _| HirType::reference(false, ty));
    let function = |parameter: HirType, result: HirType| {
        let mut function = FunctionBuilder::new("f", FunctionTarget::Host);
        let parameter = function.parameter("x", parameter);
        let mut function = function.finish(Some(parameter));
        function.result = result;
        program(function)
    };
    let deep = |leaf: ScalarType| nest(MAX_DEPTH, leaf.into());
    let same = function(deep(ScalarType::I32), deep(ScalarType::I32));
    assert_eq!(same.verify(), Ok(()));
    let other = function(deep(ScalarType::I32), deep(ScalarType::F32));
    let errors = other.verify().unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    let deeper = nest(MAX_DEPTH + 1, ScalarType::I32.into());
    let deeper = function(deeper, HirType::Void);
    assert!(
        deeper.verify().unwrap_err()[0]
            .message
            .contains("a type nests deeper")
    );
}
