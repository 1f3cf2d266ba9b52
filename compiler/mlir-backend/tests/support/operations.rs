//! Each operation as a function of its own.

use ast_types::BinaryOp::{self, Add, Div, MatMul, Mul, Rem, Sub};
use ast_types::UnaryOp::Neg;
use neuro_hir::build::{binary, math, operation, pow, reduce, tensor as tensor_op, unary};
use neuro_hir::{
    Einsum, Fill, HirExpr, HirFunction, HirType, MathFunction, Reduction, SliceAxis, TensorOp,
    TensorType,
};
use shared_types::ScalarType;

pub fn tensor(scalar: ScalarType, extents: &[u64]) -> HirType {
    TensorType::new(scalar, extents).into()
}

pub fn numbers() -> impl Iterator<Item = ScalarType> {
    ScalarType::ALL
        .into_iter()
        .filter(|scalar| scalar.is_number())
}

const ARITHMETIC: [BinaryOp; 5] = [Add, Sub, Mul, Div, Rem];

/// Every operation on every number type that has it.
pub fn every_operation() -> Vec<HirFunction> {
    let mut functions = Vec::new();
    for scalar in numbers() {
        let ty = |extents: &[u64]| tensor(scalar, extents);
        for op in ARITHMETIC {
            let name = format!("{scalar}_{op:?}");
            let operands = [ty(&[2, 3]), ty(&[3])];
            functions.push(operation(&name, operands, |[a, b]| binary(op, a, b)));
            let name = format!("{scalar}_{op:?}_scalar");
            let operands = [scalar.into(), ty(&[2, 0, 3])];
            functions.push(operation(&name, operands, |[a, b]| binary(op, a, b)));
        }
        let name = format!("{scalar}_matmul");
        let operands = [ty(&[3, 5]), ty(&[5, 7])];
        functions.push(operation(&name, operands, |[a, b]| binary(MatMul, a, b)));
        for op in Reduction::ALL {
            if op == Reduction::Mean && !scalar.is_float() {
                continue;
            }
            for (index, (extents, axis)) in [
                (&[7][..], None),
                (&[2, 3, 5], Some(1)),
                (&[4096], None),
                (&[3, 4097], None),
                (&[2, 10_007, 3], Some(1)),
                (&[8192], Some(0)),
                (&[], None),
            ]
            .into_iter()
            .enumerate()
            {
                let name = format!("{scalar}_{op:?}_{index}");
                functions.push(operation(&name, [ty(extents)], |[a]| reduce(op, a, axis)));
            }
        }
        functions.extend(movements(scalar));
        functions.extend(sorts(scalar));
        functions.extend(fills(scalar));
        if scalar.is_signed() || scalar.is_float() {
            let name = format!("{scalar}_neg");
            functions.push(operation(&name, [ty(&[5])], |[a]| unary(Neg, a)));
        }
        if scalar.is_float() {
            for function in MathFunction::ALL {
                let name = format!("{scalar}_{}", function.name());
                functions.push(operation(&name, [ty(&[5])], |[a]| math(function, a)));
            }
            let name = format!("{scalar}_pow");
            let operands = [ty(&[5]), ty(&[1])];
            functions.push(operation(&name, operands, |[a, b]| pow(a, b)));
        }
    }
    functions
}

