use ast_types::{Expr, ExprKind, UnaryOp};
use neuro_hir::{HirExpr, HirExprKind, HirType};
use shared_types::{Literal, ScalarType, Span};

use super::body::Body;
use super::statements::Want;
use crate::Diagnostic;
use crate::faults::Checked;

impl Body<'_, '_> {
    /// Checks an expression. `expected` is the type that the context gives to numbers without a
    /// suffix, nested literals and the like; the result may have another.
    pub fn expr(&mut self, expr: &Expr, expected: Option<&HirType>) -> Checked<HirExpr> {
        let span = expr.span;
        let literal = |value: Literal, ty: HirType| {
            let kind = HirExprKind::Literal(value);
            Ok(HirExpr { kind, ty, span })
        };
        match &expr.kind {
            ExprKind::Number(number) => self.number(number, false, expected, span),
            ExprKind::Bool(value) => literal(Literal::Bool(*value), ScalarType::Bool.into()),
            ExprKind::Char(value) => literal(Literal::Char(*value), ScalarType::Char.into()),
            ExprKind::String(value) => literal(Literal::String(value.clone()), HirType::String),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Path { owner, member, .. } => {
                let fault = Diagnostic::new(span, format!("`{owner}::{member}` is no value"))
                    .help("call it: write `(` after it");
                Err(self.items.report(fault))
            }
            ExprKind::Tuple(members) => self.tuple(members, expected, span),
            ExprKind::Array(_) => self.tensor_literal(expr, expected),
            ExprKind::StructLiteral { name, fields } => self.struct_literal(name, fields, span),
            ExprKind::Unary { op, operand } => self.unary(*op, operand, expected, span),
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right, expected, span),
            ExprKind::Cast { operand, ty } => self.cast(operand, ty, span),
            ExprKind::Borrow { mutable, operand } => self.borrow(*mutable, operand, expected, span),
            ExprKind::Range { .. } => {
                let fault = Diagnostic::new(span, "a range is no value")
                    .help("it stands in a `for` or in an index");
                Err(self.items.report(fault))
            }
            ExprKind::Call { callee, arguments } => self.call(callee, arguments, expected, span),
            ExprKind::MethodCall {
                receiver,
                method,
                arguments,
            } => self.method_call(receiver, method, arguments, expected, span),
            ExprKind::Field { operand, field } => self.field(operand, field, span),
            ExprKind::TupleMember { operand, index } => self.tuple_member(operand, *index, span),
            ExprKind::Index { operand, entries } => self.index(operand, entries, span),
            ExprKind::If {
                branches,
                otherwise,
            } => self.conditional(branches, otherwise.as_ref(), Want::Value(expected), span),
            ExprKind::Block(block) => self.block_expr(block, Want::Value(expected), span),
            ExprKind::Closure(closure) => self.closure(closure, expected, span),
        }
    }

    /// An expression whose value is of type `ty`.
    pub fn expr_of(&mut self, expr: &Expr, ty: &HirType) -> Checked<HirExpr> {
        let checked = self.expr(expr, Some(ty))?;
        // What leaves gives no value, and none is needed.
        if !super::leaves::leaves_expr(&checked) {
            self.require_type(&checked, ty)?;
        }
        Ok(checked)
    }

    fn name(&mut self, name: &str, span: Span) -> Checked<HirExpr> {
        if let Some(local) = self.lookup(name) {
            let local = local?;
            self.capture(local, span)?;
            return Ok(self.read_local(local, span));
        }
        if self.items.constants.contains_key(name) {
            let ty = self.items.constant(name, span)?.ty;
            let kind = HirExprKind::Constant(name.to_string());
            return Ok(HirExpr { kind, ty, span });
        }
        if self.items.declared_functions.contains(name) {
            return self.function_value(name, span);
        }
        let known = self.items.structs.contains_key(name) || self.items.aliases.contains_key(name);
        let message = match name {
            "self" => "`self` outside of a method".to_string(),
            "thread_id" | "block_id" => format!("`{name}` has `x`, `y` and `z`"),
            _ if known => format!("`{name}` is a type"),
            _ => format!("there is no `{name}` here"),
        };
        Err(self.fault(span, message))
    }

    fn tuple(
        &mut self,
        members: &[Expr],
        expected: Option<&HirType>,
        span: Span,
    ) -> Checked<HirExpr> {
        if members.is_empty() {
            return Err(self.fault(span, "`()` is no value"));
        }
        let wanted = match expected {
            Some(HirType::Tuple(wanted)) if wanted.len() == members.len() => Some(wanted),
            _ => None,
        };
        let mut values = Vec::new();
        for (at, member) in members.iter().enumerate() {
            let value = match wanted {
                Some(wanted) => self.expr_of(member, &wanted[at])?,
                None => self.value(member, None)?,
            };
            if let HirType::Reference { .. } = value.ty {
                return Err(self.fault(value.span, "a tuple holds no references"));
            }
            values.push(value);
        }
        let ty = HirType::Tuple(values.iter().map(|value| value.ty.clone()).collect());
        let kind = HirExprKind::Tuple(values);
        Ok(HirExpr { kind, ty, span })
    }

    /// An expression that has a value.
    pub fn value(&mut self, expr: &Expr, expected: Option<&HirType>) -> Checked<HirExpr> {
        let value = self.expr(expr, expected)?;
        if value.ty == HirType::Void {
            return Err(self.fault(value.span, "this has no value"));
        }
        Ok(value)
    }

    fn borrow(
        &mut self,
        mutable: bool,
        operand: &Expr,
        expected: Option<&HirType>,
        span: Span,
    ) -> Checked<HirExpr> {
        let expected = match expected {
            Some(HirType::Reference { target, .. }) => Some(&**target),
            other => other,
        };
        let operand = self.value(operand, expected)?;
        // Borrowing what is borrowed already borrows the same thing.
        let target = match &operand.ty {
            HirType::Reference { target, .. } => (**target).clone(),
            target => target.clone(),
        };
        if mutable {
            self.require_borrowable(&operand)?;
        }
        Ok(HirExpr {
            kind: HirExprKind::Borrow {
                mutable,
                operand: Box::new(operand),
            },
            ty: HirType::reference(mutable, target),
            span,
        })
    }

    fn unary(
        &mut self,
        op: UnaryOp,
        operand: &Expr,
        expected: Option<&HirType>,
        span: Span,
    ) -> Checked<HirExpr> {
        if let (UnaryOp::Neg, ExprKind::Number(number)) = (op, &operand.kind) {
            return self.number(number, true, expected, span);
        }
        let operand = self.operand(operand, expected)?;
        self.check_unary(op, operand, span)
    }
}
