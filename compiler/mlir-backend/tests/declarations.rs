//! What the builder cannot express stays a declaration, and has no symbol (backend specification,
//! §Broadcasting). Most of it is ill-formed HIR, which a front end does not make.

use ast_types::BinaryOp::{Add, And, Div, Eq, Lt, MatMul, Mul};
use ast_types::UnaryOp::{Neg, Not};
use mlir_backend::internal::{Cause, LinkOptions, link};
use mlir_backend::{LinkableBodies, lower_for_link, lower_program};
use neuro_hir::build::{
    FunctionBuilder, binary, block, expr, float, integer, math, operation, pow, program, reduce,
    tensor, unary,
};
use neuro_hir::{
    Einsum, Extent, Fill, FunctionTarget, HirExpr, HirExprKind, HirFunction, HirPattern,
    HirStatementKind, HirType, MathFunction, Reduction, SliceAxis, TensorOp, TensorType, Tier,
};
use shared_types::ScalarType::{self, Bool, Char, F32, F64, I32, U8};

/// Each of these functions is a declaration to read, and no body to link on either tier.
#[track_caller]
fn declares(functions: impl IntoIterator<Item = HirFunction>) {
    let functions: Vec<HirFunction> = functions.into_iter().collect();
    let names: Vec<String> = functions.iter().map(|f| f.name.clone()).collect();
    let text = lower_program(&program(Tier::Checked, functions.clone())).unwrap();
    let declared = |name: &&String| !text.contains(&format!("func.func private @{name}("));
    let defined: Vec<&String> = names.iter().filter(declared).collect();
    assert!(defined.is_empty(), "defined: {defined:?}\n{text}");
    for tier in [Tier::Checked, Tier::Wrapping] {
        let program = program(tier, functions.clone());
        assert_eq!(lower_for_link(&program), Ok(LinkableBodies::default()));
        let refused = link(&program, &LinkOptions::default()).unwrap().refused;
        let refused = refused.into_iter().map(|r| (r.function.name, r.cause));
        let expected = names.iter().map(|name| (name.clone(), Cause::NoForm));
        assert!(refused.eq(expected));
    }
}

fn of(scalar: ScalarType, extents: &[u64]) -> HirType {
    TensorType::new(scalar, extents).into()
}

fn f32s(extents: &[u64]) -> HirType {
    of(F32, extents)
}

/// Extents of `f32`, `None` where one is not known.
fn unknown(extents: &[Option<u64>]) -> HirType {
    let extent = |extent: &Option<u64>| extent.map_or(Extent::Dynamic, Extent::Static);
    TensorType::with_extents(F32, extents.iter().map(extent)).into()
}

fn typed(expr: HirExpr, ty: HirType) -> HirExpr {
    HirExpr { ty, ..expr }
}

fn op_of(
    name: &str,
    from: HirType,
    to: HirType,
    op: impl FnOnce(Box<HirExpr>) -> TensorOp,
) -> HirFunction {
    operation(name, [from], |[a]| tensor(op(Box::new(a)), to))
}

#[test]
fn an_argument_handed_back_is_a_declaration() {
    let through_a_binding = |target| {
        let mut function = FunctionBuilder::new("bound", target);
        let a = function.parameter("a", f32s(&[2]));
        let b = function.bind("b", a);
        function.finish(Some(b))
    };
    declares([
        operation("unchanged", [f32s(&[2])], |[a]| a),
        through_a_binding(FunctionTarget::HostOperation),
        op_of("cloned", f32s(&[2]), f32s(&[2]), TensorOp::Clone),
        operation("beside", [f32s(&[2])], |[a]| {
            let ty = HirType::Tuple(vec![a.ty.clone(), a.ty.clone()]);
            expr(
                HirExprKind::Tuple(vec![binary(Add, a.clone(), a.clone()), a]),
                ty,
            )
        }),
    ]);
}

#[test]
fn scalar_bodies_are_declarations() {
    let scalars = || [HirType::from(F32), F32.into()];
    let truth = expr(
        HirExprKind::Literal(shared_types::Literal::Bool(true)),
        Bool,
    );
    let mut looped = FunctionBuilder::new("looped", FunctionTarget::HostOperation);
    let a = looped.parameter("a", f32s(&[2]));
    looped.push(HirStatementKind::While {
        condition: truth.clone(),
        body: block([], None),
    });
    let looped = looped.finish(Some(binary(Add, a.clone(), a)));
    declares([
        operation("sum", scalars(), |[a, b]| binary(Add, a, b)),
        operation("less", scalars(), |[a, b]| binary(Lt, a, b)),
        operation("root", scalars(), |[a, _]| math(MathFunction::Sqrt, a)),
        operation("choice", [f32s(&[2]), f32s(&[2])], |[a, b]| {
            let ty = a.ty.clone();
            let kind = HirExprKind::If {
                condition: Box::new(truth),
                then: block([], Some(a)),
                otherwise: Some(block([], Some(b))),
            };
            expr(kind, ty)
        }),
        operation("print", [f32s(&[2])], |[a]| {
            expr(HirExprKind::Print(vec![a]), HirType::Void)
        }),
        looped,
        FunctionBuilder::new("nothing", FunctionTarget::HostOperation).finish(None),
    ]);
}

