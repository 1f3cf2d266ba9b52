//! Expressions, in the order that the interpreter evaluates them in.

use ast_types::{BinaryOp, UnaryOp};
use neuro_hir::{GridIndex, HirBlock, HirExpr, HirExprKind, HirType, TensorOp};
use shared_types::{Literal, ScalarType, Span};

use crate::body::{Body, Local, Written, computed, refused};
use crate::text::{Value, type_name};

impl Body<'_> {
    /// The scalar that an expression gives.
    pub(crate) fn value(&mut self, expr: &HirExpr) -> Written<Value> {
        match self.expression(expr)? {
            Some(value) => Ok(value),
            // Nobody comes here.
            None if self.left => Ok(self.zero(computed(&expr.ty, expr.span)?, expr.span)),
            None => refused(expr.span, "a value that is not there"),
        }
    }

    pub(crate) fn zero(&mut self, scalar: ScalarType, span: Span) -> Value {
        match scalar.is_float() {
            true => self.float(span, scalar, 0.0),
            false => self.constant(span, scalar, 0),
        }
    }

    /// The scalar that an expression gives; none where it gives none, or control leaves it.
    pub(crate) fn expression(&mut self, expr: &HirExpr) -> Written<Option<Value>> {
        let span = expr.span;
        let no = |what: &str| refused(span, what);
        match &expr.kind {
            HirExprKind::Literal(literal) => self.literal(literal, &expr.ty, span).map(Some),
            HirExprKind::Local(id) => match self.local(*id, span)?.clone() {
                Local::Slot { name, scalar } => Ok(Some(self.load(&name, scalar, span))),
                Local::Tensor(_) => no("a whole tensor"),
                Local::Other => no("a local without a value"),
            },
            HirExprKind::Constant(name) => match self.constants.get(name.as_str()) {
                Some(HirExpr {
                    kind: HirExprKind::Literal(literal),
                    ty,
                    ..
                }) => self.literal(literal, ty, span).map(Some),
                _ => no("a constant that is no number"),
            },
            HirExprKind::Unary { op, operand } => {
                let operand = self.value(operand)?;
                match op {
                    UnaryOp::Neg => self.negate(&operand, span).map(Some),
                    UnaryOp::Not if operand.scalar == ScalarType::Bool => {
                        Ok(Some(self.not(&operand, span)))
                    }
                    UnaryOp::Not => no("a `!` of no `bool`"),
                }
            }
            HirExprKind::Binary { op, left, right } => {
                self.binary(*op, left, right, span).map(Some)
            }
            HirExprKind::Cast(operand) => {
                let to = computed(&expr.ty, span)?;
                let operand = self.value(operand)?;
                self.cast(&operand, to, span).map(Some)
            }
            HirExprKind::Math { function, operand } => {
                let operand = self.value(operand)?;
                self.math(*function, &operand, span).map(Some)
            }
            HirExprKind::Pow { base, exponent } => {
                let (base, exponent) = (self.value(base)?, self.value(exponent)?);
                self.power(&base, &exponent, span).map(Some)
            }
            HirExprKind::Block(block) => self.block(block),
            HirExprKind::If {
                condition,
                then,
                otherwise,
            } => self.if_(condition, (then, otherwise.as_ref()), &expr.ty, span),
            HirExprKind::GridIndex { of, axis } => {
                let positions = match of {
                    GridIndex::Thread => &self.position.thread,
                    GridIndex::Block => &self.position.block,
                };
                let scalar = ScalarType::I64;
                Ok(Some(match positions.get(*axis).cloned() {
                    Some(name) => Value { name, scalar },
                    // An axis that the block shape lacks has one position.
                    None => self.constant(span, scalar, 0),
                }))
            }
            HirExprKind::Tensor(op) => match op {
                TensorOp::Element { tensor, indices } => {
                    let element = self.element(tensor, indices, span)?;
                    Ok(Some(self.read(&element, span)))
                }
                _ => no(tensor_operation(op)),
            },
            HirExprKind::Function(_) | HirExprKind::Closure(_) => no("a function value"),
            HirExprKind::Call { callee, arguments } => self.call(callee, arguments, span).map(Some),
            HirExprKind::Borrow { .. } => no("a reference"),
            HirExprKind::Tuple(_) | HirExprKind::TupleMember { .. } => no("a tuple"),
            HirExprKind::Struct(_) | HirExprKind::Field { .. } => no("a struct"),
            HirExprKind::Print(_) => no("a `print`"),
            HirExprKind::CheckedPosition { .. } => no("a checked position"),
        }
    }

    fn literal(&mut self, literal: &Literal, ty: &HirType, span: Span) -> Written<Value> {
        let scalar = computed(ty, span)?;
        match literal {
            Literal::Integer(value) if scalar.is_integer() => {
                Ok(self.constant(span, scalar, *value))
            }
            Literal::Float(value) if scalar.is_float() => Ok(self.float(span, scalar, *value)),
            Literal::Bool(value) if scalar == ScalarType::Bool => {
                Ok(self.constant(span, scalar, (*value).into()))
            }
            Literal::Char(value) if scalar == ScalarType::Char => {
                Ok(self.constant(span, scalar, u32::from(*value).into()))
            }
            Literal::Integer(_)
            | Literal::Float(_)
            | Literal::Bool(_)
            | Literal::Char(_)
            | Literal::String(_) => refused(span, format!("`{ty}` of the literal {literal}")),
        }
    }

    /// An `f32` or an `f64`, by its bits.
    pub(crate) fn float(&mut self, span: Span, scalar: ScalarType, value: f64) -> Value {
        let bits = match scalar {
            ScalarType::F32 => format!("{:#010x}", (value as f32).to_bits()),
            _ => format!("{:#018x}", value.to_bits()),
        };
        let ty = type_name(scalar);
        self.emit(span, scalar, format!("arith.constant {bits} : {ty}"))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &HirExpr,
        right: &HirExpr,
        span: Span,
    ) -> Written<Value> {
        match op {
            BinaryOp::And | BinaryOp::Or => self.logical(op, left, right, span),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.arithmetic(op, &left, &right, span)
            }
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.compare(op, &left, &right, span)
            }
            BinaryOp::MatMul => refused(span, "a matrix product"),
        }
    }

    /// `&&` or `||`: the right side is evaluated where it decides.
    fn logical(
        &mut self,
        op: BinaryOp,
        left: &HirExpr,
        right: &HirExpr,
        span: Span,
    ) -> Written<Value> {
        let slot = self.slot(ScalarType::Bool, span);
        let value = self.condition(left)?;
        let left = self.left;
        self.store(&value, &slot, span);
        let (more, end) = (self.text.label(), self.text.label());
        match op {
            BinaryOp::And => self.branch(span, &value, &more, &end),
            _ => self.branch(span, &value, &end, &more),
        }
        self.come_to(&more, left);
        let value = self.condition(right)?;
        self.store(&value, &slot, span);
        self.jump(span, &end);
        self.come_to(&end, left);
        Ok(self.load(&slot, ScalarType::Bool, span))
    }

    fn if_(
        &mut self,
        condition: &HirExpr,
        (then, otherwise): (&HirBlock, Option<&HirBlock>),
        ty: &HirType,
        span: Span,
    ) -> Written<Option<Value>> {
        let result = match ty {
            HirType::Void => None,
            ty => {
                let scalar = computed(ty, span)?;
                Some((self.slot(scalar, span), scalar))
            }
        };
        let condition = self.condition(condition)?;
        let left = self.left;
        let (yes, no, end) = (self.text.label(), self.text.label(), self.text.label());
        self.branch(span, &condition, &yes, &no);
        let mut all_left = true;
        for (label, block) in [(yes, Some(then)), (no, otherwise)] {
            self.come_to(&label, left);
            let value = match block {
                Some(block) => self.block(block)?,
                None => None,
            };
            match (&result, value) {
                (Some((slot, scalar)), Some(value)) if value.scalar == *scalar => {
                    self.store(&value, slot, span);
                }
                (Some(_), _) if !self.left => return refused(span, "an `if` without a value"),
                (Some(_), _) | (None, _) => {}
            }
            all_left &= self.left;
            self.jump(span, &end);
        }
        self.come_to(&end, left || all_left);
        Ok(result.map(|(slot, scalar)| self.load(&slot, scalar, span)))
    }
}

pub(crate) fn tensor_operation(op: &TensorOp) -> &'static str {
    match op {
        TensorOp::Literal(_) | TensorOp::Fill(_) | TensorOp::Scalar(_) | TensorOp::Clone(_) => {
            "a tensor that is made"
        }
        TensorOp::Element { .. } => "an element of a tensor",
        TensorOp::Slice { .. } => "a slice",
        TensorOp::Permute { .. } | TensorOp::Reshape(_) => "a tensor in another shape",
        TensorOp::Reduce { .. } => "a reduction",
        TensorOp::Sort { .. } | TensorOp::ArgSort { .. } | TensorOp::TopK { .. } => "a sort",
        TensorOp::Einsum(_) => "an `einsum`",
        TensorOp::Map { .. } | TensorOp::Zip { .. } | TensorOp::Fold { .. } => "a traversal",
        TensorOp::ToDevice { .. } => "a `.to`",
    }
}