/// What moves or contracts elements by their letters, in shapes of every rank.
fn movements(scalar: ScalarType) -> Vec<HirFunction> {
    let ty = |extents: &[u64]| tensor(scalar, extents);
    let mut functions = Vec::new();
    let mut push =
        |kind: &str, operands: [HirType; 2], body: &dyn Fn(HirExpr, HirExpr) -> HirExpr| {
            let name = format!("{scalar}_{kind}_{}", functions.len());
            functions.push(operation(&name, operands, |[a, b]| body(a, b)));
        };
    let boxed = |a: &HirExpr| Box::new(a.clone());
    for (from, to) in [
        (&[6, 4][..], &[2, 12][..]),
        (&[6, 4], &[24]),
        (&[1, 1], &[]),
        (&[], &[1, 1, 1]),
        (&[3, 0], &[0, 7]),
    ] {
        push("reshape", [ty(from), ty(from)], &|a, b| {
            tensor_op(TensorOp::Reshape(Box::new(binary(Add, a, b))), ty(to))
        });
        push("reshape", [ty(from), ty(from)], &|a, _| {
            tensor_op(TensorOp::Reshape(boxed(&a)), ty(to))
        });
    }
    push("permute", [ty(&[2, 3, 5]), ty(&[1])], &|a, _| {
        let op = TensorOp::Permute {
            operand: boxed(&a),
            axes: vec![2, 0, 1],
        };
        tensor_op(op, ty(&[5, 2, 3]))
    });
    push(
        "slice",
        [ty(&[4, 5, 3]), ScalarType::U8.into()],
        &|a, position| {
            let range = |start, extent, reversed| SliceAxis::Range {
                start,
                extent,
                reversed,
            };
            let op = TensorOp::Slice {
                tensor: boxed(&a),
                axes: vec![
                    range(1, 3, true),
                    SliceAxis::Position(position),
                    range(0, 0, false),
                ],
            };
            tensor_op(op, ty(&[3, 0]))
        },
    );
    for (inputs, output, operands, result) in [
        (["ij", "jk"], "ik", [&[2, 3][..], &[3, 4]], &[2, 4][..]),
        (["ii", "i"], "", [&[3, 3], &[3]], &[]),
        (["ii", "i"], "i", [&[3, 3], &[3]], &[3]),
        (["bij", "bkj"], "bik", [&[2, 3, 5], &[2, 7, 5]], &[2, 3, 7]),
        (["ab", "cd"], "dbca", [&[2, 3], &[4, 5]], &[5, 3, 4, 2]),
    ] {
        push("einsum", operands.map(ty), &|a, b| {
            let op = TensorOp::Einsum(Einsum {
                inputs: inputs.map(|letters| letters.chars().collect()).to_vec(),
                output: output.chars().collect(),
                operands: vec![a, b],
            });
            tensor_op(op, ty(result))
        });
    }
    functions
}

/// Short and long runs, contiguous or not.
fn sorts(scalar: ScalarType) -> Vec<HirFunction> {
    let ty = |scalar, extents: &[u64]| tensor(scalar, extents);
    let shapes: [(&[u64], usize); 4] = [(&[2, 5], 1), (&[5, 2], 0), (&[300], 0), (&[300, 2], 0)];
    let mut functions = Vec::new();
    for (extents, axis) in shapes {
        let mut push = |kind: &str, op: &dyn Fn(Box<HirExpr>) -> TensorOp, result: HirType| {
            let name = format!("{scalar}_{kind}_{}", functions.len());
            functions.push(operation(&name, [ty(scalar, extents)], |[a]| {
                tensor_op(op(Box::new(a)), result)
            }));
        };
        let descending = axis == 0;
        let sort = |operand| TensorOp::Sort {
            operand,
            axis,
            descending,
        };
        push("sort", &sort, ty(scalar, extents));
        let argsort = |operand| TensorOp::ArgSort {
            operand,
            axis,
            descending,
        };
        push("argsort", &argsort, ty(ScalarType::I32, extents));
        let mut first = extents.to_vec();
        first[axis] = 3;
        let top = |operand| TensorOp::TopK {
            operand,
            axis,
            k: 3,
        };
        let members = vec![ty(scalar, &first), ty(ScalarType::I32, &first)];
        push("topk", &top, HirType::Tuple(members));
    }
    functions
}

/// Tensors that a body makes.
fn fills(scalar: ScalarType) -> [HirFunction; 3] {
    [Fill::Zeros, Fill::Ones, Fill::Identity].map(|fill| {
        let ty = tensor(scalar, &[3, 3]);
        operation(&format!("{scalar}_{fill:?}"), [], |[]| {
            tensor_op(TensorOp::Fill(fill), ty)
        })
    })
}
