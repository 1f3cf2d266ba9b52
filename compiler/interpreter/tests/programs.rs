//! Whole programs: control flow, references, calls, closures, what a host sees.

use ast_types::{BinaryOp, UnaryOp};
use interpreter::{CALL_LIMIT, Failure, Host, HostError, Interpreter, Value};
use neuro_hir::build::{
    self, FunctionBuilder, binary, block, borrow, call, element, expr, float, integer, local,
    operation, program,
};
use neuro_hir::{
    Callee, FunctionTarget, FunctionType, HirBlock, HirClosure, HirExpr, HirExprKind, HirField,
    HirFunction, HirItem, HirPattern, HirProgram, HirStatementKind, HirStruct, HirType, TensorOp,
    TensorType, Tier,
};
use shared_types::{Literal, ScalarType, Span};
use tensor::{Scalar, Tensor};

/// Keeps what is printed, and runs nothing itself.
#[derive(Default)]
struct Output(Vec<String>);

impl Host for Output {
    fn print(&mut self, line: &str) -> Result<(), HostError> {
        self.0.push(line.to_string());
        Ok(())
    }
}

const I32: ScalarType = ScalarType::I32;

fn int(value: i128) -> HirExpr {
    integer(value, I32)
}

fn i32s(shape: &[u64]) -> TensorType {
    TensorType::new(I32, shape)
}

/// Runs the last function of a program that the verifier accepts.
fn run<'p>(program: &'p HirProgram, arguments: &mut [Value<'p>]) -> Result<Value<'p>, Failure> {
    run_on(&mut Output::default(), program, arguments)
}

fn run_on<'p>(
    host: &mut dyn Host,
    program: &'p HirProgram,
    arguments: &mut [Value<'p>],
) -> Result<Value<'p>, Failure> {
    assert_eq!(program.verify(), Ok(()));
    let function = program.functions().last().unwrap();
    Interpreter::new(program, host).call(function, arguments)
}

fn scalar(value: Result<Value, Failure>) -> Scalar {
    match value.unwrap() {
        Value::Scalar(scalar) => scalar,
        other => panic!("{other:?} is no scalar"),
    }
}

fn tensor_of(value: &Value) -> Tensor {
    match value {
        Value::Tensor(tensor) => tensor.clone(),
        other => panic!("{other:?} is no tensor"),
    }
}

fn panic_text(value: Result<Value, Failure>) -> String {
    match value {
        Err(Failure::Panic(panic)) => panic.to_string(),
        other => panic!("no panic: {other:?}"),
    }
}

fn assign(place: &HirExpr, value: HirExpr) -> HirStatementKind {
    HirStatementKind::Assign {
        place: place.clone(),
        value,
    }
}

