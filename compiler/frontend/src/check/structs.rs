use std::collections::BTreeMap;

use ast_types::{ExprKind, FieldValue, Name};
use neuro_hir::{
    HirBlock, HirExpr, HirExprKind, HirField, HirPattern, HirStatement, HirStatementKind, HirType,
};
use shared_types::Span;

use super::body::Body;
use super::items::Items;
use crate::Diagnostic;
use crate::faults::Checked;

/// Structs may hold others this many times over.
const MOST_HOLDERS: u32 = 500;

impl Items<'_> {
    /// Resolves the fields of every struct, and refuses one that holds itself.
    pub fn check_structs(&mut self) {
        let structs: Vec<_> = self.structs.values().copied().collect();
        for item in &structs {
            let mut fields: Vec<HirField> = Vec::new();
            for field in &item.fields {
                let name = field.name.text.clone();
                if fields.iter().any(|other| other.name == name) {
                    let message = format!("`{name}` is declared twice");
                    self.report(Diagnostic::new(field.name.span, message));
                    continue;
                }
                // A field of a type that has a fault is left out, and the fault is reported.
                let Ok(ty) = self.resolve(&field.ty) else {
                    continue;
                };
                if let HirType::Reference { .. } = ty {
                    let fault = Diagnostic::new(field.ty.span, "a struct holds no references");
                    self.report(fault);
                    continue;
                }
                fields.push(HirField { name, ty });
            }
            self.fields.insert(&item.name.text, fields);
        }
        let mut states = BTreeMap::new();
        for item in structs {
            if self
                .holds_itself(&item.name.text, item.name.span, &mut states, 0)
                .is_err()
            {
                break;
            }
        }
    }

    /// Walks what `name` holds by value; a struct on the way down again holds itself.
    fn holds_itself(
        &mut self,
        name: &str,
        span: Span,
        done: &mut BTreeMap<String, bool>,
        depth: u32,
    ) -> Checked<()> {
        match done.get(name) {
            Some(true) => return Ok(()),
            Some(false) => {
                let message = format!("struct `{name}` holds itself");
                return Err(self.report(Diagnostic::new(span, message)));
            }
            None if depth > MOST_HOLDERS => {
                let message = format!("struct `{name}` is held {MOST_HOLDERS} times over");
                return Err(self.report(Diagnostic::new(span, message)));
            }
            None => {}
        }
        done.insert(name.to_string(), false);
        let fields = self.fields(name).unwrap_or_default();
        let mut pending: Vec<&HirType> = fields.iter().map(|field| &field.ty).collect();
        while let Some(ty) = pending.pop() {
            match ty {
                HirType::Nominal(inner) => self.holds_itself(inner, span, done, depth + 1)?,
                HirType::Tuple(members) => pending.extend(members),
                HirType::Void
                | HirType::Scalar(_)
                | HirType::Tensor(_)
                | HirType::Reference { .. }
                | HirType::Function(_)
                | HirType::String => {}
            }
        }
        done.insert(name.to_string(), true);
        Ok(())
    }
}

impl Body<'_, '_> {
    /// `Layer { w: w, b: b }`
    pub fn struct_literal(
        &mut self,
        name: &Name,
        values: &[FieldValue],
        span: Span,
    ) -> Checked<HirExpr> {
        let Some(fields) = self.items.fields(&name.text) else {
            let message = format!("there is no struct `{name}`");
            return Err(self.fault(name.span, message));
        };
        let mut given: Vec<(usize, HirExpr)> = Vec::new();
        for value in values {
            let Some(at) = fields
                .iter()
                .position(|field| field.name == value.name.text)
            else {
                let message = format!("`{name}` has no field `{}`", value.name);
                return Err(self.fault(value.name.span, message));
            };
            if given.iter().any(|(other, _)| *other == at) {
                let message = format!("`{}` is given twice", value.name);
                return Err(self.fault(value.name.span, message));
            }
            given.push((at, self.expr_of(&value.value, &fields[at].ty)?));
        }
        if let Some(missing) = fields.iter().enumerate().find_map(|(at, field)| {
            (!given.iter().any(|(other, _)| *other == at)).then_some(&field.name)
        }) {
            return Err(self.fault(span, format!("field `{missing}` has no value")));
        }
        let ty = HirType::Nominal(name.text.clone());
        if given.is_sorted_by_key(|(at, _)| *at) {
            let values = given.into_iter().map(|(_, value)| value).collect();
            let kind = HirExprKind::Struct(values);
            return Ok(HirExpr { kind, ty, span });
        }
        Ok(self.in_written_order(given, ty, span))
    }

    /// Fields in another order than declared are evaluated as they are written.
    fn in_written_order(
        &mut self,
        given: Vec<(usize, HirExpr)>,
        ty: HirType,
        span: Span,
    ) -> HirExpr {
        let mut statements = Vec::new();
        let mut values: Vec<(usize, HirExpr)> = Vec::new();
        for (at, value) in given {
            let local = self.new_local("field", value.ty.clone(), false, value.span);
            values.push((at, self.read_local(local, value.span)));
            statements.push(HirStatement {
                span: value.span,
                kind: HirStatementKind::Bind {
                    pattern: HirPattern::Local(local),
                    value,
                },
            });
        }
        values.sort_by_key(|(at, _)| *at);
        let kind = HirExprKind::Struct(values.into_iter().map(|(_, value)| value).collect());
        let value = HirExpr {
            kind,
            ty: ty.clone(),
            span,
        };
        let block = HirBlock {
            statements,
            value: Some(Box::new(value)),
            span,
        };
        let kind = HirExprKind::Block(block);
        HirExpr { kind, ty, span }
    }

    /// `layer.w`, or `thread_id.x` in a kernel.
    pub fn field(
        &mut self,
        operand: &ast_types::Expr,
        field: &Name,
        span: Span,
    ) -> Checked<HirExpr> {
        if let ExprKind::Name(name) = &operand.kind
            && self.lookup(name).is_none()
            && let Some(index) = self.grid_index(name, field, span)
        {
            return index;
        }
        let operand = self.expr(operand, None)?;
        let declared = if let HirType::Nominal(owner) = operand.ty.referent() {
            self.items.fields(owner)
        } else {
            None
        };
        let fields = declared.unwrap_or_default();
        let Some(declared) = fields.into_iter().find(|other| other.name == field.text) else {
            let message = format!("`{}` has no field `{field}`", operand.ty);
            return Err(self.fault(field.span, message));
        };
        Ok(HirExpr {
            kind: HirExprKind::Field {
                operand: Box::new(operand),
                name: declared.name,
            },
            ty: declared.ty,
            span,
        })
    }

    pub fn tuple_member(
        &mut self,
        operand: &ast_types::Expr,
        index: usize,
        span: Span,
    ) -> Checked<HirExpr> {
        let operand = self.expr(operand, None)?;
        let member = if let HirType::Tuple(members) = operand.ty.referent() {
            members.get(index).cloned()
        } else {
            None
        };
        let Some(ty) = member else {
            let message = format!("`{}` has no member {index}", operand.ty);
            return Err(self.fault(span, message));
        };
        let operand = Box::new(operand);
        let kind = HirExprKind::TupleMember { operand, index };
        Ok(HirExpr { kind, ty, span })
    }
}
