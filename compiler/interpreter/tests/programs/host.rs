//! What a host sees.

use std::cell::RefCell;

use ast_types::BinaryOp;
use interpreter::{Failure, Host, HostError, Interpreter, Value};
use neuro_hir::build::{
    self, FunctionBuilder, binary, block, borrow, call, expr, float, integer, program,
};
use neuro_hir::{
    FunctionTarget, FunctionType, HirExprKind, HirFunction, HirProgram, HirStatementKind, HirType,
    TensorOp, Tier,
};
use shared_types::{Literal, ScalarType, Span};
use tensor::Scalar;

use crate::{I32, Output, add_assign, i32s, int, panic_text, run_on, tensor_of};

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
    let output = Output::default();
    run_on(&output, &program, &mut []).unwrap();
    assert_eq!(*output.0.borrow(), ["t = [[1 2] [3 4]] 0.5 true ß -3"]);
}

/// Runs the operation `add_into` itself, and refuses `refused`.
#[derive(Default)]
struct Engine {
    calls: RefCell<Vec<String>>,
}

impl Host for Engine {
    fn print(&self, _: &str) -> Result<(), HostError> {
        Err("the output is closed".into())
    }

    fn operation<'p>(
        &self,
        _: &mut Interpreter<'p, '_>,
        function: &'p HirFunction,
        arguments: &mut [Value<'p>],
        _: Span,
    ) -> Result<Option<Value<'p>>, Failure> {
        self.calls.borrow_mut().push(function.name.clone());
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
        let engine = Engine::default();
        let result = tensor_of(&run_on(&engine, &program, &mut []).unwrap());
        assert_eq!(result.as_slice::<i32>().unwrap(), [11, 22]);
        assert_eq!(*engine.calls.borrow(), [name]);
    }
    let program = launching("refused");
    let failure = run_on(&Engine::default(), &program, &mut []).unwrap_err();
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
    let failure = run_on(&Engine::default(), &program, &mut []).unwrap_err();
    assert_eq!(failure.to_string(), "the output is closed");
}

/// Runs the operation `each` itself: it calls the function with 1, then with 2.
#[derive(Default)]
struct Caller(Output);

impl Host for Caller {
    fn print(&self, line: &str) -> Result<(), HostError> {
        self.0.print(line)
    }

    fn operation<'p>(
        &self,
        interpreter: &mut Interpreter<'p, '_>,
        function: &'p HirFunction,
        arguments: &mut [Value<'p>],
        _: Span,
    ) -> Result<Option<Value<'p>>, Failure> {
        let [Value::Function(callee)] = arguments else {
            return Ok(None);
        };
        for value in [1, 2] {
            let arguments = [Scalar::I32(value)];
            let answer = interpreter.call_value(callee, &arguments, function.span)?;
            self.print(&format!("gave {answer:?}"))
                .map_err(Failure::Host)?;
        }
        Ok(Some(Value::Void))
    }
}

/// `each(f)`, where `f` prints its argument, and calls `each(g)` where it is 2; `g(x) = 6 / (x - 1)`.
#[test]
fn a_host_calls_the_functions_that_an_operation_is_given() {
    let signature = FunctionType {
        parameters: vec![I32.into()],
        result: I32.into(),
    };
    let ty = HirType::Function(Box::new(signature));
    let named = |name: &str| expr(HirExprKind::Function(name.into()), ty.clone());
    let mut each = FunctionBuilder::new("each", FunctionTarget::HostOperation);
    each.parameter("f", ty.clone());
    let each = each.finish(None);
    let mut g = FunctionBuilder::new("g", FunctionTarget::Host);
    let x = g.parameter("x", I32);
    let below = binary(BinaryOp::Sub, x, int(1));
    let g = g.finish(Some(binary(BinaryOp::Div, int(6), below)));
    let mut f = FunctionBuilder::new("f", FunctionTarget::Host);
    let x = f.parameter("x", I32);
    let print = expr(HirExprKind::Print(vec![x.clone()]), HirType::Void);
    f.push(HirStatementKind::Expr(print));
    let again = HirStatementKind::Expr(call(&each, [named("g")]));
    let if_two = HirExprKind::If {
        condition: Box::new(binary(BinaryOp::Eq, x.clone(), int(2))),
        then: block([again], None),
        otherwise: None,
    };
    f.push(HirStatementKind::Expr(expr(if_two, HirType::Void)));
    let f = f.finish(Some(x));
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    main.push(HirStatementKind::Expr(call(&each, [named("f")])));
    let program = program(Tier::Checked, [each, g, f, main.finish(None)]);
    let host = Caller::default();
    let failed = run_on(&host, &program, &mut []);
    assert_eq!(panic_text(failed), "panic: division by zero in `/`");
    assert_eq!(*host.0.0.borrow(), ["1", "gave I32(1)", "2"]);
}
