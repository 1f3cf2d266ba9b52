//! Kernels: the grid, the order of its threads, and their panics.

use ast_types::BinaryOp;
use interpreter::{Failure, Host, HostError, Interpreter, Value};
use neuro_hir::build::{
    FunctionBuilder, binary, block, borrow, call, element, expr, integer, local, program,
};
use neuro_hir::{
    FunctionTarget, GridIndex, HirBlock, HirExpr, HirExprKind, HirFunction, HirProgram,
    HirStatementKind, HirType, TensorType, Tier,
};
use shared_types::ScalarType;
use tensor::{Scalar, Tensor};

struct Silent;

impl Host for Silent {
    fn print(&self, _: &str) -> Result<(), HostError> {
        Ok(())
    }
}

const I64: ScalarType = ScalarType::I64;

fn grid(of: GridIndex, axis: usize) -> HirExpr {
    expr(HirExprKind::GridIndex { of, axis }, I64)
}

fn int(value: i128) -> HirExpr {
    integer(value, I64)
}

fn when(condition: HirExpr, then: HirBlock) -> HirStatementKind {
    HirStatementKind::Expr(expr(
        HirExprKind::If {
            condition: Box::new(condition),
            then,
            otherwise: None,
        },
        HirType::Void,
    ))
}

fn write(place: HirExpr, value: HirExpr) -> HirStatementKind {
    HirStatementKind::Assign { place, value }
}

/// `func main(out: &mut Tensor<i64, shape>) { kernel(out) }` after the kernel.
fn launched(kernel: HirFunction, shape: &[u64]) -> HirProgram {
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let ty = HirType::reference(true, TensorType::new(I64, shape).into());
    let out = main.parameter("out", ty);
    main.push(HirStatementKind::Expr(call(&kernel, [out])));
    program(Tier::Checked, [kernel, main.finish(None)])
}

/// What the kernel leaves in a tensor of zeros, or the panic.
fn run(program: &HirProgram, shape: &[u64]) -> Result<Vec<i64>, String> {
    assert_eq!(program.verify(), Ok(()));
    let mut arguments = [Value::from(Tensor::zeros(I64, shape).unwrap())];
    let main = program.function("main").unwrap();
    let result = Interpreter::new(program, &Silent).call(main, &mut arguments);
    match (result, &arguments[0]) {
        (Ok(_), Value::Tensor(out)) => Ok(out.as_slice().unwrap().to_vec()),
        (Err(Failure::Panic(panic)), _) => Err(panic.to_string()),
        (other, _) => panic!("{other:?}"),
    }
}

fn kernel(threads: &[u32]) -> FunctionBuilder {
    let threads = threads.to_vec();
    FunctionBuilder::new("k", FunctionTarget::Kernel { threads })
}

fn out(kernel: &mut FunctionBuilder, shape: &[u64]) -> HirExpr {
    let ty = HirType::reference(true, TensorType::new(I64, shape).into());
    kernel.parameter("out", ty)
}

#[test]
fn threads_have_positions_and_blocks() {
    let shape = [3, 5];
    let mut k = kernel(&[2, 4]);
    let to = out(&mut k, &shape);
    let (r, c) = (grid(GridIndex::Thread, 0), grid(GridIndex::Thread, 1));
    let rows = binary(BinaryOp::Lt, r.clone(), int(3));
    let columns = binary(BinaryOp::Lt, c.clone(), int(5));
    let hundreds = binary(BinaryOp::Mul, grid(GridIndex::Block, 0), int(100));
    let tens = binary(BinaryOp::Mul, grid(GridIndex::Block, 1), int(10));
    let blocks = binary(BinaryOp::Add, hundreds, tens);
    let value = binary(BinaryOp::Add, blocks, grid(GridIndex::Thread, 2));
    let body = block([write(element(to, [r, c]), value)], None);
    k.push(when(binary(BinaryOp::And, rows, columns), body));
    let program = launched(k.finish(None), &shape);
    let expected = [
        [0, 0, 0, 0, 10],
        [0, 0, 0, 0, 10],
        [100, 100, 100, 100, 110],
    ];
    assert_eq!(run(&program, &shape), Ok(expected.concat()));
}

