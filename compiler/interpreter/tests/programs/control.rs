//! Control flow, and how deep it may nest.

use ast_types::{BinaryOp, UnaryOp};
use interpreter::CALL_LIMIT;
use neuro_hir::build::{self, FunctionBuilder, binary, block, expr, integer, local, program};
use neuro_hir::{
    Callee, FunctionTarget, HirExpr, HirExprKind, HirFunction, HirStatementKind, HirType, Tier,
};
use shared_types::{Literal, ScalarType};
use tensor::Scalar;

use crate::{I32, add_assign, int, panic_text, run, scalar};

#[test]
fn loops_break_and_continue() {
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let sum = main.bind_mutable("sum", int(0));
    let index = main.declare("k", I32, false);
    let k = local(index, I32);
    let odd = binary(
        BinaryOp::Eq,
        binary(BinaryOp::Rem, k.clone(), int(2)),
        int(1),
    );
    let past = binary(BinaryOp::Gt, k.clone(), int(8));
    main.push(HirStatementKind::For {
        local: index,
        start: int(0),
        end: int(100),
        inclusive: false,
        body: block(
            [
                when(odd, HirStatementKind::Continue),
                when(past, HirStatementKind::Break),
                add_assign(&sum, k),
            ],
            None,
        ),
    });
    let below = binary(BinaryOp::Lt, sum.clone(), int(100));
    main.push(HirStatementKind::While {
        condition: below,
        body: block([add_assign(&sum, int(30))], None),
    });
    main.push(HirStatementKind::Loop {
        body: block([add_assign(&sum, int(1000)), HirStatementKind::Break], None),
    });
    let program = program(Tier::Checked, [main.finish(Some(sum))]);
    // 0 + 2 + 4 + 6 + 8, then 3 times 30, then 1000.
    assert_eq!(scalar(run(&program, &mut [])), Scalar::I32(1110));
}

#[test]
fn an_inclusive_range_may_end_at_the_last_value() {
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let count = main.bind_mutable("count", int(0));
    for (start, end, inclusive) in [(250, 255, true), (9, 3, true), (3, 3, false)] {
        let local = main.declare("k", ScalarType::U8, false);
        main.push(HirStatementKind::For {
            local,
            start: integer(start, ScalarType::U8),
            end: integer(end, ScalarType::U8),
            inclusive,
            body: block([add_assign(&count, int(1))], None),
        });
    }
    let program = program(Tier::Checked, [main.finish(Some(count))]);
    assert_eq!(scalar(run(&program, &mut [])), Scalar::I32(6));
}

#[test]
fn logic_stops_when_it_is_decided() {
    let fails = || {
        let zero_divisor = binary(BinaryOp::Div, int(1), int(0));
        binary(BinaryOp::Eq, zero_divisor, int(0))
    };
    let truth = |value| expr(HirExprKind::Literal(Literal::Bool(value)), ScalarType::Bool);
    let main = |body| {
        let main = FunctionBuilder::new("main", FunctionTarget::Host).finish(Some(body));
        program(Tier::Checked, [main])
    };
    let and = main(binary(BinaryOp::And, truth(false), fails()));
    assert_eq!(scalar(run(&and, &mut [])), Scalar::Bool(false));
    let or = main(binary(BinaryOp::Or, truth(true), fails()));
    assert_eq!(scalar(run(&or, &mut [])), Scalar::Bool(true));
    let both = main(binary(BinaryOp::And, truth(true), fails()));
    assert_eq!(
        panic_text(run(&both, &mut [])),
        "panic: division by zero in `/`"
    );
    let not = main(build::unary(UnaryOp::Not, truth(true)));
    assert_eq!(scalar(run(&not, &mut [])), Scalar::Bool(false));
}

