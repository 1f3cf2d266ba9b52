//! What a host sees.

use interpreter::{Failure, Host, HostError, Value};
use neuro_hir::build::{self, FunctionBuilder, borrow, call, expr, float, integer, program};
use neuro_hir::{
    FunctionTarget, HirExprKind, HirFunction, HirProgram, HirStatementKind, HirType, TensorOp, Tier,
};
use shared_types::{Literal, ScalarType};

use crate::{Output, add_assign, i32s, int, run_on, tensor_of};

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