fn add_assign(place: &HirExpr, value: HirExpr) -> HirStatementKind {
    HirStatementKind::CompoundAssign {
        op: BinaryOp::Add,
        place: place.clone(),
        value,
    }
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

#[test]
fn scalar_panics_follow_the_tier() {
    let mut function = FunctionBuilder::new("f", FunctionTarget::Host);
    let x = function.parameter("x", ScalarType::I8);
    let sum = binary(BinaryOp::Add, x.clone(), integer(1, ScalarType::I8));
    let function = function.finish(Some(sum));
    let checked = program(Tier::Checked, [function.clone()]);
    let wrapping = program(Tier::Wrapping, [function]);
    let argument = || Value::from(Scalar::I8(127));
    assert_eq!(
        panic_text(run(&checked, &mut [argument()])),
        "panic: integer overflow in `+`"
    );
    assert_eq!(scalar(run(&wrapping, &mut [argument()])), Scalar::I8(-128));
}

#[test]
fn a_panic_has_the_place_of_its_operation() {
    let mut sum = binary(BinaryOp::Mul, int(1 << 30), int(2));
    sum.span = Span::new(Default::default(), 7, 9);
    let main = FunctionBuilder::new("main", FunctionTarget::Host).finish(Some(sum));
    let program = program(Tier::Checked, [main]);
    let Err(Failure::Panic(panic)) = run(&program, &mut []) else {
        panic!("no panic");
    };
    assert_eq!((panic.span.start, panic.span.end), (7, 9));
}

#[test]
fn tensor_panics_name_the_element() {
    let sum = operation("f", [i32s(&[2, 2]).into(), i32s(&[2]).into()], |[a, b]| {
        binary(BinaryOp::Add, a, b)
    });
    let quotient = operation("g", [i32s(&[]).into(), I32.into()], |[a, b]| {
        binary(BinaryOp::Rem, a, b)
    });
    let sum = program(Tier::Checked, [sum]);
    let a = Tensor::from_slice(&[2, 2], &[1, 2, 3, i32::MAX]).unwrap();
    let b = Tensor::from_slice(&[2], &[0, 1]).unwrap();
    let text = panic_text(run(&sum, &mut [a.into(), b.into()]));
    assert_eq!(text, "panic: integer overflow in `+` at element [1, 1]");
    let quotient = program(Tier::Wrapping, [quotient]);
    let one = Tensor::from_scalar(Scalar::I32(1)).unwrap();
    let text = panic_text(run(&quotient, &mut [one.into(), Scalar::I32(0).into()]));
    assert_eq!(text, "panic: division by zero in `%`");
}

#[test]
fn indices_are_checked() {
    let mut function = FunctionBuilder::new("f", FunctionTarget::Host);
    let t = function.parameter("t", HirType::reference(false, i32s(&[2, 3]).into()));
    let i = function.parameter("i", ScalarType::I64);
    let j = function.parameter("j", ScalarType::U8);
    let program = program(Tier::Checked, [function.finish(Some(element(t, [i, j])))]);
    let at = |i: i64, j: u8| {
        let t = Tensor::from_slice(&[2, 3], &[10, 11, 12, 20, 21, 22]).unwrap();
        run(
            &program,
            &mut [t.into(), Scalar::I64(i).into(), Scalar::U8(j).into()],
        )
    };
    assert_eq!(scalar(at(1, 2)), Scalar::I32(22));
    assert_eq!(
        panic_text(at(-1, 9)),
        "panic: index -1 is out of range for axis 0 of extent 2"
    );
    assert_eq!(
        panic_text(at(1, 3)),
        "panic: index 3 is out of range for axis 1 of extent 3"
    );
}

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

#[test]
fn closures_copy_what_they_capture() {
    let f32s = TensorType::new(ScalarType::F32, &[3]);
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let t = main.parameter("t", f32s.clone());
    let factor = main.bind_mutable("factor", float(2.0, ScalarType::F32));
    let HirExprKind::Local(factor_id) = factor.kind else {
        panic!("a binding is a local");
    };
    let x = main.declare("x", ScalarType::F32, false);
    let signature = FunctionType {
        parameters: vec![ScalarType::F32.into()],
        result: ScalarType::F32.into(),
    };
    let closure = HirClosure {
        parameters: vec![x],
        captures: vec![factor_id],
        body: block(
            [],
            Some(binary(
                BinaryOp::Mul,
                local(x, ScalarType::F32),
                factor.clone(),
            )),
        ),
        signature: signature.clone(),
    };
    let ty = HirType::Function(Box::new(signature));
    let f = main.bind("f", expr(HirExprKind::Closure(closure), ty));
    main.push(assign(&factor, float(100.0, ScalarType::F32)));
    let map = TensorOp::Map {
        operand: Box::new(t),
        function: Box::new(f),
    };
    let main = main.finish(Some(build::tensor(map, f32s)));
    let program = program(Tier::Checked, [main]);
    let t = Tensor::from_slice(&[3], &[1.0f32, -0.0, 3.0]).unwrap();
    let result = tensor_of(&run(&program, &mut [t.into()]).unwrap());
    assert!(result.same_bits(&Tensor::from_slice(&[3], &[2.0f32, -0.0, 6.0]).unwrap()));
}

/// `func sub(a: i32, b: i32) -> i32 { a - b }`
fn subtract() -> HirFunction {
    let mut function = FunctionBuilder::new("sub", FunctionTarget::Host);
    let (a, b) = (function.parameter("a", I32), function.parameter("b", I32));
    function.finish(Some(binary(BinaryOp::Sub, a, b)))
}

#[test]
fn zips_and_folds_run_in_order() {
    let subtract = subtract();
    let signature = FunctionType {
        parameters: vec![I32.into(), I32.into()],
        result: I32.into(),
    };
    let function = || {
        let ty = HirType::Function(Box::new(signature.clone()));
        Box::new(expr(HirExprKind::Function("sub".into()), ty))
    };
    let ty = i32s(&[2, 2]);
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let a = main.parameter("a", ty.clone());
    let b = main.parameter("b", ty.clone());
    let zip = TensorOp::Zip {
        left: Box::new(a.clone()),
        right: Box::new(b),
        function: function(),
    };
    let fold = TensorOp::Fold {
        operand: Box::new(a),
        initial: Box::new(int(100)),
        function: function(),
    };
    let pair = vec![
        build::tensor(zip, ty.clone()),
        build::tensor(fold, i32s(&[])),
    ];
    let pair_ty = HirType::Tuple(vec![ty.into(), i32s(&[]).into()]);
    let main = main.finish(Some(expr(HirExprKind::Tuple(pair), pair_ty)));
    let program = program(Tier::Checked, [subtract, main]);
    let a = Tensor::from_slice(&[2, 2], &[1, 2, 3, 4]).unwrap();
    let b = Tensor::from_slice(&[2, 2], &[10, 20, 30, 40]).unwrap();
    let result = run(&program, &mut [a.into(), b.into()]).unwrap();
    let Value::Tuple(parts) = result else {
        panic!("{result:?} is no tuple");
    };
    assert_eq!(
        tensor_of(&parts[0]).as_slice::<i32>().unwrap(),
        [-9, -18, -27, -36]
    );
    assert_eq!(tensor_of(&parts[1]).as_slice::<i32>().unwrap(), [90]);
}

#[test]
fn print_joins_its_values_in_one_line() {
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let literal = |literal, ty: HirType| expr(HirExprKind::Literal(literal), ty);
    let table = build::tensor(TensorOp::Literal((1..=4).map(int).collect()), i32s(&[2, 2]));
    let values = vec![
        literal(Literal::String("t =".into()), HirType::String),
        table,
        float(0.5, ScalarType::F16),
        literal(Literal::Bool(true), ScalarType::Bool.into()),
        literal(Literal::Char('ß'), ScalarType::Char.into()),
        integer(-3, ScalarType::I64),
    ];
    let print = expr(HirExprKind::Print(values), HirType::Void);
    main.push(HirStatementKind::Expr(print));
    let program = program(Tier::Checked, [main.finish(None)]);
    let mut output = Output::default();
    run_on(&mut output, &program, &mut []).unwrap();
    assert_eq!(output.0, ["t = [[1 2] [3 4]] 0.5 true ß -3"]);
}

/// Runs the operation `add_into` itself, and refuses `refused`.
#[derive(Default)]
struct Engine {
    calls: Vec<String>,
}

impl Host for Engine {
    fn print(&mut self, _: &str) -> Result<(), HostError> {
        Err("the output is closed".into())
    }

    fn operation<'p>(
        &mut self,
        function: &'p HirFunction,
        arguments: &mut [Value<'p>],
    ) -> Result<Option<Value<'p>>, Failure> {
        self.calls.push(function.name.clone());
        match (&function.name[..], arguments) {
            ("add_into", [Value::Tensor(to), Value::Tensor(from)]) => {
                let from = from.as_slice::<i32>().unwrap();
                let before = to.view().data;
                let sums = to.as_mut_slice::<i32>().unwrap();
                sums.iter_mut().zip(from).for_each(|(to, from)| *to += from);
                assert_eq!(before, to.view().data, "the tensor is written in place");
                Ok(Some(Value::Void))
            }
            ("declined", _) => Ok(None),
            (_, arguments) => Err(Failure::Host(format!("no engine for {arguments:?}").into())),
        }
    }
}

