//! What is read and written where it is kept.

use ast_types::BinaryOp;
use interpreter::Value;
use neuro_hir::build::{
    self, FunctionBuilder, binary, borrow, call, element, expr, local, program,
};
use neuro_hir::{
    FunctionTarget, HirExprKind, HirField, HirItem, HirPattern, HirStatementKind, HirStruct,
    HirType, TensorOp, Tier,
};
use shared_types::Span;
use tensor::{Scalar, Tensor};

use crate::{I32, add_assign, assign, i32s, int, run, scalar, tensor_of};

#[test]
fn a_callee_writes_through_a_reference() {
    // func bump(t: &mut Tensor, k: i32) { t[k] = t[k] + 1; t += t }
    let mut bump = FunctionBuilder::new("bump", FunctionTarget::Host);
    let t = bump.parameter("t", HirType::reference(true, i32s(&[3]).into()));
    let k = bump.parameter("k", I32);
    let at = element(t.clone(), [k]);
    bump.push(assign(&at, binary(BinaryOp::Add, at.clone(), int(1))));
    bump.push(add_assign(&t, t.clone()));
    let bump = bump.finish(None);
    // func main() -> Tensor { mut t = [..]; val r = &mut t; bump(r, 2); bump(&mut t, 0); t }
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let literal = build::tensor(TensorOp::Literal(vec![int(1), int(2), int(3)]), i32s(&[3]));
    let t = main.bind_mutable("t", literal);
    let r = main.bind("r", borrow(true, t.clone()));
    main.push(HirStatementKind::Expr(call(&bump, [r, int(2)])));
    main.push(HirStatementKind::Expr(call(
        &bump,
        [borrow(true, t.clone()), int(0)],
    )));
    let main = main.finish(Some(t));
    let program = program(Tier::Checked, [bump, main]);
    let result = tensor_of(&run(&program, &mut []).unwrap());
    assert_eq!(result.as_slice::<i32>().unwrap(), [6, 8, 16]);
}

#[test]
fn an_argument_by_mutable_reference_is_given_back() {
    let mut set = FunctionBuilder::new("set", FunctionTarget::Host);
    let x = set.parameter("x", HirType::reference(true, i32s(&[2]).into()));
    set.push(assign(&element(x, [int(1)]), int(7)));
    let program = program(Tier::Checked, [set.finish(None)]);
    let kept = Tensor::from_slice(&[2], &[1, 2]).unwrap();
    let mut arguments = [Value::from(kept.clone())];
    run(&program, &mut arguments).unwrap();
    assert_eq!(tensor_of(&arguments[0]).as_slice::<i32>().unwrap(), [1, 7]);
    assert_eq!(kept.as_slice::<i32>().unwrap(), [1, 2]);
}

#[test]
fn structs_and_tuples_have_places() {
    let pair = HirType::Nominal("Pair".into());
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let fields = vec![
        int(1),
        expr(
            HirExprKind::Tuple(vec![int(2), int(3)]),
            HirType::Tuple(vec![I32.into(), I32.into()]),
        ),
    ];
    let value = expr(HirExprKind::Struct(fields), pair.clone());
    let p = main.bind_mutable("p", value);
    let both = expr(
        HirExprKind::Field {
            operand: Box::new(p.clone()),
            name: "both".into(),
        },
        HirType::Tuple(vec![I32.into(), I32.into()]),
    );
    let second = expr(
        HirExprKind::TupleMember {
            operand: Box::new(both.clone()),
            index: 1,
        },
        I32,
    );
    main.push(add_assign(&second, int(40)));
    let a = main.declare("a", I32, false);
    let b = main.declare("b", I32, false);
    main.push(HirStatementKind::Bind {
        pattern: HirPattern::Tuple(vec![a, b]),
        value: both,
    });
    let sum = binary(BinaryOp::Add, local(a, I32), local(b, I32));
    let mut program = program(Tier::Checked, [main.finish(Some(sum))]);
    program.items.push(HirItem::Struct(HirStruct {
        name: "Pair".into(),
        fields: vec![
            HirField {
                name: "one".into(),
                ty: I32.into(),
            },
            HirField {
                name: "both".into(),
                ty: HirType::Tuple(vec![I32.into(), I32.into()]),
            },
        ],
        span: Span::default(),
    }));
    assert_eq!(scalar(run(&program, &mut [])), Scalar::I32(45));
}
