use super::{Piece, Pieces, list, wrap};
use crate::{Device, Fill, HirExpr, HirType, SliceAxis, TensorOp};

/// A tensor operation of type `ty`.
pub(super) fn operation<'a>(op: &'a TensorOp, ty: &HirType) -> Pieces<'a> {
    match op {
        TensorOp::Literal(elements) => wrap(format!("{ty}::from(["), list(elements), "])"),
        TensorOp::Fill(fill) => {
            let name = match fill {
                Fill::Zeros => "zeros",
                Fill::Ones => "ones",
                Fill::Identity => "identity",
            };
            vec![format!("{ty}::{name}()").into()]
        }
        TensorOp::Scalar(value) => wrap("Tensor::scalar(", vec![Piece::Expr(value)], ")"),
        TensorOp::Clone(operand) => method(operand, "clone", String::new()),
        TensorOp::Element { tensor, indices } => {
            let mut pieces = vec![Piece::Operand(tensor)];
            pieces.extend(wrap("[", list(indices), "]"));
            pieces
        }
        TensorOp::Slice { tensor, axes } => slice(tensor, axes),
        TensorOp::Permute { operand, axes } => method(operand, "permute", format!("{axes:?}")),
        TensorOp::Reshape(operand) => method(operand, "reshape", ty.to_string()),
        TensorOp::Reduce { op, operand, axis } => {
            let axis = axis.map_or(String::new(), |axis| format!("axis: {axis}"));
            method(operand, op.name(), axis)
        }
        TensorOp::Sort {
            operand,
            axis,
            descending,
        } => method(operand, "sort", order(*axis, *descending)),
        TensorOp::ArgSort {
            operand,
            axis,
            descending,
        } => method(operand, "argsort", order(*axis, *descending)),
        TensorOp::TopK { operand, axis, k } => {
            method(operand, "topk", format!("k: {k}, axis: {axis}"))
        }
        TensorOp::Einsum(einsum) => {
            let inputs: Vec<String> = einsum.inputs.iter().map(|i| i.iter().collect()).collect();
            let output: String = einsum.output.iter().collect();
            let letters = format!("{}->{output}", inputs.join(","));
            let mut pieces = vec![format!("einsum({letters:?}, ").into()];
            pieces.extend(list(&einsum.operands));
            pieces.push(")".into());
            pieces
        }
        TensorOp::Map { operand, function } => traversal(operand, "map", [function]),
        TensorOp::Zip {
            left,
            right,
            function,
        } => traversal(left, "zip", [right, function]),
        TensorOp::Fold {
            operand,
            initial,
            function,
        } => traversal(operand, "reduce", [initial, function]),
        TensorOp::ToDevice { operand, device } => {
            let device = match device {
                Device::Cpu => "Device::CPU".to_string(),
                Device::Gpu(number) => format!("Device::GPU({number})"),
            };
            method(operand, "to", device)
        }
    }
}

fn method<'a>(operand: &'a HirExpr, name: &str, arguments: String) -> Pieces<'a> {
    vec![
        Piece::Operand(operand),
        format!(".{name}({arguments})").into(),
    ]
}

fn order(axis: usize, descending: bool) -> String {
    format!("axis: {axis}, descending: {descending}")
}

fn traversal<'a, const N: usize>(
    operand: &'a HirExpr,
    name: &str,
    arguments: [&'a HirExpr; N],
) -> Pieces<'a> {
    let mut pieces = vec![Piece::Operand(operand)];
    pieces.extend(wrap(format!(".{name}("), list(arguments), ")"));
    pieces
}

fn slice<'a>(tensor: &'a HirExpr, axes: &'a [SliceAxis]) -> Pieces<'a> {
    let mut pieces = vec![Piece::Operand(tensor), ".slice(".into()];
    for (index, axis) in axes.iter().enumerate() {
        if index > 0 {
            pieces.push(", ".into());
        }
        pieces.push(match axis {
            SliceAxis::Position(position) => Piece::Expr(position),
            SliceAxis::Range {
                start,
                extent,
                reversed,
            } => {
                let end = u128::from(*start) + u128::from(*extent);
                match reversed {
                    false => format!("{start}..{end}").into(),
                    true => format!("({start}..{end}).rev()").into(),
                }
            }
        });
    }
    pieces.push(")".into());
    pieces
}
