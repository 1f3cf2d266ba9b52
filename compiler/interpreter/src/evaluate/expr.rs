use ast_types::{BinaryOp, UnaryOp};
use neuro_hir::{HirBlock, HirConst, HirExpr, HirExprKind, HirType, MathFunction};
use shared_types::{Literal, ScalarType, Span};
use tensor::{Scalar, Tensor};

use super::{At, Stop};
use crate::frame::Frame;
use crate::interpreter::internal;
use crate::operation::{self, OperationError};
use crate::value::{Code, Function};
use crate::{Failure, Interpreter, Panic, PanicKind, Value};

impl<'p> Interpreter<'p, '_> {
    /// The value of an expression; what it refers to where it is a `&`.
    pub(super) fn expr(
        &mut self,
        frame: &Frame<'p>,
        expr: &'p HirExpr,
    ) -> Result<Value<'p>, Stop<'p>> {
        self.nested(expr.span, |interpreter| interpreter.expr_here(frame, expr))
    }

    fn expr_here(&mut self, frame: &Frame<'p>, expr: &'p HirExpr) -> Result<Value<'p>, Stop<'p>> {
        let span = expr.span;
        match &expr.kind {
            HirExprKind::Literal(literal) => Ok(self.literal(literal, &expr.ty).at(span)?),
            HirExprKind::Local(local) => Ok(frame.get(*local).at(span)?),
            HirExprKind::Constant(name) => self.constant_value(name, span),
            HirExprKind::Function(name) => match self.function(name) {
                Some(function) => Ok(Value::Function(Function(Code::Named(function)))),
                None => Err(internal(span, format!("there is no function `{name}`")).into()),
            },
            HirExprKind::Closure(closure) => self.closure(frame, closure, span),
            HirExprKind::Unary { op, operand } => self.unary(frame, *op, operand, span),
            HirExprKind::Binary { op, left, right } => self.binary(frame, *op, left, right, span),
            HirExprKind::Cast(operand) => {
                let operand = self.scalar(frame, operand)?;
                let to = scalar_type(&expr.ty, span)?;
                Ok(operation::cast(operand, to).at(span)?.into())
            }
            HirExprKind::Math { function, operand } => self.math(frame, *function, operand, span),
            HirExprKind::Pow { base, exponent } => self.pow(frame, base, exponent, span),
            HirExprKind::Call { callee, arguments } => {
                self.call_expr(frame, callee, arguments, span)
            }
            HirExprKind::Borrow { mutable, operand } => {
                if *mutable {
                    self.borrow_mutably(frame, expr, operand)
                } else {
                    self.read_anywhere(frame, operand)
                }
            }
            HirExprKind::Block(block) => self.block(frame, block),
            HirExprKind::If {
                condition,
                then,
                otherwise,
            } => self.branch(frame, condition, then, otherwise.as_ref()),
            HirExprKind::Tuple(members) => Ok(Value::Tuple(self.exprs(frame, members)?)),
            HirExprKind::TupleMember { operand, index } => self.member(frame, operand, *index),
            HirExprKind::Struct(fields) => Ok(Value::Struct(self.exprs(frame, fields)?)),
            HirExprKind::Field { operand, name } => {
                let index = self.field_index(operand, name)?;
                self.member(frame, operand, index)
            }
            HirExprKind::Print(values) => self.print(frame, values),
            HirExprKind::GridIndex { of, axis } => self.grid_index(*of, *axis, span),
            HirExprKind::CheckedPosition {
                position,
                axis,
                extent,
            } => self.checked_position(frame, position, *axis, *extent),
            HirExprKind::Tensor(op) => self.tensor_op(frame, op, expr),
        }
    }

    /// The values of expressions, in order.
    pub(super) fn exprs(
        &mut self,
        frame: &Frame<'p>,
        exprs: &'p [HirExpr],
    ) -> Result<Vec<Value<'p>>, Stop<'p>> {
        exprs.iter().map(|expr| self.expr(frame, expr)).collect()
    }

    /// The value of an expression, or what it refers to.
    pub(super) fn read(
        &mut self,
        frame: &Frame<'p>,
        expr: &'p HirExpr,
    ) -> Result<Value<'p>, Stop<'p>> {
        Ok(self.read_anywhere(frame, expr)?.at_hand(expr.span)?)
    }

    /// The same where a tensor's elements are not needed.
    pub(super) fn read_anywhere(
        &mut self,
        frame: &Frame<'p>,
        expr: &'p HirExpr,
    ) -> Result<Value<'p>, Stop<'p>> {
        let mut value = self.expr(frame, expr)?;
        while let Value::Reference(place) = value {
            value = place.load().at(expr.span)?;
        }
        Ok(value)
    }

    pub(super) fn scalar(
        &mut self,
        frame: &Frame<'p>,
        expr: &'p HirExpr,
    ) -> Result<Scalar, Stop<'p>> {
        match self.read(frame, expr)? {
            Value::Scalar(scalar) => Ok(scalar),
            other => Err(unexpected("a scalar", &other, expr.span).into()),
        }
    }

    pub(super) fn integer(
        &mut self,
        frame: &Frame<'p>,
        expr: &'p HirExpr,
    ) -> Result<i128, Stop<'p>> {
        match self.scalar(frame, expr)?.as_integer() {
            Some(integer) => Ok(integer),
            None => Err(internal(expr.span, "an integer was expected").into()),
        }
    }

    pub(super) fn condition(
        &mut self,
        frame: &Frame<'p>,
        expr: &'p HirExpr,
    ) -> Result<bool, Stop<'p>> {
        match self.scalar(frame, expr)? {
            Scalar::Bool(condition) => Ok(condition),
            _ => Err(internal(expr.span, "a condition was expected").into()),
        }
    }

    pub(super) fn tensor(
        &mut self,
        frame: &Frame<'p>,
        expr: &'p HirExpr,
    ) -> Result<Tensor, Stop<'p>> {
        match self.read(frame, expr)? {
            Value::Tensor(tensor) => Ok(tensor),
            other => Err(unexpected("a tensor", &other, expr.span).into()),
        }
    }

    fn literal(&self, literal: &Literal, ty: &HirType) -> Result<Value<'p>, OperationError> {
        let scalar = || {
            let malformed = OperationError::Malformed("a literal of no scalar type");
            ty.as_scalar().ok_or(malformed)
        };
        Ok(match literal {
            Literal::Integer(value) => operation::literal_integer(*value, scalar()?)?.into(),
            Literal::Float(value) => operation::literal_float(*value, scalar()?)?.into(),
            Literal::Bool(value) => Scalar::Bool(*value).into(),
            Literal::Char(value) => Scalar::Char(*value).into(),
            Literal::String(value) => Value::String(value.as_str().into()),
        })
    }

    /// A constant is evaluated when it is first needed.
    fn constant_value(&mut self, name: &'p str, span: Span) -> Result<Value<'p>, Stop<'p>> {
        if let Some(value) = self.constant_values.get(name) {
            return Ok(value.clone());
        }
        let HirConst { value, .. } = self
            .constant(name)
            .ok_or_else(|| internal(span, format!("there is no constant `{name}`")))?;
        let value = self.in_frame(Frame::new(0), span, |interpreter, frame| {
            interpreter.expr(frame, value)
        })?;
        self.constant_values.insert(name, value.clone());
        Ok(value)
    }

    fn unary(
        &mut self,
        frame: &Frame<'p>,
        op: UnaryOp,
        operand: &'p HirExpr,
        span: Span,
    ) -> Result<Value<'p>, Stop<'p>> {
        let tier = self.program.tier;
        match (op, self.read(frame, operand)?) {
            (UnaryOp::Not, Value::Scalar(Scalar::Bool(value))) => Ok(Scalar::Bool(!value).into()),
            (UnaryOp::Neg, Value::Scalar(value)) => {
                Ok(operation::scalar_negate(tier, value).at(span)?.into())
            }
            (UnaryOp::Neg, Value::Tensor(value)) => {
                Ok(operation::negate(tier, &value).at(span)?.into())
            }
            (UnaryOp::Neg | UnaryOp::Not, other) => {
                Err(unexpected("a number or a truth value", &other, operand.span).into())
            }
        }
    }

    fn binary(
        &mut self,
        frame: &Frame<'p>,
        op: BinaryOp,
        left: &'p HirExpr,
        right: &'p HirExpr,
        span: Span,
    ) -> Result<Value<'p>, Stop<'p>> {
        let result = match op {
            BinaryOp::And => {
                Scalar::Bool(self.condition(frame, left)? && self.condition(frame, right)?).into()
            }
            BinaryOp::Or => {
                Scalar::Bool(self.condition(frame, left)? || self.condition(frame, right)?).into()
            }
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => {
                let (left, right) = (self.scalar(frame, left)?, self.scalar(frame, right)?);
                Scalar::Bool(operation::compare(op, left, right).at(span)?).into()
            }
            BinaryOp::MatMul => {
                let (left, right) = (self.tensor(frame, left)?, self.tensor(frame, right)?);
                operation::matmul(self.program.tier, &left, &right)
                    .at(span)?
                    .into()
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                let (left, right) = (self.read(frame, left)?, self.read(frame, right)?);
                self.arithmetic(op, left, right, span)?
            }
        };
        Ok(result)
    }

    /// `left op right` of two scalars, or element-wise where one is a tensor.
    pub(super) fn arithmetic(
        &self,
        op: BinaryOp,
        left: Value<'p>,
        right: Value<'p>,
        span: Span,
    ) -> Result<Value<'p>, Failure> {
        let tier = self.program.tier;
        if let (Value::Scalar(left), Value::Scalar(right)) = (&left, &right) {
            let result = operation::scalar_arithmetic(op, tier, *left, *right);
            return Ok(result.at(span)?.into());
        }
        let (left, right) = (stretched(left, span)?, stretched(right, span)?);
        Ok(operation::arithmetic(op, tier, &left, &right)
            .at(span)?
            .into())
    }

    fn math(
        &mut self,
        frame: &Frame<'p>,
        function: MathFunction,
        operand: &'p HirExpr,
        span: Span,
    ) -> Result<Value<'p>, Stop<'p>> {
        match self.read(frame, operand)? {
            Value::Scalar(operand) => {
                Ok(operation::scalar_math(function, operand).at(span)?.into())
            }
            operand => {
                let operand = stretched(operand, span)?;
                Ok(operation::math(function, &operand).at(span)?.into())
            }
        }
    }

    fn pow(
        &mut self,
        frame: &Frame<'p>,
        base: &'p HirExpr,
        exponent: &'p HirExpr,
        span: Span,
    ) -> Result<Value<'p>, Stop<'p>> {
        let (base, exponent) = (self.read(frame, base)?, self.read(frame, exponent)?);
        if let (Value::Scalar(base), Value::Scalar(exponent)) = (&base, &exponent) {
            return Ok(operation::scalar_pow(*base, *exponent).at(span)?.into());
        }
        let (base, exponent) = (stretched(base, span)?, stretched(exponent, span)?);
        Ok(operation::pow(&base, &exponent).at(span)?.into())
    }

    fn branch(
        &mut self,
        frame: &Frame<'p>,
        condition: &'p HirExpr,
        then: &'p HirBlock,
        otherwise: Option<&'p HirBlock>,
    ) -> Result<Value<'p>, Stop<'p>> {
        if self.condition(frame, condition)? {
            self.block(frame, then)
        } else if let Some(otherwise) = otherwise {
            self.block(frame, otherwise)
        } else {
            Ok(Value::Void)
        }
    }

    fn member(
        &mut self,
        frame: &Frame<'p>,
        operand: &'p HirExpr,
        index: usize,
    ) -> Result<Value<'p>, Stop<'p>> {
        match self.read(frame, operand)? {
            Value::Tuple(mut parts) | Value::Struct(mut parts) if index < parts.len() => {
                Ok(parts.swap_remove(index))
            }
            other => Err(unexpected("a tuple or a struct", &other, operand.span).into()),
        }
    }

    /// The declared position of a field.
    pub(super) fn field_index(&self, operand: &HirExpr, name: &str) -> Result<usize, Failure> {
        let declared = match operand.ty.referent() {
            HirType::Nominal(owner) => self.structure(owner),
            HirType::Void
            | HirType::Scalar(_)
            | HirType::Tensor(_)
            | HirType::Reference { .. }
            | HirType::Tuple(_)
            | HirType::Function(_)
            | HirType::String => None,
        };
        let index = declared.and_then(|item| item.fields.iter().position(|f| f.name == name));
        index.ok_or_else(|| internal(operand.span, format!("there is no field `{name}`")))
    }

    fn checked_position(
        &mut self,
        frame: &Frame<'p>,
        position: &'p HirExpr,
        axis: usize,
        extent: u64,
    ) -> Result<Value<'p>, Stop<'p>> {
        let index = self.integer(frame, position)?;
        let inside = check_index(index, axis, extent, position.span)?;
        Ok(Scalar::I64(inside as i64).into())
    }
}

/// The index, where it is in range.
pub(super) fn check_index(
    index: i128,
    axis: usize,
    extent: u64,
    span: Span,
) -> Result<u64, Failure> {
    match u64::try_from(index) {
        Ok(inside) if inside < extent => Ok(inside),
        _ => {
            let kind = PanicKind::Index {
                index,
                axis,
                extent,
            };
            Err(Panic::new(span, kind).into())
        }
    }
}

/// The tensor, or the scalar as one of rank 0, which is read at every point.
fn stretched(value: Value<'_>, span: Span) -> Result<Tensor, Failure> {
    match value {
        Value::Tensor(tensor) => Ok(tensor),
        Value::Scalar(scalar) => Tensor::from_scalar(scalar).at(span),
        other => Err(unexpected("a number or a tensor", &other, span)),
    }
}

pub(super) fn scalar_type(ty: &HirType, span: Span) -> Result<ScalarType, Failure> {
    ty.as_scalar()
        .ok_or_else(|| internal(span, format!("`{ty}` is no scalar type")))
}

pub(crate) fn unexpected(expected: &str, found: &Value<'_>, span: Span) -> Failure {
    internal(
        span,
        format!("{expected} was expected, found {}", found.kind()),
    )
}
