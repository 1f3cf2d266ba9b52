use ast_types::{BinaryOp, Expr, Type, UnaryOp};
use neuro_hir::{Extent, HirExpr, HirExprKind, HirType, TensorType, shape};
use shared_types::{ScalarClass, ScalarType, Span};

use super::body::Body;
use super::literals::{has_float, is_open};
use crate::Diagnostic;
use crate::faults::Checked;

impl Body<'_, '_> {
    /// An operand of an operator: a tensor in a field or a tuple is read there, not moved out.
    pub fn operand(&mut self, expr: &Expr, expected: Option<&HirType>) -> Checked<HirExpr> {
        let operand = self.value(expr, expected)?;
        let is_part = matches!(
            operand.kind,
            HirExprKind::Field { .. } | HirExprKind::TupleMember { .. }
        );
        Ok(if is_part { borrowed(operand) } else { operand })
    }

    /// Two operands of one type: a number without a suffix takes that of the other one.
    pub fn operands(
        &mut self,
        left: &Expr,
        right: &Expr,
        expected: Option<&HirType>,
    ) -> Checked<(HirExpr, HirExpr)> {
        match (is_open(left), is_open(right)) {
            (true, false) => {
                let right = self.operand(right, expected);
                let hint = right.as_ref().ok().and_then(|right| hint(&right.ty));
                let left = self.operand(left, hint.as_ref());
                Ok((left?, right?))
            }
            (false, true) => {
                let left = self.operand(left, expected);
                let hint = left.as_ref().ok().and_then(|left| hint(&left.ty));
                let right = self.operand(right, hint.as_ref());
                Ok((left?, right?))
            }
            (true, true) => {
                let float = (has_float(left) || has_float(right)).then_some(ScalarType::F64);
                let hint = expected.and_then(hint).or(float.map(HirType::from));
                let left = self.operand(left, hint.as_ref());
                let right = self.operand(right, hint.as_ref());
                Ok((left?, right?))
            }
            (false, false) => {
                let left = self.operand(left, expected);
                let right = self.operand(right, expected);
                Ok((left?, right?))
            }
        }
    }