/// `func sum_to(n: i32) -> i32 { if n == 0 { 0 } else { n + sum_to(n - 1) } }`
fn sum_to() -> HirFunction {
    let mut function = FunctionBuilder::new("sum_to", FunctionTarget::Host);
    let n = function.parameter("n", I32);
    let kind = HirExprKind::Call {
        callee: Callee::Function("sum_to".into()),
        arguments: vec![binary(BinaryOp::Sub, n.clone(), int(1))],
    };
    let rest = binary(BinaryOp::Add, n.clone(), expr(kind, I32));
    let zero = binary(BinaryOp::Eq, n, int(0));
    function.finish(Some(choose(zero, int(0), rest)))
}

#[test]
fn calls_nest_as_deep_as_the_limit() {
    let program = program(Tier::Checked, [sum_to()]);
    let sum = |n: i32| run(&program, &mut [Scalar::I32(n).into()]);
    assert_eq!(scalar(sum(100)), Scalar::I32(5050));
    let deepest = CALL_LIMIT as i32 - 1;
    assert_eq!(
        scalar(sum(deepest)),
        Scalar::I32(deepest * (deepest + 1) / 2)
    );
    assert_eq!(
        panic_text(sum(CALL_LIMIT as i32)),
        "panic: stack overflow: calls nest too deep"
    );
}

#[test]
fn calls_of_deep_expressions_stop_earlier() {
    let mut endless = FunctionBuilder::new("endless", FunctionTarget::Host);
    let x = endless.parameter("x", I32);
    let kind = HirExprKind::Call {
        callee: Callee::Function("endless".into()),
        arguments: vec![x],
    };
    let chain = (0..900).fold(expr(kind, I32), |sum, _| binary(BinaryOp::Add, sum, int(1)));
    let program = program(Tier::Wrapping, [endless.finish(Some(chain))]);
    assert_eq!(
        panic_text(run(&program, &mut [Scalar::I32(0).into()])),
        "panic: stack overflow: calls nest too deep"
    );
}

#[test]
fn deep_expressions_take_no_more_stack_than_there_is() {
    let chain = (0..4000).fold(int(0), |sum, _| binary(BinaryOp::Add, sum, int(1)));
    let main = FunctionBuilder::new("main", FunctionTarget::Host);
    let program = program(Tier::Checked, [main.finish(Some(chain))]);
    assert_eq!(scalar(run(&program, &mut [])), Scalar::I32(4000));
}

#[test]
fn deep_blocks_and_values_take_no_more_stack_than_there_is() {
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let inner = block([HirStatementKind::Break], None);
    let nested = (0..1000).fold(inner, |body, _| {
        block(
            [HirStatementKind::Loop { body }, HirStatementKind::Break],
            None,
        )
    });
    main.push(HirStatementKind::Loop { body: nested });
    let value = (0..1000).fold(int(7), |value, _| {
        let ty = HirType::Tuple(vec![value.ty.clone()]);
        expr(HirExprKind::Tuple(vec![value]), ty)
    });
    let value = main.bind("value", value);
    let mut member = value;
    for _ in 0..1000 {
        let ty = match &member.ty {
            HirType::Tuple(members) => members[0].clone(),
            other => panic!("{other}"),
        };
        let kind = HirExprKind::TupleMember {
            operand: Box::new(member),
            index: 0,
        };
        member = expr(kind, ty);
    }
    let program = program(Tier::Checked, [main.finish(Some(member))]);
    assert_eq!(scalar(run(&program, &mut [])), Scalar::I32(7));
}

fn when(condition: HirExpr, then: HirStatementKind) -> HirStatementKind {
    HirStatementKind::Expr(expr(
        HirExprKind::If {
            condition: Box::new(condition),
            then: block([then], None),
            otherwise: None,
        },
        HirType::Void,
    ))
}

fn choose(condition: HirExpr, then: HirExpr, otherwise: HirExpr) -> HirExpr {
    let ty = then.ty.clone();
    let kind = HirExprKind::If {
        condition: Box::new(condition),
        then: block([], Some(then)),
        otherwise: Some(block([], Some(otherwise))),
    };
    expr(kind, ty)
}
