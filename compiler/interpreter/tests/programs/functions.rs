//! Function values.

use ast_types::BinaryOp;
use interpreter::Value;
use neuro_hir::build::{self, FunctionBuilder, binary, block, expr, float, local, program};
use neuro_hir::{
    FunctionTarget, FunctionType, HirClosure, HirExprKind, HirFunction, HirType, TensorOp,
    TensorType, Tier,
};
use shared_types::ScalarType;
use tensor::Tensor;

use crate::{I32, assign, i32s, int, run, tensor_of};

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