/// `func main() -> Tensor { mut t = [1, 2]; val u = [10, 20]; NAME(&mut t, &u); t }`
fn launching(name: &str) -> HirProgram {
    let ty = i32s(&[2]);
    let mut callee = FunctionBuilder::new(name, FunctionTarget::Gpu { fallback: true });
    let to = callee.parameter("to", HirType::reference(true, ty.clone().into()));
    let from = callee.parameter("from", HirType::reference(false, ty.clone().into()));
    callee.push(add_assign(&to, from));
    let callee = callee.finish(None);
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let literal = |a, b| build::tensor(TensorOp::Literal(vec![int(a), int(b)]), ty.clone());
    let t = main.bind_mutable("t", literal(1, 2));
    let u = main.bind("u", literal(10, 20));
    let arguments = [borrow(true, t.clone()), borrow(false, u)];
    main.push(HirStatementKind::Expr(call(&callee, arguments)));
    let main = main.finish(Some(t));
    program(Tier::Checked, [callee, main])
}

#[test]
fn a_host_runs_operations_in_place_or_declines_them() {
    for name in ["add_into", "declined"] {
        let program = launching(name);
        let mut engine = Engine::default();
        let result = tensor_of(&run_on(&mut engine, &program, &mut []).unwrap());
        assert_eq!(result.as_slice::<i32>().unwrap(), [11, 22]);
        assert_eq!(engine.calls, [name]);
    }
    let program = launching("refused");
    let failure = run_on(&mut Engine::default(), &program, &mut []).unwrap_err();
    assert!(
        failure.to_string().starts_with("no engine for [Tensor("),
        "{failure}"
    );
}

