use ast_types::{Argument, Expr, ExprKind, Name};
use neuro_hir::{HirExpr, TensorOp};
use shared_types::Span;

use super::{Device, tensor_op};
use crate::Diagnostic;
use crate::check::arguments::Arguments;
use crate::check::body::Body;
use crate::faults::Checked;

impl Body<'_, '_> {
    /// `.to(Device::GPU(0))`
    pub(super) fn move_to(
        &mut self,
        operand: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let Arguments {
            positional: [device],
            ..
        } = self.arguments::<1, 0>(method, arguments, [])?;
        let device = self.device(device)?;
        let ty = operand.ty.referent().clone();
        let operand = Box::new(operand);
        Ok(tensor_op(TensorOp::ToDevice { operand, device }, ty, span))
    }

    fn device(&mut self, device: &Expr) -> Checked<Device> {
        match &device.kind {
            ExprKind::Path { owner, member, .. }
                if owner.text == "Device" && member.text == "CPU" =>
            {
                return Ok(Device::Cpu);
            }
            ExprKind::Call { callee, arguments } => {
                if let ExprKind::Path { owner, member, .. } = &callee.kind
                    && owner.text == "Device"
                    && member.text == "GPU"
                {
                    let Arguments {
                        positional: [number],
                        ..
                    } = self.arguments::<1, 0>(member, arguments, [])?;
                    return match self.constant_integer(number)?.try_into() {
                        Ok(number) => Ok(Device::Gpu(number)),
                        Err(_) => Err(self.fault(number.span, "no GPU has this number")),
                    };
                }
            }
            _ => {}
        }
        let fault = Diagnostic::new(device.span, "this is no device")
            .label("expected `Device::CPU` or `Device::GPU(0)`");
        Err(self.items.report(fault))
    }
}