#[test]
fn threads_past_the_extent_run_too() {
    let shape = [5];
    let mut k = kernel(&[4]);
    let to = out(&mut k, &shape);
    let at = grid(GridIndex::Thread, 0);
    k.push(write(element(to, [at.clone()]), at));
    let program = launched(k.finish(None), &shape);
    assert_eq!(
        run(&program, &shape),
        Err("panic: index 5 is out of range for axis 0 of extent 5 in thread [5]".into())
    );
}

#[test]
fn threads_run_in_row_major_order() {
    // Each thread writes one more than the last: out[0, 0] += 1, out[r, c] = out[0, 0].
    let shape = [2, 3];
    let mut k = kernel(&[1, 3]);
    let to = out(&mut k, &shape);
    let first = element(to.clone(), [int(0), int(0)]);
    k.push(HirStatementKind::CompoundAssign {
        op: BinaryOp::Add,
        place: first.clone(),
        value: int(1),
    });
    let (r, c) = (grid(GridIndex::Thread, 0), grid(GridIndex::Thread, 1));
    k.push(write(element(to, [r, c]), first));
    let program = launched(k.finish(None), &shape);
    assert_eq!(run(&program, &shape), Ok(vec![6, 2, 3, 4, 5, 6]));
}

#[test]
fn the_first_failing_thread_is_reported() {
    let shape = [2, 2];
    let mut k = kernel(&[2, 2]);
    let to = out(&mut k, &shape);
    let (r, c) = (grid(GridIndex::Thread, 0), grid(GridIndex::Thread, 1));
    let divisor = binary(BinaryOp::Sub, c.clone(), int(1));
    let quotient = binary(BinaryOp::Div, int(1), divisor);
    k.push(write(element(to, [r, c]), quotient));
    let program = launched(k.finish(None), &shape);
    assert_eq!(
        run(&program, &shape),
        Err("panic: division by zero in `/` in thread [0, 1]".into())
    );
}

#[test]
fn an_empty_tensor_has_no_threads() {
    let shape = [0, 4];
    let mut k = kernel(&[1, 1]);
    let to = out(&mut k, &shape);
    k.push(write(element(to, [int(0), int(0)]), int(1)));
    let program = launched(k.finish(None), &shape);
    assert_eq!(run(&program, &shape), Ok(vec![]));
}

#[test]
fn a_kernel_reads_and_writes_tensors_of_a_caller() {
    let ty = TensorType::new(I64, &[4]);
    let mut k = kernel(&[4]);
    let from = k.parameter("a", HirType::reference(false, ty.clone().into()));
    let to = out(&mut k, &[4]);
    let at = k.declare("at", I64, false);
    k.push(HirStatementKind::Bind {
        pattern: neuro_hir::HirPattern::Local(at),
        value: grid(GridIndex::Thread, 0),
    });
    let read = element(from, [local(at, I64)]);
    let value = binary(BinaryOp::Mul, read.clone(), read);
    k.push(write(element(to, [local(at, I64)]), value));
    let k = k.finish(None);
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let a = main.parameter("a", ty.clone());
    let b = main.bind_mutable("b", a.clone());
    let arguments = [borrow(false, a), borrow(true, b.clone())];
    main.push(HirStatementKind::Expr(call(&k, arguments)));
    let main = main.finish(Some(b));
    let program = program(Tier::Checked, [k, main]);
    assert_eq!(program.verify(), Ok(()));
    let a = Tensor::from_slice(&[4], &[1i64, -2, 3, 4]).unwrap();
    let main = program.function("main").unwrap();
    let result = Interpreter::new(&program, &Silent).call(main, &mut [a.clone().into()]);
    let Ok(Value::Tensor(result)) = result else {
        panic!("{result:?}");
    };
    assert_eq!(result.as_slice::<i64>().unwrap(), [1, 4, 9, 16]);
    assert_eq!(a.get(1), Ok(Scalar::I64(-2)));
}