#[test]
fn a_host_that_cannot_print_stops_the_program() {
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let print = expr(HirExprKind::Print(vec![int(1)]), HirType::Void);
    main.push(HirStatementKind::Expr(print));
    let program = program(Tier::Checked, [main.finish(None)]);
    let failure = run_on(&mut Engine::default(), &program, &mut []).unwrap_err();
    assert_eq!(failure.to_string(), "the output is closed");
}

#[test]
fn what_the_verifier_refuses_is_an_error_value() {
    let broken = [
        local(neuro_hir::LocalId(9), I32),
        expr(HirExprKind::Constant("none".into()), I32),
        binary(BinaryOp::Add, int(1), integer(1, ScalarType::I64)),
        expr(
            HirExprKind::TupleMember {
                operand: Box::new(int(1)),
                index: 0,
            },
            I32,
        ),
        element(int(1), [int(0)]),
    ];
    for body in broken {
        let main = FunctionBuilder::new("main", FunctionTarget::Host).finish(Some(body));
        let program = program(Tier::Checked, [main]);
        assert!(program.verify().is_err());
        let mut output = Output::default();
        let function = program.function("main").unwrap();
        let result = Interpreter::new(&program, &mut output).call(function, &mut []);
        assert!(
            matches!(result, Err(Failure::Internal { .. })),
            "{result:?}"
        );
    }
    let body: HirBlock = block([HirStatementKind::Break], None);
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host).finish(None);
    main.body = body;
    let program = program(Tier::Checked, [main]);
    let function = program.function("main").unwrap();
    let result = Interpreter::new(&program, &mut Output::default()).call(function, &mut []);
    assert!(matches!(result, Err(Failure::Internal { .. })));
}
