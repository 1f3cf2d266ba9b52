use ast_types::{Argument, Name};
use neuro_hir::{Extent, HirExpr, Reduction, TensorOp, shape};
use shared_types::{ScalarType, Span};

use super::{only_element, tensor_op};
use crate::check::arguments::Arguments;
use crate::check::body::Body;
use crate::faults::{Checked, Failed};

impl Body<'_, '_> {
    /// `.sum()` and the like: a scalar, or with `axis:` a tensor without that axis (numerics,
    /// §Reductions).
    pub(super) fn reduction(
        &mut self,
        op: Reduction,
        operand: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments { named: [axis], .. } =
            self.arguments::<0, 1>(method, arguments, ["axis"])?;
        let tensor = self.static_tensor(&operand)?;
        let applies = match op {
            Reduction::Mean => tensor.scalar().is_some_and(ScalarType::is_float),
            Reduction::Sum | Reduction::Max | Reduction::Min => {
                tensor.scalar().is_some_and(ScalarType::is_number)
            }
        };
        if !applies {
            let message = format!("`{method}` does not apply to `{tensor}`");
            return Err(self.fault(method.span, message));
        }
        let axis = match axis {
            Some(axis) => Some(self.axis(axis, &tensor)?),
            None => None,
        };
        let run_is_empty = match axis {
            Some(axis) => tensor.axes[axis].extent == Extent::Static(0),
            None => tensor.elements() == Some(0),
        };
        if run_is_empty && matches!(op, Reduction::Max | Reduction::Min) {
            let message = format!("`{method}` of no elements: `{tensor}`");
            return Err(self.fault(method.span, message));
        }
        let result = tensor.with_axes(shape::reduce(&tensor, axis).ok_or(Failed)?);
        let operand = Box::new(operand);
        let reduce = TensorOp::Reduce { op, operand, axis };
        Ok(match axis {
            Some(_) => tensor_op(reduce, result, span),
            None => only_element(reduce, result, span),
        })
    }
}
