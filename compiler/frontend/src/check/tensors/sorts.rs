use ast_types::{Argument, Name};
use neuro_hir::{Extent, HirExpr, HirType, TensorOp, TensorType};
use shared_types::{ScalarType, Span};

use super::tensor_op;
use crate::Diagnostic;
use crate::check::arguments::Arguments;
use crate::check::body::Body;
use crate::faults::Checked;

impl Body<'_, '_> {
    /// `.sort()` and `.argsort()` (numerics, §Sorts).
    pub(super) fn sort(
        &mut self,
        operand: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments {
            named: [axis, descending],
            ..
        } = self.arguments::<0, 2>(method, arguments, ["axis", "descending"])?;
        let tensor = self.sortable(&operand, method)?;
        let axis = self.axis_or_last(axis, &tensor, method)?;
        let descending = match descending {
            Some(descending) => self.constant_bool(descending)?,
            None => false,
        };
        let operand = Box::new(operand);
        if method.text == "sort" {
            let sort = TensorOp::Sort {
                operand,
                axis,
                descending,
            };
            return Ok(tensor_op(sort, tensor, span));
        }
        let positions = self.positions(&tensor, axis, method)?;
        let sort = TensorOp::ArgSort {
            operand,
            axis,
            descending,
        };
        Ok(tensor_op(sort, positions, span))
    }

    /// `.topk(k: 3)`: the values and their positions.
    pub(super) fn top_k(
        &mut self,
        operand: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments {
            named: [k, axis], ..
        } = self.arguments::<0, 2>(method, arguments, ["k", "axis"])?;
        let Some(k) = k else {
            let fault = Diagnostic::new(method.span, "`topk` takes `k:`")
                .help("say how many: `.topk(k: 3)`");
            return Err(self.items.report(fault));
        };
        let tensor = self.sortable(&operand, method)?;
        let axis = self.axis_or_last(axis, &tensor, method)?;
        let count = self.constant_integer(k)?;
        let extent = tensor.axes[axis].extent.known().unwrap_or(0);
        let Some(count) = u64::try_from(count).ok().filter(|count| *count <= extent) else {
            let message = format!("axis {axis} of `{tensor}` has no first {count} elements");
            return Err(self.fault(k.span, message));
        };
        let mut values = tensor;
        values.axes[axis].extent = Extent::Static(count);
        let positions = self.positions(&values, axis, method)?;
        let ty = HirType::Tuple(vec![values.into(), positions.into()]);
        let top = TensorOp::TopK {
            operand: Box::new(operand),
            axis,
            k: count,
        };
        Ok(tensor_op(top, ty, span))
    }

    fn sortable(&mut self, operand: &HirExpr, method: &Name) -> Checked<TensorType> {
        let tensor = self.static_tensor(operand)?;
        if tensor.scalar().is_some_and(ScalarType::is_number) {
            return Ok(tensor);
        }
        let message = format!("`{method}` takes numbers, not `{tensor}`");
        Err(self.fault(method.span, message))
    }

    /// Positions are of type `i32`, which must hold them.
    fn positions(
        &mut self,
        tensor: &TensorType,
        axis: usize,
        method: &Name,
    ) -> Checked<TensorType> {
        let extent = tensor.axes[axis].extent.known();
        if extent.is_some_and(|extent| extent > 1 << 31) {
            let message = format!("an `i32` does not hold the positions of axis {axis}");
            return Err(self.fault(method.span, message));
        }
        Ok(TensorType {
            element: Box::new(ScalarType::I32.into()),
            axes: tensor.axes.clone(),
        })
    }
}
