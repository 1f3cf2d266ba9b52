use ast_types::{BinaryOp, UnaryOp};
use expect_test::{Expect, expect};
use shared_types::{Literal, ScalarType, Span};

use crate::build::{self, FunctionBuilder, binary, borrow, element, float, integer, local, tensor};
use crate::*;

/// The text of a program, which is well-formed.
#[track_caller]
fn check(program: &HirProgram, expected: Expect) {
    assert_eq!(program.verify(), Ok(()));
    expected.assert_eq(&program.to_string());
}

fn checked(functions: impl IntoIterator<Item = HirFunction>) -> HirProgram {
    build::program(Tier::Checked, functions)
}

fn f32s(extents: &[u64]) -> HirType {
    TensorType::new(ScalarType::F32, extents).into()
}

fn void(kind: HirExprKind) -> HirExpr {
    build::expr(kind, HirType::Void)
}

fn boxed(expr: &HirExpr) -> Box<HirExpr> {
    Box::new(expr.clone())
}

#[test]
fn an_outlined_operation() {
    let matrix = f32s(&[2, 2]);
    let borrowed = HirType::reference(false, matrix.clone());
    let operation = build::operation("main__op0", [matrix, borrowed], |[a, b]| {
        let product = binary(BinaryOp::MatMul, a.clone(), b);
        let sum = binary(BinaryOp::Add, product, float(-0.5, ScalarType::F32));
        build::reduce(
            Reduction::Sum,
            build::math(MathFunction::Tanh, sum),
            Some(1),
        )
    });
    check(
        &checked([operation]),
        expect![[r#"
        tier checked

        @operation
        func main__op0(arg0: Tensor<f32, [2, 2]>, arg1: &Tensor<f32, [2, 2]>) -> Tensor<f32, [2]> {
            ((arg0 @ arg1) + (-0.5f32)).tanh().sum(axis: 1)
        }
    "#]],
    );
}

#[test]
fn scalar_code_and_control_flow() {
    let i32 = ScalarType::I32;
    let number = |value| integer(value, i32);
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let x = main.bind_mutable("x", number(0));
    let again = main.bind("x", build::unary(UnaryOp::Neg, number(1)));
    let k = main.declare("k", i32, false);
    let update = HirStatementKind::CompoundAssign {
        op: BinaryOp::Add,
        place: x.clone(),
        value: local(k, i32),
    };
    main.push(HirStatementKind::For {
        local: k,
        start: number(0),
        end: binary(BinaryOp::Add, again.clone(), number(3)),
        inclusive: true,
        body: build::block([update], None),
    });
    main.push(HirStatementKind::While {
        condition: binary(BinaryOp::Lt, x.clone(), number(9)),
        body: build::block([HirStatementKind::Continue], None),
    });
    main.push(HirStatementKind::Loop {
        body: build::block([HirStatementKind::Break], None),
    });
    let greeting = HirExprKind::Literal(Literal::String("x\n".into()));
    let greeting = build::expr(greeting, HirType::String);
    let print = void(HirExprKind::Print(vec![greeting, x.clone()]));
    main.push(HirStatementKind::Expr(print));
    main.push(HirStatementKind::Assign {
        place: x.clone(),
        value: number(2),
    });
    let choice = HirExprKind::If {
        condition: Box::new(binary(BinaryOp::Eq, x.clone(), again)),
        then: build::block(
            [],
            Some(build::expr(HirExprKind::Cast(boxed(&x)), ScalarType::I8)),
        ),
        otherwise: Some(build::block(
            [HirStatementKind::Return(Some(integer(-1, ScalarType::I8)))],
            None,
        )),
    };
    let main = main.finish(Some(build::expr(choice, ScalarType::I8)));
    check(
        &checked([main]),
        expect![[r#"
        tier checked

        func main() -> i8 {
            mut x: i32 = 0i32
            val x#1: i32 = -(1i32)
            for k: i32 in 0i32..=(x#1 + 3i32) {
                x += k
            }
            while x < 9i32 {
                continue
            }
            loop {
                break
            }
            print("x\n", x);
            x = 2i32
            if x == x#1 {
                x as i8
            } else {
                return -1i8
            }
        }
    "#]],
    );
}

#[test]
fn calls_kernels_and_targets() {
    let out = HirType::reference(true, f32s(&[40]));
    let mut kernel = FunctionBuilder::new("relu", FunctionTarget::Kernel { threads: vec![16] });
    let parameter = kernel.parameter("out", out);
    let at = build::expr(
        HirExprKind::GridIndex {
            of: GridIndex::Thread,
            axis: 0,
        },
        ScalarType::I64,
    );
    let row = kernel.bind("r", at);
    kernel.push(HirStatementKind::Assign {
        place: element(parameter, [row]),
        value: float(0.0, ScalarType::F32),
    });
    let kernel = kernel.finish(None);

    let mut gpu = FunctionBuilder::new("same", FunctionTarget::Gpu { fallback: true });
    let a = gpu.parameter("a", f32s(&[40]));
    let gpu = gpu.finish(Some(a));

    let mut row = FunctionBuilder::new("row", FunctionTarget::FollowsOperands);
    let a = row.parameter("a", HirType::reference(false, f32s(&[40, 2])));
    let at = row.parameter("at", ScalarType::I64);
    let axes = vec![
        SliceAxis::Position(at),
        SliceAxis::Range {
            start: 0,
            extent: 2,
            reversed: true,
        },
    ];
    let slice = TensorOp::Slice {
        tensor: Box::new(a),
        axes,
    };
    let row = row.finish(Some(tensor(slice, f32s(&[2]))));

    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let zeros = tensor(TensorOp::Fill(Fill::Zeros), f32s(&[40]));
    let t = main.bind_mutable("t", zeros);
    main.push(HirStatementKind::Expr(build::call(
        &kernel,
        [borrow(true, t.clone())],
    )));
    let position = HirExprKind::CheckedPosition {
        position: Box::new(integer(3, ScalarType::U8)),
        axis: 0,
        extent: 40,
    };
    let ones = tensor(TensorOp::Fill(Fill::Ones), f32s(&[40, 2]));
    let arguments = [borrow(false, ones), build::expr(position, ScalarType::I64)];
    main.bind("r", build::call(&row, arguments));
    let function = HirType::Function(Box::new(FunctionType {
        parameters: vec![f32s(&[40])],
        result: f32s(&[40]),
    }));
    let f = main.bind(
        "f",
        build::expr(HirExprKind::Function("same".into()), function),
    );
    let call = HirExprKind::Call {
        callee: Callee::Value(Box::new(f)),
        arguments: vec![t],
    };
    let main = main.finish(Some(build::expr(call, f32s(&[40]))));
    check(
        &checked([kernel, gpu, row, main]),
        expect![[r#"
        tier checked

        @kernel(threads: [16])
        func relu(out: &mut Tensor<f32, [40]>) {
            val r: i64 = thread_id.x
            out[r] = 0.0f32
        }

        @gpu(fallback: true)
        func same(a: Tensor<f32, [40]>) -> Tensor<f32, [40]> {
            a
        }

        @operation(follows: operands)
        func row(a: &Tensor<f32, [40, 2]>, at: i64) -> Tensor<f32, [2]> {
            a.slice(at, (0..2).rev())
        }

        func main() -> Tensor<f32, [40]> {
            mut t: Tensor<f32, [40]> = Tensor<f32, [40]>::zeros()
            relu(&mut t);
            val r: Tensor<f32, [2]> = row(&Tensor<f32, [40, 2]>::ones(), checked(3u8, axis: 0, extent: 40))
            val f: func(Tensor<f32, [40]>) -> Tensor<f32, [40]> = ::same
            (f)(t)
        }
    "#]],
    );
}

#[test]
fn structs_methods_and_constants() {
    let layer = HirType::Nominal("Layer".into());
    let structure = HirStruct {
        name: "Layer".into(),
        fields: vec![
            HirField {
                name: "width".into(),
                ty: ScalarType::I32.into(),
            },
            HirField {
                name: "w".into(),
                ty: f32s(&[4]),
            },
        ],
        span: Span::default(),
    };
    let constant = HirConst {
        name: "SCALE".into(),
        value: float(0.0625, ScalarType::F32),
        span: Span::default(),
    };
    let mut method = FunctionBuilder::new("width", FunctionTarget::Host);
    let receiver = method.parameter("self", HirType::reference(false, layer.clone()));
    let field = HirExprKind::Field {
        operand: Box::new(receiver),
        name: "width".into(),
    };
    let method = method.finish(Some(build::expr(field, ScalarType::I32)));
    let methods = HirImpl {
        owner: "Layer".into(),
        methods: vec![method],
        span: Span::default(),
    };
    let mut main = FunctionBuilder::new("main", FunctionTarget::Host);
    let scale = HirExprKind::Constant("SCALE".into());
    let scale = build::expr(scale, ScalarType::F32);
    let values = [1.0, 2.0, 3.0, 4.0].map(|value| float(value, ScalarType::F32));
    let w = tensor(TensorOp::Literal(values.to_vec()), f32s(&[4]));
    let value = HirExprKind::Struct(vec![integer(4, ScalarType::I32), w]);
    let value = main.bind("layer", build::expr(value, layer));
    let call = HirExprKind::Call {
        callee: Callee::Method {
            owner: "Layer".into(),
            name: "width".into(),
        },
        arguments: vec![borrow(false, value)],
    };
    let call = build::expr(call, ScalarType::I32);
    let ty = HirType::Tuple(vec![ScalarType::F32.into(), ScalarType::I32.into()]);
    let pair = build::expr(HirExprKind::Tuple(vec![scale, call]), ty);
    let first = main.declare("first", ScalarType::F32, false);
    let second = main.declare("second", ScalarType::I32, true);
    main.push(HirStatementKind::Bind {
        pattern: HirPattern::Tuple(vec![first, second]),
        value: pair,
    });
    let program = HirProgram {
        tier: Tier::Wrapping,
        items: vec![
            HirItem::Struct(structure),
            HirItem::Const(constant),
            HirItem::Impl(methods),
            HirItem::Function(main.finish(None)),
        ],
    };
    check(
        &program,
        expect![[r#"
        tier wrapping

        struct Layer {
            width: i32
            w: Tensor<f32, [4]>
        }

        const SCALE: f32 = 0.0625f32

        impl Layer {
            func width(self: &Layer) -> i32 {
                self.width
            }
        }

        func main() {
            val layer: Layer = Layer { 4i32, Tensor<f32, [4]>::from([1.0f32, 2.0f32, 3.0f32, 4.0f32]) }
            val (first: f32, mut second: i32) = (::SCALE, Layer::width(&layer))
        }
    "#]],
    );
}

#[test]
fn every_tensor_operation() {
    let f32 = ScalarType::F32;
    let square = f32s(&[2, 2]);
    let mut f = FunctionBuilder::new("f", FunctionTarget::Host);
    let a = f.parameter("a", HirType::reference(false, square.clone()));
    let scale = f.parameter("scale", f32);
    let signature = FunctionType {
        parameters: vec![f32.into(), f32.into()],
        result: f32.into(),
    };
    let g = f.parameter("g", HirType::Function(Box::new(signature)));
    let mut keep = |op: TensorOp, ty: HirType| {
        f.bind("t", tensor(op, ty));
    };
    keep(TensorOp::Fill(Fill::Identity), square.clone());
    keep(TensorOp::Scalar(boxed(&scale)), f32s(&[]));
    keep(TensorOp::Clone(boxed(&a)), square.clone());
    let operand = boxed(&a);
    let axes = vec![1, 0];
    keep(TensorOp::Permute { operand, axes }, square.clone());
    keep(TensorOp::Reshape(boxed(&a)), f32s(&[4]));
    let reduce = TensorOp::Reduce {
        op: Reduction::Mean,
        operand: boxed(&a),
        axis: None,
    };
    keep(reduce, f32s(&[]));
    let sort = TensorOp::Sort {
        operand: boxed(&a),
        axis: 1,
        descending: false,
    };
    keep(sort, square.clone());
    let argsort = TensorOp::ArgSort {
        operand: boxed(&a),
        axis: 0,
        descending: true,
    };
    keep(argsort, TensorType::new(ScalarType::I32, &[2, 2]).into());
    let top = TensorOp::TopK {
        operand: boxed(&a),
        axis: 1,
        k: 1,
    };
    let at = TensorType::new(ScalarType::I32, &[2, 1]);
    keep(top, HirType::Tuple(vec![f32s(&[2, 1]), at.into()]));
    let einsum = Einsum {
        inputs: vec![vec!['i', 'j'], vec!['j', 'k']],
        output: vec!['i', 'k'],
        operands: vec![a.clone(), a.clone()],
    };
    keep(TensorOp::Einsum(einsum), square.clone());
    let device = Device::Gpu(1);
    let operand = boxed(&a);
    keep(TensorOp::ToDevice { operand, device }, square.clone());

    let pow = build::pow(a.clone(), scale.clone());
    f.bind("p", pow);
    let x = f.declare("x", f32, false);
    let signature = FunctionType {
        parameters: vec![f32.into()],
        result: f32.into(),
    };
    let closure = HirClosure {
        parameters: vec![x],
        captures: vec![LocalId(1)],
        signature: signature.clone(),
        body: build::block(
            [],
            Some(binary(BinaryOp::Mul, local(x, f32), scale.clone())),
        ),
    };
    let ty = HirType::Function(Box::new(signature));
    let function = Box::new(build::expr(HirExprKind::Closure(closure), ty));
    let operand = boxed(&a);
    f.bind(
        "m",
        tensor(TensorOp::Map { operand, function }, square.clone()),
    );
    let zip = TensorOp::Zip {
        left: boxed(&a),
        right: boxed(&a),
        function: boxed(&g),
    };
    f.bind("z", tensor(zip, square));
    let fold = TensorOp::Fold {
        operand: boxed(&a),
        initial: boxed(&scale),
        function: boxed(&g),
    };
    let folded = f.bind("r", tensor(fold, f32s(&[])));
    let function = f.finish(Some(element(folded, [])));
    check(
        &checked([function]),
        expect![[r#"
        tier checked

        func f(a: &Tensor<f32, [2, 2]>, scale: f32, g: func(f32, f32) -> f32) -> f32 {
            val t: Tensor<f32, [2, 2]> = Tensor<f32, [2, 2]>::identity()
            val t#1: Tensor<f32, []> = Tensor::scalar(scale)
            val t#2: Tensor<f32, [2, 2]> = a.clone()
            val t#3: Tensor<f32, [2, 2]> = a.permute([1, 0])
            val t#4: Tensor<f32, [4]> = a.reshape(Tensor<f32, [4]>)
            val t#5: Tensor<f32, []> = a.mean()
            val t#6: Tensor<f32, [2, 2]> = a.sort(axis: 1, descending: false)
            val t#7: Tensor<i32, [2, 2]> = a.argsort(axis: 0, descending: true)
            val t#8: (Tensor<f32, [2, 1]>, Tensor<i32, [2, 1]>) = a.topk(k: 1, axis: 1)
            val t#9: Tensor<f32, [2, 2]> = einsum("ij,jk->ik", a, a)
            val t#10: Tensor<f32, [2, 2]> = a.to(Device::GPU(1))
            val p: Tensor<f32, [2, 2]> = a.pow(scale)
            val m: Tensor<f32, [2, 2]> = a.map(|x: f32| [scale] -> f32 {
                x * scale
            })
            val z: Tensor<f32, [2, 2]> = a.zip(a, g)
            val r: Tensor<f32, []> = a.reduce(scale, g)
            r[]
        }
    "#]],
    );
}

#[test]
fn deep_trees_print() {
    let one = integer(1, ScalarType::I32);
    let sum = (0..MAX_DEPTH - 2).fold(one.clone(), |sum, _| {
        binary(BinaryOp::Sub, one.clone(), sum)
    });
    let function = FunctionBuilder::new("deep", FunctionTarget::Host).finish(Some(sum));
    let text = function.to_string();
    assert_eq!(text.matches(" - ").count(), MAX_DEPTH - 2);
}
