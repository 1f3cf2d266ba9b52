use neuro_hir::{Einsum, Fill, HirExpr, HirType, SliceAxis, TensorOp, TensorType};
use shared_types::{ScalarType, Span};
use tensor::{Scalar, Tensor};

use super::expr::check_index;
use super::{At, Stop};
use crate::frame::Frame;
use crate::interpreter::internal;
use crate::operation::{self, SliceEntry};
use crate::value::Function;
use crate::{Failure, Interpreter, Value};

impl<'p> Interpreter<'p, '_> {
    pub(super) fn tensor_op(
        &mut self,
        frame: &Frame<'p>,
        op: &'p TensorOp,
        expr: &'p HirExpr,
    ) -> Result<Value<'p>, Stop<'p>> {
        let span = expr.span;
        let tier = self.program.tier;
        let result = match op {
            TensorOp::Literal(elements) => self.literal_tensor(frame, elements, expr)?,
            TensorOp::Fill(fill) => filled(*fill, expr)?,
            TensorOp::Scalar(value) => {
                let value = self.scalar(frame, value)?;
                Tensor::from_scalar(value).at(span)?
            }
            // Where a tensor is kept is the host's matter.
            TensorOp::Clone(operand) | TensorOp::ToDevice { operand, device: _ } => {
                return self.read_anywhere(frame, operand);
            }
            TensorOp::Element { tensor, indices } => {
                let tensor = self.tensor(frame, tensor)?;
                let position = self.position(frame, tensor.shape(), indices, span)?;
                return Ok(tensor.get(position).at(span)?.into());
            }
            TensorOp::Slice { tensor, axes } => self.slice(frame, tensor, axes, span)?,
            TensorOp::Permute { operand, axes } => {
                let operand = self.tensor(frame, operand)?;
                operation::permute(&operand, axes).at(span)?
            }
            TensorOp::Reshape(operand) => {
                let operand = self.tensor(frame, operand)?;
                operand.reshape(&stated(expr)?.1).at(span)?
            }
            TensorOp::Reduce { op, operand, axis } => {
                let operand = self.tensor(frame, operand)?;
                operation::reduce(*op, tier, &operand, *axis).at(span)?
            }
            TensorOp::Sort {
                operand,
                axis,
                descending,
            } => {
                let operand = self.tensor(frame, operand)?;
                operation::sort(&operand, *axis, *descending).at(span)?
            }
            TensorOp::ArgSort {
                operand,
                axis,
                descending,
            } => {
                let operand = self.tensor(frame, operand)?;
                operation::argsort(&operand, *axis, *descending).at(span)?
            }
            TensorOp::TopK { operand, axis, k } => {
                let operand = self.tensor(frame, operand)?;
                let (values, positions) = operation::top_k(&operand, *axis, *k).at(span)?;
                return Ok(Value::Tuple(vec![values.into(), positions.into()]));
            }
            TensorOp::Einsum(einsum) => self.einsum(frame, einsum, span)?,
            TensorOp::Map { operand, function } => self.map(frame, operand, function, expr)?,
            TensorOp::Zip {
                left,
                right,
                function,
            } => self.zip(frame, left, right, function, expr)?,
            TensorOp::Fold {
                operand,
                initial,
                function,
            } => self.fold(frame, operand, initial, function, span)?,
        };
        Ok(result.into())
    }

    fn literal_tensor(
        &mut self,
        frame: &Frame<'p>,
        elements: &'p [HirExpr],
        expr: &HirExpr,
    ) -> Result<Tensor, Stop<'p>> {
        let (scalar, shape) = stated(expr)?;
        let mut result = Tensor::zeros(scalar, &shape).at(expr.span)?;
        if result.len() != elements.len() {
            return Err(internal(expr.span, "the elements do not fill the shape").into());
        }
        for (position, element) in elements.iter().enumerate() {
            let value = self.scalar(frame, element)?;
            result.set(position, value).at(element.span)?;
        }
        Ok(result)
    }

    /// All positions are evaluated before one is checked.
    fn slice(
        &mut self,
        frame: &Frame<'p>,
        operand: &'p HirExpr,
        axes: &'p [SliceAxis],
        span: Span,
    ) -> Result<Tensor, Stop<'p>> {
        let operand = self.tensor(frame, operand)?;
        let mut positions = Vec::new();
        for axis in axes {
            if let SliceAxis::Position(position) = axis {
                positions.push(self.integer(frame, position)?);
            }
        }
        let mut positions = positions.into_iter();
        let mut entries = Vec::new();
        for (index, (axis, &extent)) in axes.iter().zip(operand.shape()).enumerate() {
            entries.push(match axis {
                SliceAxis::Position(position) => {
                    let at = positions.next().unwrap_or(0);
                    SliceEntry::Position(check_index(at, index, extent, position.span)?)
                }
                SliceAxis::Range {
                    start,
                    extent,
                    reversed,
                } => SliceEntry::Range {
                    start: *start,
                    extent: *extent,
                    reversed: *reversed,
                },
            });
        }
        Ok(operation::slice(&operand, &entries).at(span)?)
    }

    fn einsum(
        &mut self,
        frame: &Frame<'p>,
        einsum: &'p Einsum,
        span: Span,
    ) -> Result<Tensor, Stop<'p>> {
        let mut operands = Vec::new();
        for operand in &einsum.operands {
            operands.push(self.tensor(frame, operand)?);
        }
        let Einsum { inputs, output, .. } = einsum;
        let contracted = einsum.contracted();
        let tier = self.program.tier;
        Ok(operation::einsum(tier, inputs, output, &contracted, &operands).at(span)?)
    }

    fn map(
        &mut self,
        frame: &Frame<'p>,
        operand: &'p HirExpr,
        function: &'p HirExpr,
        expr: &HirExpr,
    ) -> Result<Tensor, Stop<'p>> {
        let operand = self.tensor(frame, operand)?;
        let function = self.function_value(frame, function)?;
        Ok(self.traverse(&[operand], &function, expr)?)
    }

    fn zip(
        &mut self,
        frame: &Frame<'p>,
        left: &'p HirExpr,
        right: &'p HirExpr,
        function: &'p HirExpr,
        expr: &HirExpr,
    ) -> Result<Tensor, Stop<'p>> {
        let operands = [self.tensor(frame, left)?, self.tensor(frame, right)?];
        let function = self.function_value(frame, function)?;
        if operands[0].shape() != operands[1].shape() {
            let [left, right] = operands.map(|operand| operand.shape().to_vec());
            let error = operation::OperationError::Shapes { left, right };
            return Err(error.at(expr.span).into());
        }
        Ok(self.traverse(&operands, &function, expr)?)
    }

    /// `function` of the elements of the operands, which have one shape, in row-major order.
    fn traverse(
        &mut self,
        operands: &[Tensor],
        function: &Function<'p>,
        expr: &HirExpr,
    ) -> Result<Tensor, Failure> {
        let span = expr.span;
        let mut result = Tensor::zeros(stated_element(expr)?.0, operands[0].shape()).at(span)?;
        for position in 0..result.len() {
            let elements = operands.iter().map(|operand| operand.get(position));
            let elements: Vec<Scalar> = elements.collect::<Result<_, _>>().at(span)?;
            let value = self.call_value(function, &elements, span)?;
            result.set(position, value).at(span)?;
        }
        Ok(result)
    }

    fn fold(
        &mut self,
        frame: &Frame<'p>,
        operand: &'p HirExpr,
        initial: &'p HirExpr,
        function: &'p HirExpr,
        span: Span,
    ) -> Result<Tensor, Stop<'p>> {
        let operand = self.tensor(frame, operand)?;
        let mut folded = self.scalar(frame, initial)?;
        let function = self.function_value(frame, function)?;
        for position in 0..operand.len() {
            let element = operand.get(position).at(span)?;
            folded = self.call_value(&function, &[folded, element], span)?;
        }
        Ok(Tensor::from_scalar(folded).at(span)?)
    }
}

