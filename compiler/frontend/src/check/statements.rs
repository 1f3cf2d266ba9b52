use ast_types::{BinaryOp, Block, Expr, ExprKind, Name, Pattern, Statement, StatementKind, Type};
use neuro_hir::{
    HirBlock, HirExpr, HirLocal, HirPattern, HirStatement, HirStatementKind, HirType, LocalId,
};
use shared_types::Span;

use super::body::Body;
use super::leaves::leaves;
use super::types::accepts;
use crate::Diagnostic;
use crate::faults::{Checked, Failed};

/// What is wanted of a block.
#[derive(Clone, Copy)]
pub(super) enum Want<'t> {
    /// Its value, of this type where it is known.
    Value(Option<&'t HirType>),
    /// What it does.
    Effect,
}

impl Body<'_, '_> {
    /// A body that gives `result`, or returns it.
    pub fn result_block(&mut self, block: &Block, result: &HirType) -> Checked<HirBlock> {
        let want = match result {
            HirType::Void => Want::Effect,
            ty => Want::Value(Some(ty)),
        };
        let checked = self.block(block, want)?;
        if *result == HirType::Void || leaves(&checked) {
            return Ok(checked);
        }
        match &checked.value {
            Some(value) => {
                self.require_type(value, result)?;
                Ok(checked)
            }
            None => {
                let end = Span {
                    start: block.span.end.saturating_sub(1),
                    ..block.span
                };
                let fault = Diagnostic::new(end, format!("there is no value of type `{result}`"))
                    .label(format!("expected a `{result}` or a `return`"));
                Err(self.items.report(fault))
            }
        }
    }

    /// Checks every statement, also after a fault.
    pub fn block(&mut self, block: &Block, want: Want) -> Checked<HirBlock> {
        self.scoped(|body| {
            let mut statements = Vec::new();
            let mut failed = false;
            for statement in &block.statements {
                match body.statement(statement) {
                    Ok(statement) => statements.push(statement),
                    Err(Failed) => failed = true,
                }
            }
            let mut value = None;
            if let Some(last) = &block.value {
                let checked = match want {
                    Want::Value(expected) => body.expr(last, expected),
                    Want::Effect => body.effect(last),
                };
                match checked {
                    // A value that is not wanted is dropped.
                    Ok(last) if matches!(want, Want::Effect) => statements.push(HirStatement {
                        span: last.span,
                        kind: HirStatementKind::Expr(last),
                    }),
                    Ok(last) => value = Some(Box::new(last)),
                    Err(Failed) => failed = true,
                }
            }
            if failed {
                return Err(Failed);
            }
            Ok(HirBlock {
                statements,
                value,
                span: block.span,
            })
        })
    }

    /// An expression for what it does: the branches of an `if` may then give anything.
    fn effect(&mut self, expr: &Expr) -> Checked<HirExpr> {
        match &expr.kind {
            ExprKind::If {
                branches,
                otherwise,
            } => self.conditional(branches, otherwise.as_ref(), Want::Effect, expr.span),
            ExprKind::Block(block) => self.block_expr(block, Want::Effect, expr.span),
            _ => self.expr(expr, None),
        }
    }

    fn statement(&mut self, statement: &Statement) -> Checked<HirStatement> {
        let span = statement.span;
        let kind = match &statement.kind {
            StatementKind::Bind {
                mutable,
                pattern,
                ty,
                value,
            } => self.bind(*mutable, pattern, ty.as_ref(), value)?,
            StatementKind::Assign {
                op: None,
                place,
                value,
            } => self.assign(place, value)?,
            StatementKind::Assign {
                op: Some(op),
                place,
                value,
            } => self.compound_assign(*op, place, value, span)?,
            StatementKind::Expr(expr) => HirStatementKind::Expr(self.effect(expr)?),
            StatementKind::While { condition, body } => {
                let condition = self.condition(condition);
                let body = self.loop_body(body);
                HirStatementKind::While {
                    condition: condition?,
                    body: body?,
                }
            }
            StatementKind::Loop(body) => HirStatementKind::Loop {
                body: self.loop_body(body)?,
            },
            StatementKind::For { name, range, body } => self.for_loop(name, range, body)?,
            StatementKind::Break => {
                self.require_loop("break", span)?;
                HirStatementKind::Break
            }
            StatementKind::Continue => {
                self.require_loop("continue", span)?;
                HirStatementKind::Continue
            }
            StatementKind::Return(value) => self.return_value(value.as_ref(), span)?,
        };
        Ok(HirStatement { kind, span })
    }

