use ast_types::{Expr, ExprKind};
use neuro_hir::{Axis, Extent, HirExpr, HirExprKind, SliceAxis, TensorOp, TensorType};
use shared_types::{Literal, Span};

use super::tensor_op;
use crate::Diagnostic;
use crate::check::body::Body;
use crate::check::calls::is_place;
use crate::check::operators::borrowed;
use crate::faults::Checked;

/// A range in an index, and whether it runs from its last position down.
struct Run<'e> {
    start: Option<&'e Expr>,
    end: Option<&'e Expr>,
    inclusive: bool,
    reversed: bool,
    span: Span,
}

impl Body<'_, '_> {
    /// `t[i, j]`, an element, or with ranges a slice.
    pub fn index(&mut self, operand: &Expr, entries: &[Expr], span: Span) -> Checked<HirExpr> {
        let operand = self.value(operand, None)?;
        let Some(tensor) = operand.ty.as_tensor().cloned() else {
            let message = format!("a `{}` has no elements to index", operand.ty);
            return Err(self.fault(operand.span, message));
        };
        if entries.len() != tensor.rank() {
            let message = format!(
                "`{tensor}` takes an entry an axis: {}, not {}",
                tensor.rank(),
                entries.len()
            );
            return Err(self.fault(span, message));
        }
        if entries.iter().all(|entry| run(entry).is_none()) {
            let indices: Vec<_> = entries.iter().map(|entry| self.position(entry)).collect();
            let element = TensorOp::Element {
                tensor: Box::new(operand),
                indices: indices.into_iter().collect::<Checked<_>>()?,
            };
            return Ok(tensor_op(element, (*tensor.element).clone(), span));
        }
        self.require_operable(&operand)?;
        let mut axes = Vec::new();
        let mut result = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let (entry, axis) = self.slice_axis(entry, &tensor, at)?;
            axes.push(entry);
            result.extend(axis);
        }
        let result = tensor.with_axes(result);
        let tensor = Box::new(if is_place(&operand) {
            borrowed(operand)
        } else {
            operand
        });
        Ok(tensor_op(TensorOp::Slice { tensor, axes }, result, span))
    }

    fn position(&mut self, entry: &Expr) -> Checked<HirExpr> {
        let position = self.operand(entry, None)?;
        match position.ty.as_scalar() {
            Some(scalar) if scalar.is_integer() => Ok(position),
            _ => {
                let message = format!("an index is an integer, not `{}`", position.ty);
                Err(self.fault(entry.span, message))
            }
        }
    }

    /// One entry of a slice, and the axis of the result where it leaves one.
    fn slice_axis(
        &mut self,
        entry: &Expr,
        tensor: &TensorType,
        at: usize,
    ) -> Checked<(SliceAxis, Option<Axis>)> {
        let extent = tensor.axes[at].extent.known().unwrap_or(0);
        let Some(run) = run(entry) else {
            let position = self.position(entry)?;
            if let HirExprKind::Literal(Literal::Integer(value)) = position.kind
                && !(0..i128::from(extent)).contains(&value)
            {
                let message =
                    format!("index {value} is out of range for axis {at} of extent {extent}");
                return Err(self.fault(entry.span, message));
            }
            let is_literal = matches!(position.kind, HirExprKind::Literal(_));
            if self.only_gpu && !is_literal {
                // Its callers would have to check it: the body itself cannot panic.
                let message = "a slice at a position that is no literal is not supported yet in a `@gpu` function";
                return Err(self.fault(entry.span, message));
            }
            return Ok((SliceAxis::Position(position), None));
        };
        let (start, end) = self.bounds(&run, extent)?;
        if !(0 <= start && start <= end && end <= i128::from(extent)) {
            let fault =
                Diagnostic::new(run.span, format!("{start}..{end} is no part of axis {at}"))
                    .label(format!("expected a range within 0..{extent}"));
            return Err(self.items.report(fault));
        }
        let (start, extent) = (start as u64, (end - start) as u64);
        let slice = SliceAxis::Range {
            start,
            extent,
            reversed: run.reversed,
        };
        let axis = Axis {
            name: tensor.axes[at].name.clone(),
            extent: Extent::Static(extent),
        };
        Ok((slice, Some(axis)))
    }

    /// Where a range begins and ends, the end being left out.
    fn bounds(&mut self, run: &Run, extent: u64) -> Checked<(i128, i128)> {
        let start = match run.start {
            Some(start) => self.bound(start)?,
            None => 0,
        };
        let end = match run.end {
            Some(end) => self.bound(end)? + i128::from(run.inclusive),
            None => extent.into(),
        };
        Ok((start, end))
    }

    fn bound(&mut self, bound: &Expr) -> Checked<i128> {
        if let ExprKind::Name(name) = &bound.kind
            && self.lookup(name).is_some()
        {
            let fault = Diagnostic::new(bound.span, "the bounds of a slice are constant")
                .help("the shape of the result follows from them");
            return Err(self.items.report(fault));
        }
        self.constant_integer(bound)
    }
}

/// `a..b`, `..`, or `(a..b).rev()`.
fn run(entry: &Expr) -> Option<Run<'_>> {
    match &entry.kind {
        ExprKind::Range {
            start,
            end,
            inclusive,
        } => Some(Run {
            start: start.as_deref(),
            end: end.as_deref(),
            inclusive: *inclusive,
            reversed: false,
            span: entry.span,
        }),
        ExprKind::MethodCall {
            receiver,
            method,
            arguments,
        } if method.text == "rev" && arguments.is_empty() => {
            let run = run(receiver)?;
            let reversed = !run.reversed;
            Some(Run { reversed, ..run })
        }
        _ => None,
    }
}
