//! The statements of a body: bindings, then what it hands back or assigns to.

use ast_types::BinaryOp;
use neuro_hir::{HirBlock, HirExpr, HirExprKind, HirPattern, HirStatement, HirStatementKind};
use shared_types::Span;

use super::{Body, Lowered};
use crate::at::Built;
use crate::compound;
use crate::element::Arithmetic;
use crate::unlowered::Unlowered;

impl<'c: 'b, 'b> Body<'c, 'b, '_> {
    /// The value that the block hands back; none where it ends in a compound assignment.
    pub(crate) fn function(&mut self, block: &HirBlock) -> Built<Option<Lowered<'c, 'b>>> {
        let last = block.statements.last().filter(|_| block.value.is_none());
        let Some((last, (op, place, value))) = last.and_then(|last| match &last.kind {
            HirStatementKind::CompoundAssign { op, place, value } => {
                Some((last, (*op, place, value)))
            }
            _ => None,
        }) else {
            return self.block(block).map(Some);
        };
        let before = &block.statements[..block.statements.len() - 1];
        for statement in before {
            self.binding(statement)?;
        }
        self.compound(op, place, value, last.span)?;
        Ok(None)
    }

    pub(super) fn block(&mut self, block: &HirBlock) -> Built<Lowered<'c, 'b>> {
        for statement in &block.statements {
            match &statement.kind {
                HirStatementKind::Return(Some(value)) => return self.expression(value),
                _ => self.binding(statement)?,
            }
        }
        match &block.value {
            Some(value) => self.expression(value),
            None => Unlowered::refused("the body has no value", block.span),
        }
    }

    fn binding(&mut self, statement: &HirStatement) -> Built<()> {
        match &statement.kind {
            HirStatementKind::Bind { pattern, value } => self.bind_pattern(pattern, value),
            HirStatementKind::Assign { .. }
            | HirStatementKind::CompoundAssign { .. }
            | HirStatementKind::Expr(_)
            | HirStatementKind::While { .. }
            | HirStatementKind::Loop { .. }
            | HirStatementKind::For { .. }
            | HirStatementKind::Break
            | HirStatementKind::Continue
            | HirStatementKind::Return(_) => {
                let reason = "a statement other than `val` and `return`";
                Unlowered::refused(reason, statement.span)
            }
        }
    }

    fn compound(
        &mut self,
        op: BinaryOp,
        place: &HirExpr,
        value: &HirExpr,
        span: Span,
    ) -> Built<()> {
        let target = match &place.kind {
            HirExprKind::Local(local) => self.target.filter(|(known, _)| known == local),
            _ => None,
        };
        let (Some((_, buffer)), Some(tensor)) = (target, place.ty.as_tensor()) else {
            return Unlowered::refused("an assignment to something else than a target", span);
        };
        let Some(scalar) = tensor.scalar().filter(|scalar| scalar.is_number()) else {
            return Unlowered::refused("arithmetic on elements without it", span);
        };
        let value = self.operand(value)?;
        let arithmetic = Arithmetic { op, scalar, span };
        let at = self.at(span);
        compound::assign(at, &mut self.checks, &arithmetic, (buffer, tensor), value)
    }

    fn bind_pattern(&mut self, pattern: &HirPattern, value: &HirExpr) -> Built<()> {
        let lowered = self.expression(value)?;
        match (pattern, lowered) {
            (HirPattern::Local(local), lowered) => self.bind(*local, lowered),
            (HirPattern::Tuple(locals), Lowered::Tuple(members)) => {
                for (local, member) in locals.iter().zip(members) {
                    self.bind(*local, member);
                }
            }
            (HirPattern::Tuple(_), Lowered::Operand(_) | Lowered::Function(_)) => {
                return Unlowered::refused("the value is no tuple", value.span);
            }
        }
        Ok(())
    }
}