    fn bind(
        &mut self,
        mutable: bool,
        pattern: &Pattern,
        ty: Option<&Type>,
        value: &Expr,
    ) -> Checked<HirStatementKind> {
        let names = match pattern {
            Pattern::Name(name) => std::slice::from_ref(name),
            Pattern::Tuple(names) => names,
        };
        let checked = self.bound_value(ty, value).and_then(|(ty, value)| {
            let locals = self.pattern_types(pattern, ty, value.span)?;
            Ok((locals, value))
        });
        let (types, value) = match checked {
            Ok(checked) => checked,
            Err(Failed) => {
                names
                    .iter()
                    .for_each(|name| self.declare_unknown(&name.text));
                return Err(Failed);
            }
        };
        let mut bind = |(name, ty): (&Name, HirType)| {
            self.declare(HirLocal {
                name: name.text.clone(),
                ty,
                mutable,
                span: name.span,
            })
        };
        let locals: Vec<LocalId> = names.iter().zip(types).map(&mut bind).collect();
        let pattern = match (pattern, &locals[..]) {
            (Pattern::Name(_), [local]) => HirPattern::Local(*local),
            (Pattern::Name(_) | Pattern::Tuple(_), _) => HirPattern::Tuple(locals),
        };
        Ok(HirStatementKind::Bind { pattern, value })
    }

    /// The value and the type that the binding says: the axes have the names written there.
    fn bound_value(&mut self, ty: Option<&Type>, value: &Expr) -> Checked<(HirType, HirExpr)> {
        match ty {
            Some(ty) => {
                let ty = self.items.resolve(ty);
                if ty.is_err() {
                    // Its faults are worth knowing too.
                    let _ = self.expr(value, None);
                }
                let ty = ty?;
                let value = self.expr_of(value, &ty)?;
                Ok((ty, value))
            }
            None => {
                let value = self.expr(value, None)?;
                if value.ty == HirType::Void {
                    return Err(self.fault(value.span, "there is no value to bind"));
                }
                Ok((value.ty.clone(), value))
            }
        }
    }

    fn pattern_types(
        &mut self,
        pattern: &Pattern,
        ty: HirType,
        span: Span,
    ) -> Checked<Vec<HirType>> {
        match (pattern, ty) {
            (Pattern::Name(_), ty) => Ok(vec![ty]),
            (Pattern::Tuple(names), HirType::Tuple(members)) if names.len() == members.len() => {
                Ok(members)
            }
            (Pattern::Tuple(names), ty) => {
                let message = format!("the pattern takes {} members, this is `{ty}`", names.len());
                Err(self.fault(span, message))
            }
        }
    }

    fn assign(&mut self, place: &Expr, value: &Expr) -> Checked<HirStatementKind> {
        let place = self.expr(place, None);
        let place = match place {
            Ok(place) => place,
            Err(Failed) => {
                let _ = self.expr(value, None);
                return Err(Failed);
            }
        };
        let value = self.expr_of(value, &place.ty)?;
        self.require_writable(&place)?;
        Ok(HirStatementKind::Assign { place, value })
    }

    fn compound_assign(
        &mut self,
        op: BinaryOp,
        place: &Expr,
        value: &Expr,
        span: Span,
    ) -> Checked<HirStatementKind> {
        let place = self.expr(place, None)?;
        let hint = place.ty.element().map(HirType::from);
        let value = self.operand(value, hint.as_ref())?;
        self.check_compound(op, &place, &value, span)?;
        self.require_referent_writable(&place)?;
        Ok(HirStatementKind::CompoundAssign { op, place, value })
    }