#[test]
fn operands_that_do_not_fit_are_declarations() {
    let pair = |name: &str, a: HirType, b: HirType, result: HirType| {
        operation(name, [a, b], |[a, b]| typed(binary(Add, a, b), result))
    };
    declares([
        pair("extents", f32s(&[2]), f32s(&[3]), f32s(&[2])),
        pair("outranks", f32s(&[3]), f32s(&[2, 3]), f32s(&[3])),
        pair("elements", f32s(&[2]), of(F64, &[2]), f32s(&[2])),
        pair("result", f32s(&[2]), f32s(&[2]), of(F64, &[2])),
        pair("scalar", f32s(&[2]), F64.into(), f32s(&[2])),
        pair("bools", of(Bool, &[2]), of(Bool, &[2]), of(Bool, &[2])),
        pair("chars", of(Char, &[2]), of(Char, &[2]), of(Char, &[2])),
        operation("product", [f32s(&[2, 3]), f32s(&[2, 3])], |[a, b]| {
            typed(binary(MatMul, a, b), f32s(&[2, 3]))
        }),
        operation("ranks", [f32s(&[3]), f32s(&[3])], |[a, b]| {
            typed(binary(MatMul, a, b), f32s(&[]))
        }),
        operation("exponent", [f32s(&[2]), f32s(&[3])], pow_of),
        operation("power", [of(I32, &[2]), of(I32, &[2])], pow_of),
        operation("root", [of(I32, &[2])], |[a]| math(MathFunction::Sqrt, a)),
        operation("not", [of(Bool, &[2])], |[a]| unary(Not, a)),
        operation("negated", [of(Bool, &[2])], |[a]| unary(Neg, a)),
        operation("unsigned", [of(U8, &[2])], |[a]| unary(Neg, a)),
    ]);
}

fn pow_of([a, b]: [HirExpr; 2]) -> HirExpr {
    pow(a, b)
}

/// Tensors have no comparisons and no logic.
#[test]
fn other_operators_are_declarations() {
    let of_op = |op, scalar, result| {
        let name = format!("{op:?}_{scalar}_{result}");
        let ty = || of(scalar, &[2]);
        operation(&name, [ty(), ty()], |[a, b]| {
            typed(binary(op, a, b), of(result, &[2]))
        })
    };
    let mut functions = Vec::new();
    for scalar in [I32, U8, F32, Bool] {
        for op in [Eq, Lt, And] {
            functions.push(of_op(op, scalar, scalar));
            if scalar != Bool {
                functions.push(of_op(op, scalar, Bool));
            }
        }
    }
    declares(functions);
}

#[test]
fn extents_that_no_operand_proves_are_declarations() {
    let n = || unknown(&[None]);
    declares([
        operation("unproven", [n(), f32s(&[3])], |[a, b]| {
            typed(binary(Add, a, b), n())
        }),
        operation("known", [n(), f32s(&[3])], |[a, b]| {
            typed(binary(Add, a, b), f32s(&[3]))
        }),
        operation("made", [f32s(&[])], |[a]| {
            typed(math(MathFunction::Abs, a), n())
        }),
        op_of("filled", n(), n(), |_| TensorOp::Fill(Fill::Ones)),
        operation("rows", [unknown(&[None, Some(3)]), f32s(&[3, 4])], matmul),
        operation(
            "inner",
            [unknown(&[Some(2), None]), unknown(&[None, Some(4)])],
            matmul,
        ),
        operation(
            "columns",
            [f32s(&[2, 3]), unknown(&[Some(3), None])],
            matmul,
        ),
        operation("folded", [n()], |[a]| reduce(Reduction::Sum, a, None)),
        operation("kept", [unknown(&[None, Some(3)])], |[a]| {
            reduce(Reduction::Max, a, Some(1))
        }),
        op_of("sorted", n(), n(), |operand| TensorOp::Sort {
            operand,
            axis: 0,
            descending: false,
        }),
        op_of(
            "moved",
            unknown(&[None, Some(3)]),
            unknown(&[Some(3), None]),
            |operand| TensorOp::Permute {
                operand,
                axes: vec![1, 0],
            },
        ),
        op_of("reshaped", n(), f32s(&[3]), TensorOp::Reshape),
        op_of("sliced", n(), f32s(&[2]), |tensor| TensorOp::Slice {
            tensor,
            axes: vec![range(0, 2)],
        }),
        op_of("contracted", n(), f32s(&[]), |operand| {
            einsum(&["i"], "", vec![*operand])
        }),
    ]);
}