    pub fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        expected: Option<&HirType>,
        span: Span,
    ) -> Checked<HirExpr> {
        let expected = if op.is_arithmetic() { expected } else { None };
        let (left, right) = self.operands(left, right, expected)?;
        let ty = self.binary_type(op, &left, &right, span)?;
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = HirExprKind::Binary { op, left, right };
        Ok(HirExpr { kind, ty, span })
    }

    fn binary_type(
        &mut self,
        op: BinaryOp,
        left: &HirExpr,
        right: &HirExpr,
        span: Span,
    ) -> Checked<HirType> {
        let (a, b) = (&left.ty, &right.ty);
        let element = match (a.element(), b.element()) {
            (Some(x), Some(y)) if x == y => x,
            (Some(x), Some(y)) => {
                let mut fault =
                    Diagnostic::new(span, format!("`{a}` {op} `{b}`: their types differ"));
                if let (Some(_), Some(_)) = (a.as_scalar(), b.as_scalar()) {
                    fault = fault.help(format!("cast one: `… as {x}`, or `… as {y}`"));
                }
                return Err(self.items.report(fault));
            }
            _ => return Err(self.fault(span, format!("`{op}` does not apply to `{a}` and `{b}`"))),
        };
        let scalars = a.as_scalar().is_some() && b.as_scalar().is_some();
        let applies = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                element.is_number()
            }
            BinaryOp::MatMul => element.is_number() && !scalars,
            BinaryOp::Eq | BinaryOp::Ne => scalars,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                scalars && (element.is_number() || element == ScalarType::Char)
            }
            BinaryOp::And | BinaryOp::Or => scalars && element == ScalarType::Bool,
        };
        if !applies {
            return Err(self.fault(span, format!("`{op}` does not apply to `{a}` and `{b}`")));
        }
        if scalars {
            return Ok(if op.is_arithmetic() {
                element
            } else {
                ScalarType::Bool
            }
            .into());
        }
        self.require_operable(left)?;
        self.require_operable(right)?;
        let ty = match (a.as_tensor(), b.as_tensor()) {
            (Some(a), Some(b)) if op == BinaryOp::MatMul => self.product(a, b, span)?,
            (Some(a), Some(b)) => self.broadcast(&op.to_string(), a, b, span)?,
            (Some(tensor), None) | (None, Some(tensor)) if op != BinaryOp::MatMul => tensor.clone(),
            _ => return Err(self.fault(span, format!("`{op}` does not apply to `{a}` and `{b}`"))),
        };
        self.items.check_size(&ty, span)?;
        Ok(ty.into())
    }

    /// The type of an element-wise operation on two tensors (numerics, §Element-wise).
    pub fn broadcast(
        &mut self,
        what: &str,
        a: &TensorType,
        b: &TensorType,
        span: Span,
    ) -> Checked<TensorType> {
        match shape::broadcast(&a.axes, &b.axes) {
            Some(axes) => Ok(a.with_axes(axes)),
            None => {
                let fault =
                    Diagnostic::new(span, format!("`{a}` {what} `{b}`: shapes do not agree"))
                        .help("axes align at the last one; an extent of 1 stretches");
                Err(self.items.report(fault))
            }
        }
    }

    fn product(&mut self, a: &TensorType, b: &TensorType, span: Span) -> Checked<TensorType> {
        match shape::matmul(a, b) {
            Some(axes) => Ok(a.with_axes(axes)),
            None => {
                let fault = Diagnostic::new(span, format!("`{a}` @ `{b}`: shapes do not agree"))
                    .help("`[m, k] @ [k, n]` is `[m, n]`");
                Err(self.items.report(fault))
            }
        }
    }

    /// There is no arithmetic over an extent that is not known.
    pub fn require_operable(&mut self, operand: &HirExpr) -> Checked<()> {
        match operand.ty.as_tensor() {
            Some(tensor) if tensor.extents().any(|extent| extent == Extent::Dynamic) => {
                let message = format!("`{tensor}` has an extent that is not known");
                let fault = Diagnostic::new(operand.span, message)
                    .help("a `?` passes through signatures; operations need the extents");
                Err(self.items.report(fault))
            }
            Some(tensor) if tensor.scalar() == Some(ScalarType::Char) => {
                let message = format!("a `{tensor}` has no operations but on its elements");
                let fault = Diagnostic::new(operand.span, message)
                    .label("expected a tensor of numbers or `bool`");
                Err(self.items.report(fault))
            }
            _ => Ok(()),
        }
    }

    pub fn check_unary(&mut self, op: UnaryOp, operand: HirExpr, span: Span) -> Checked<HirExpr> {
        let applies = match (op, operand.ty.element()) {
            (UnaryOp::Neg, Some(scalar)) => scalar.is_signed() || scalar.is_float(),
            (UnaryOp::Not, _) => operand.ty.as_scalar() == Some(ScalarType::Bool),
            (UnaryOp::Neg, None) => false,
        };
        if !applies {
            let message = format!("`{op}` does not apply to `{}`", operand.ty);
            return Err(self.fault(span, message));
        }
        self.require_operable(&operand)?;
        let ty = operand.ty.referent().clone();
        let operand = Box::new(operand);
        let kind = HirExprKind::Unary { op, operand };
        Ok(HirExpr { kind, ty, span })
    }

    /// `place op= value`: the value is a scalar, or broadcasts to the tensor in the place.
    pub fn check_compound(
        &mut self,
        op: BinaryOp,
        place: &HirExpr,
        value: &HirExpr,
        span: Span,
    ) -> Checked<()> {
        let (to, from) = (&place.ty, &value.ty);
        let number = to.element().is_some_and(ScalarType::is_number);
        // A scalar behind a reference would be another kind of place.
        let place_is_scalar = matches!(to, HirType::Scalar(_));
        if !number
            || to.element() != from.element()
            || !(place_is_scalar || to.as_tensor().is_some())
        {
            let message = format!("`{op}=` does not apply to `{to}` and `{from}`");
            return Err(self.fault(span, message));
        }
        self.require_operable(place)?;
        self.require_operable(value)?;
        let broadcasts = match (to.as_tensor(), from.as_tensor()) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(to), Some(from)) => shape::broadcast(&to.axes, &from.axes)
                .is_some_and(|axes| to.with_axes(axes).same_shape_and_element(to)),
        };
        if broadcasts {
            return Ok(());
        }
        Err(self.fault(
            span,
            format!("a `{from}` does not broadcast to the `{to}` of `{op}=`"),
        ))
    }

    pub fn cast(&mut self, operand: &Expr, ty: &Type, span: Span) -> Checked<HirExpr> {
        let to = self.items.resolve(ty)?;
        let operand = self.value(operand, None)?;
        let casts = match (operand.ty.as_scalar(), &to) {
            (Some(from), HirType::Scalar(to)) => scalar_casts(from, *to),
            _ => false,
        };
        if !casts {
            let message = format!("a `{}` does not cast to `{to}`", operand.ty);
            return Err(self.fault(span, message));
        }
        let kind = HirExprKind::Cast(Box::new(operand));
        Ok(HirExpr { kind, ty: to, span })
    }
}

/// Numbers cast to numbers, `bool` and `char` to integers, `u8` to `char`, and each to itself.
fn scalar_casts(from: ScalarType, to: ScalarType) -> bool {
    match from.class() {
        _ if from == to => true,
        ScalarClass::Signed | ScalarClass::Unsigned | ScalarClass::Float => {
            to.is_number() || (from, to) == (ScalarType::U8, ScalarType::Char)
        }
        ScalarClass::Bool | ScalarClass::Char => to.is_integer(),
    }
}

/// The type that the other operand gives to a number without a suffix.
fn hint(ty: &HirType) -> Option<HirType> {
    ty.element()
        .filter(|scalar| scalar.is_number())
        .map(HirType::from)
}

/// A place, borrowed where it holds something that would move.
pub(super) fn borrowed(place: HirExpr) -> HirExpr {
    match place.ty {
        HirType::Tensor(_) | HirType::Tuple(_) | HirType::Nominal(_) => HirExpr {
            ty: HirType::reference(false, place.ty.clone()),
            span: place.span,
            kind: HirExprKind::Borrow {
                mutable: false,
                operand: Box::new(place),
            },
        },
        HirType::Void
        | HirType::Scalar(_)
        | HirType::Reference { .. }
        | HirType::Function(_)
        | HirType::String => place,
    }
}