fn filled(fill: Fill, expr: &HirExpr) -> Result<Tensor, Failure> {
    let (scalar, shape) = stated(expr)?;
    match fill {
        Fill::Zeros => operation::filled(scalar, &shape, false),
        Fill::Ones => operation::filled(scalar, &shape, true),
        Fill::Identity => operation::identity(scalar, &shape),
    }
    .at(expr.span)
}

/// The element type and the shape that an expression's type states.
fn stated(expr: &HirExpr) -> Result<(ScalarType, Vec<u64>), Failure> {
    let (scalar, ty) = stated_element(expr)?;
    match ty.static_extents() {
        Some(shape) => Ok((scalar, shape)),
        None => Err(internal(
            expr.span,
            format!("the extents of `{ty}` are not known"),
        )),
    }
}

/// The element type that an expression's type states, and that type.
fn stated_element(expr: &HirExpr) -> Result<(ScalarType, &TensorType), Failure> {
    match &expr.ty {
        HirType::Tensor(ty) => {
            let scalar = ty.scalar().ok_or_else(|| {
                internal(expr.span, format!("the elements of `{ty}` are no scalars"))
            })?;
            Ok((scalar, ty))
        }
        HirType::Void
        | HirType::Scalar(_)
        | HirType::Reference { .. }
        | HirType::Tuple(_)
        | HirType::Function(_)
        | HirType::String
        | HirType::Nominal(_) => Err(internal(
            expr.span,
            format!("`{}` is no tensor type", expr.ty),
        )),
    }
}