fn matmul([a, b]: [HirExpr; 2]) -> HirExpr {
    binary(MatMul, a, b)
}

fn range(start: u64, extent: u64) -> SliceAxis {
    SliceAxis::Range {
        start,
        extent,
        reversed: false,
    }
}

fn einsum(inputs: &[&str], output: &str, operands: Vec<HirExpr>) -> TensorOp {
    TensorOp::Einsum(Einsum {
        inputs: inputs.iter().map(|input| input.chars().collect()).collect(),
        output: output.chars().collect(),
        operands,
    })
}

#[test]
fn movements_that_do_not_fit_are_declarations() {
    let permuted = |name: &str, axes: &[usize], result: &[u64]| {
        op_of(name, f32s(&[2, 3]), f32s(result), |operand| {
            TensorOp::Permute {
                operand,
                axes: axes.to_vec(),
            }
        })
    };
    let sliced = |name: &str, axes: Vec<SliceAxis>, result: HirType| {
        op_of(name, f32s(&[2, 3]), result, |tensor| TensorOp::Slice {
            tensor,
            axes,
        })
    };
    let at = |position| SliceAxis::Position(integer(position, I32));
    declares([
        permuted("twice", &[0, 0], &[2, 2]),
        permuted("missing", &[0], &[2]),
        permuted("beyond", &[0, 2], &[2, 3]),
        permuted("shape", &[1, 0], &[2, 3]),
        op_of("count", f32s(&[2, 3]), f32s(&[5]), TensorOp::Reshape),
        op_of("cast", f32s(&[2]), of(I32, &[2]), TensorOp::Reshape),
        sliced("entries", vec![range(0, 2)], f32s(&[2])),
        sliced("outside", vec![range(1, 2), range(0, 3)], f32s(&[2, 3])),
        sliced("far", vec![range(u64::MAX, 2), range(0, 3)], f32s(&[2, 3])),
        sliced("result", vec![range(0, 2), range(0, 2)], f32s(&[2, 3])),
        sliced("position", vec![at(2), range(0, 3)], f32s(&[3])),
        sliced("negative", vec![at(-1), range(0, 3)], f32s(&[3])),
        sliced(
            "fraction",
            vec![SliceAxis::Position(float(0.0, F32)), range(0, 3)],
            f32s(&[3]),
        ),
        sliced("element", vec![range(0, 2), range(0, 3)], of(F64, &[2, 3])),
    ]);
}

#[test]
fn folds_that_do_not_fit_are_declarations() {
    let reduced = |name: &str, op, from: HirType, axis, result| {
        operation(name, [from], |[a]| typed(reduce(op, a, axis), result))
    };
    let contracted = |name: &str, input: &str, output: &str, from: HirType, result| {
        op_of(name, from, result, |operand| {
            einsum(&[input], output, vec![*operand])
        })
    };
    declares([
        reduced("axis", Reduction::Sum, f32s(&[2]), Some(1), f32s(&[])),
        reduced("shape", Reduction::Sum, f32s(&[2, 3]), Some(1), f32s(&[3])),
        reduced("element", Reduction::Sum, f32s(&[2]), None, of(F64, &[])),
        reduced("bools", Reduction::Max, of(Bool, &[2]), None, of(Bool, &[])),
        reduced("mean", Reduction::Mean, of(I32, &[2]), None, of(I32, &[])),
        contracted("letters", "i", "i", f32s(&[2, 3]), f32s(&[2])),
        contracted("absent", "ij", "k", f32s(&[2, 3]), f32s(&[2])),
        contracted("square", "ii", "i", f32s(&[2, 3]), f32s(&[2])),
        contracted("result", "ij", "i", f32s(&[2, 3]), f32s(&[3])),
        contracted("flags", "i", "", of(Bool, &[2]), of(Bool, &[])),
        operation("nothing", [f32s(&[])], |[_]| {
            tensor(einsum(&[], "", vec![]), f32s(&[]))
        }),
        operation("extra", [f32s(&[2])], |[a]| {
            tensor(einsum(&["i"], "", vec![a.clone(), a]), f32s(&[]))
        }),
        op_of("twice", f32s(&[2]), f32s(&[2, 2]), |operand| {
            einsum(&["i"], "ii", vec![*operand])
        }),
    ]);
}

