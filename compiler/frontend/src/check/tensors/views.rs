use ast_types::{Argument, Expr, Name};
use neuro_hir::{Axis, Extent, HirExpr, TensorOp, TensorType};
use shared_types::Span;

use super::tensor_op;
use crate::Diagnostic;
use crate::check::arguments::Arguments;
use crate::check::body::Body;
use crate::faults::Checked;

impl Body<'_, '_> {
    /// `.t()`: the last two axes swap.
    pub(super) fn transpose(
        &mut self,
        operand: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments { .. } = self.arguments::<0, 0>(method, arguments, [])?;
        let tensor = self.static_tensor(&operand)?;
        let rank = tensor.rank();
        if rank < 2 {
            let message = format!("`t` swaps two axes: `{tensor}` has not so many");
            return Err(self.fault(method.span, message));
        }
        let mut axes: Vec<usize> = (0..rank).collect();
        axes.swap(rank - 2, rank - 1);
        Ok(permuted(operand, &tensor, axes, span))
    }

    /// `.permute([1, 0])`: axis `k` of the result is axis `p[k]` of the operand.
    pub(super) fn permute(
        &mut self,
        operand: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments {
            positional: [order],
            ..
        } = self.arguments::<1, 0>(method, arguments, [])?;
        let tensor = self.static_tensor(&operand)?;
        let axes = self.axis_list(order, &tensor)?;
        if axes.len() != tensor.rank() {
            let message = format!("`permute` names each axis of `{tensor}` once");
            return Err(self.fault(order.span, message));
        }
        Ok(permuted(operand, &tensor, axes, span))
    }

    /// Positions of axes, each once.
    fn axis_list(&mut self, list: &Expr, tensor: &TensorType) -> Checked<Vec<usize>> {
        let rank = tensor.rank() as i128;
        let mut axes: Vec<usize> = Vec::new();
        for position in self.constant_integers(list)? {
            let from_start = if position < 0 {
                position + rank
            } else {
                position
            };
            let fault = match usize::try_from(from_start) {
                Ok(axis) if from_start < rank && !axes.contains(&axis) => {
                    axes.push(axis);
                    continue;
                }
                Ok(axis) if axes.contains(&axis) => format!("axis {position} is named twice"),
                _ => format!("`{tensor}` has no axis {position}"),
            };
            return Err(self.fault(list.span, fault));
        }
        Ok(axes)
    }

    /// `.reshape([2, -1])`: the same elements; `-1` is what is left for that axis.
    pub(super) fn reshape(
        &mut self,
        operand: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments {
            positional: [shape],
            ..
        } = self.arguments::<1, 0>(method, arguments, [])?;
        let tensor = self.static_tensor(&operand)?;
        let extents = self.constant_integers(shape)?;
        let extents = self.determined(&extents, &tensor, shape.span)?;
        let axes = extents.into_iter().map(unnamed);
        let result = tensor.with_axes(axes.collect());
        if result.elements() != tensor.elements() {
            let message = format!("`{tensor}` does not have the elements of `{result}`");
            return Err(self.fault(shape.span, message));
        }
        Ok(tensor_op(
            TensorOp::Reshape(Box::new(operand)),
            result,
            span,
        ))
    }

    /// The extents of a reshape, with the value of a `-1`.
    fn determined(
        &mut self,
        extents: &[i128],
        tensor: &TensorType,
        span: Span,
    ) -> Checked<Vec<u64>> {
        let mut open = None;
        let mut known: Vec<u64> = Vec::new();
        for (at, &extent) in extents.iter().enumerate() {
            match u64::try_from(extent) {
                Ok(extent) => known.push(extent),
                Err(_) if extent == -1 && open.is_none() => open = Some(at),
                Err(_) if extent == -1 => return Err(self.fault(span, "one `-1` at the most")),
                Err(_) => return Err(self.fault(span, format!("no axis has the extent {extent}"))),
            }
        }
        let Some(at) = open else {
            return Ok(known);
        };
        let elements = tensor.elements().unwrap_or(0);
        let product = known
            .iter()
            .try_fold(1u64, |n, &extent| n.checked_mul(extent));
        let rest = product.filter(|product| *product != 0 && elements.is_multiple_of(*product));
        let Some(rest) = rest else {
            let fault = Diagnostic::new(span, "the extent that `-1` stands for is not determined")
                .label(format!("`{tensor}` has {elements} elements"));
            return Err(self.items.report(fault));
        };
        known.insert(at, elements / rest);
        Ok(known)
    }

    /// `.flatten()`: one axis; with `dims: [1, 2]` those axes, which follow each other, are one.
    pub(super) fn flatten(
        &mut self,
        operand: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments { named: [dims], .. } =
            self.arguments::<0, 1>(method, arguments, ["dims"])?;
        let tensor = self.static_tensor(&operand)?;
        let (first, count) = match dims {
            None => (0, tensor.rank()),
            Some(dims) => {
                let axes = self.axis_list(dims, &tensor)?;
                let first = axes.first().copied().unwrap_or(0);
                if axes.is_empty() || !axes.iter().copied().eq(first..first + axes.len()) {
                    let message = "the axes to flatten follow each other";
                    return Err(self.fault(dims.span, message));
                }
                (first, axes.len())
            }
        };
        let mut axes = tensor.axes.clone();
        let flat: Vec<Axis> = axes.drain(first..first + count).collect();
        // The product of all extents is below 2^63, but one of them may be 0 and hide the rest.
        let extent = tensor.with_axes(flat).elements();
        axes.insert(first, unnamed(extent.unwrap_or(0)));
        let result = tensor.with_axes(axes);
        Ok(tensor_op(
            TensorOp::Reshape(Box::new(operand)),
            result,
            span,
        ))
    }
}

fn permuted(operand: HirExpr, tensor: &TensorType, axes: Vec<usize>, span: Span) -> HirExpr {
    let result = axes.iter().map(|&axis| tensor.axes[axis].clone()).collect();
    let result = tensor.with_axes(result);
    let operand = Box::new(operand);
    tensor_op(TensorOp::Permute { operand, axes }, result, span)
}

fn unnamed(extent: u64) -> Axis {
    Axis {
        name: None,
        extent: Extent::Static(extent),
    }
}