    fn loop_body(&mut self, body: &Block) -> Checked<HirBlock> {
        self.in_loop(1);
        let checked = self.block(body, Want::Effect);
        self.in_loop(-1);
        checked
    }

    fn in_loop(&mut self, change: i32) {
        if let Some(frame) = self.frames.last_mut() {
            frame.loops = frame.loops.saturating_add_signed(change);
        }
    }

    fn for_loop(&mut self, name: &Name, range: &Expr, body: &Block) -> Checked<HirStatementKind> {
        let bounds = self.for_bounds(range);
        let inclusive = matches!(
            range.kind,
            ExprKind::Range {
                inclusive: true,
                ..
            }
        );
        self.scoped(|checker| {
            let Ok((start, end)) = bounds else {
                checker.declare_unknown(&name.text);
                let _ = checker.loop_body(body);
                return Err(Failed);
            };
            let local = checker.declare(HirLocal {
                name: name.text.clone(),
                ty: start.ty.clone(),
                mutable: false,
                span: name.span,
            });
            Ok(HirStatementKind::For {
                local,
                start,
                end,
                inclusive,
                body: checker.loop_body(body)?,
            })
        })
    }

    /// Both bounds, of one integer type.
    fn for_bounds(&mut self, range: &Expr) -> Checked<(HirExpr, HirExpr)> {
        let ExprKind::Range {
            start: Some(start),
            end: Some(end),
            ..
        } = &range.kind
        else {
            let fault = Diagnostic::new(range.span, "`for` runs over a range")
                .label("expected `a..b` or `a..=b`");
            return Err(self.items.report(fault));
        };
        let (start, end) = self.operands(start, end, None)?;
        let integer =
            |expr: &HirExpr| matches!(expr.ty, HirType::Scalar(scalar) if scalar.is_integer());
        if !integer(&start) || !start.ty.agrees(&end.ty) {
            let message = format!(
                "a range from `{}` to `{}`: its bounds are of one integer type",
                start.ty, end.ty
            );
            return Err(self.fault(range.span, message));
        }
        Ok((start, end))
    }

    fn require_loop(&mut self, what: &str, span: Span) -> Checked<()> {
        match self.frames.last() {
            Some(frame) if frame.loops > 0 => Ok(()),
            _ => Err(self.fault(span, format!("`{what}` outside of a loop"))),
        }
    }

    fn return_value(&mut self, value: Option<&Expr>, span: Span) -> Checked<HirStatementKind> {
        let Some(result) = self.frames.last().and_then(|frame| frame.result.clone()) else {
            let fault = Diagnostic::new(span, "`return` in a closure that does not say its type")
                .help("write the type before the body: `|x: f32| -> f32 { … }`");
            return Err(self.items.report(fault));
        };
        let value = match (value, &result) {
            (None, HirType::Void) => None,
            (None, result) => {
                let message = format!("`return` without its value of type `{result}`");
                return Err(self.fault(span, message));
            }
            (Some(value), HirType::Void) => {
                let message = "this function returns nothing";
                return Err(self.fault(value.span, message));
            }
            (Some(value), result) => Some(self.expr_of(value, result)?),
        };
        Ok(HirStatementKind::Return(value))
    }

    pub fn require_type(&mut self, value: &HirExpr, expected: &HirType) -> Checked<()> {
        if accepts(expected, &value.ty) {
            return Ok(());
        }
        let found = &value.ty;
        let message = match found {
            HirType::Void => format!("expected `{expected}`, found no value"),
            _ => format!("expected `{expected}`, found `{found}`"),
        };
        let mut fault =
            Diagnostic::new(value.span, message).label(format!("expected `{expected}`"));
        if let HirType::Reference { mutable, target } = expected
            && target.agrees(found)
        {
            let how = if *mutable { "&mut " } else { "&" };
            fault = fault.help(format!("borrow it: `{how}…`"));
        }
        if found.referent().agrees(expected) && found.as_tensor().is_some() {
            fault = fault.help("copy it: `.clone()`");
        }
        Err(self.items.report(fault))
    }
}