#[test]
fn sorts_and_fills_that_do_not_fit_are_declarations() {
    let sorted = |name: &str, from: HirType, axis, to| {
        op_of(name, from, to, |operand| TensorOp::Sort {
            operand,
            axis,
            descending: false,
        })
    };
    let pair = |a, b| HirType::Tuple(vec![a, b]);
    let top = |name: &str, k, to| {
        op_of(name, f32s(&[2]), to, |operand| TensorOp::TopK {
            operand,
            axis: 0,
            k,
        })
    };
    let filled = |name: &str, fill, to| op_of(name, f32s(&[2]), to, |_| TensorOp::Fill(fill));
    declares([
        sorted("axis", f32s(&[2]), 1, f32s(&[2])),
        sorted("rank0", f32s(&[]), 0, f32s(&[])),
        sorted("bools", of(Bool, &[2]), 0, of(Bool, &[2])),
        sorted("shape", f32s(&[2]), 0, f32s(&[3])),
        top("many", 3, pair(f32s(&[3]), of(I32, &[3]))),
        filled("vector", Fill::Identity, f32s(&[2])),
        filled("cube", Fill::Identity, f32s(&[2, 2, 2])),
        filled("scalar", Fill::Zeros, F32.into()),
        op_of("nested", f32s(&[2]), f32s(&[]), TensorOp::Scalar),
    ]);
}

#[test]
fn assignments_that_do_not_fit_are_declarations() {
    let assigns = |name: &str, target: HirType, value: HirType, op| {
        let mut function = FunctionBuilder::new(name, FunctionTarget::HostOperation);
        let place = function.parameter("t", target);
        let value = function.parameter("v", value);
        function.push(HirStatementKind::CompoundAssign { op, place, value });
        function.finish(None)
    };
    let target = |ty| HirType::reference(true, ty);
    let mut local = FunctionBuilder::new("local", FunctionTarget::HostOperation);
    let a = local.parameter("a", f32s(&[2]));
    let place = local.bind_mutable("b", binary(Add, a.clone(), a.clone()));
    local.push(HirStatementKind::CompoundAssign {
        op: Add,
        place,
        value: a,
    });
    let ints = || of(I32, &[2]);
    declares([
        assigns(
            "shared",
            HirType::reference(false, f32s(&[2])),
            f32s(&[2]),
            Add,
        ),
        assigns("owned", f32s(&[2]), f32s(&[2]), Add),
        assigns("grows", target(f32s(&[2])), f32s(&[3, 2]), Add),
        assigns("extent", target(f32s(&[2])), f32s(&[3]), Add),
        assigns("element", target(f32s(&[2])), of(F64, &[2]), Mul),
        assigns("flags", target(of(Bool, &[2])), of(Bool, &[2]), Add),
        assigns("product", target(f32s(&[2, 2])), f32s(&[2, 2]), MatMul),
        assigns("equals", target(ints()), ints(), Eq),
        assigns("scalar", target(F32.into()), F32.into(), Div),
        local.finish(None),
    ]);
}

#[test]
fn tuples_that_do_not_fit_are_declarations() {
    let tuple = |a: &HirExpr| {
        let sum = binary(Add, a.clone(), a.clone());
        let ty = HirType::Tuple(vec![a.ty.clone(), a.ty.clone()]);
        expr(HirExprKind::Tuple(vec![sum.clone(), sum]), ty)
    };
    let member = |operand: HirExpr, index| {
        let operand = Box::new(operand);
        expr(HirExprKind::TupleMember { operand, index }, f32s(&[2]))
    };
    let bound = |name: &str, count| {
        let mut function = FunctionBuilder::new(name, FunctionTarget::HostOperation);
        let a = function.parameter("a", f32s(&[2]));
        let locals = (0..count).map(|_| function.declare("part", f32s(&[2]), false));
        let locals: Vec<_> = locals.collect();
        let last = neuro_hir::build::local(locals[count - 1], f32s(&[2]));
        function.push(HirStatementKind::Bind {
            pattern: HirPattern::Tuple(locals),
            value: if count == 1 { a.clone() } else { tuple(&a) },
        });
        function.finish(Some(binary(Add, last, a)))
    };
    declares([
        operation("member", [f32s(&[2])], |[a]| member(tuple(&a), 2)),
        operation("of_a_tensor", [f32s(&[2])], |[a]| member(a, 0)),
        operation("operand", [f32s(&[2])], |[a]| {
            binary(Add, a.clone(), tuple(&a))
        }),
        bound("too_many", 3),
        bound("no_tuple", 1),
    ]);
}
