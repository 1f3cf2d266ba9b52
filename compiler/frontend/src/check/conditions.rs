use ast_types::{Block, Expr};
use neuro_hir::{HirBlock, HirExpr, HirExprKind, HirType};
use shared_types::{ScalarType, Span};

use super::body::Body;
use super::leaves::leaves;
use super::literals::is_open_block;
use super::statements::Want;
use crate::Diagnostic;
use crate::faults::{Checked, Failed};

impl Body<'_, '_> {
    pub fn condition(&mut self, condition: &Expr) -> Checked<HirExpr> {
        let bool = HirType::from(ScalarType::Bool);
        self.expr_of(condition, &bool)
    }

    pub fn block_expr(&mut self, block: &Block, want: Want, span: Span) -> Checked<HirExpr> {
        let block = self.block(block, want)?;
        let ty = block.ty().clone();
        let kind = HirExprKind::Block(block);
        Ok(HirExpr { kind, ty, span })
    }

    /// An `if` with its `elif`s: the branches give one type, or leave.
    pub fn conditional(
        &mut self,
        branches: &[(Expr, Block)],
        otherwise: Option<&Block>,
        want: Want,
        span: Span,
    ) -> Checked<HirExpr> {
        let want = match (want, otherwise) {
            // Without an `else` there is no value to give.
            (Want::Value(_), None) | (Want::Effect, _) => Want::Effect,
            (Want::Value(expected), Some(_)) => Want::Value(expected),
        };
        let mut conditions = Vec::new();
        for (condition, _) in branches {
            conditions.push(self.condition(condition));
        }
        let blocks: Vec<&Block> = branches
            .iter()
            .map(|(_, block)| block)
            .chain(otherwise)
            .collect();
        let blocks = self.branches(&blocks, want)?;
        let conditions = conditions.into_iter().collect::<Checked<Vec<_>>>()?;
        let ty = self.branch_type(&blocks)?;
        nest(conditions, blocks, otherwise.is_some(), ty, span)
    }

    /// Checks the blocks; one whose value takes its type from the context comes after one whose
    /// value has its own.
    fn branches(&mut self, blocks: &[&Block], want: Want) -> Checked<Vec<HirBlock>> {
        let Want::Value(None) = want else {
            let checked: Vec<_> = blocks.iter().map(|block| self.block(block, want)).collect();
            return checked.into_iter().collect();
        };
        let mut order: Vec<usize> = (0..blocks.len()).collect();
        order.sort_by_key(|&at| is_open_block(blocks[at]));
        let mut checked: Vec<Option<HirBlock>> = vec![None; blocks.len()];
        let mut hint: Option<HirType> = None;
        let mut failed = false;
        for at in order {
            match self.block(blocks[at], Want::Value(hint.as_ref())) {
                Ok(block) => {
                    if hint.is_none() && !leaves(&block) {
                        hint = Some(block.ty().clone());
                    }
                    checked[at] = Some(block);
                }
                Err(Failed) => failed = true,
            }
        }
        match checked.into_iter().collect() {
            Some(blocks) if !failed => Ok(blocks),
            _ => Err(Failed),
        }
    }

    fn branch_type(&mut self, blocks: &[HirBlock]) -> Checked<HirType> {
        let mut staying = blocks.iter().filter(|block| !leaves(block));
        let Some(first) = staying.next() else {
            return Ok(HirType::Void);
        };
        for other in staying {
            if !first.ty().agrees(other.ty()) {
                let place =
                    |block: &HirBlock| block.value.as_ref().map_or(block.span, |value| value.span);
                let message = format!("the branches give `{}` and `{}`", first.ty(), other.ty());
                let fault = Diagnostic::new(place(other), message)
                    .note(place(first), "the other one is here");
                return Err(self.items.report(fault));
            }
        }
        Ok(first.ty().clone())
    }
}

/// `if a {} elif b {} else {}` as an `if` in the `else` of another. There is a condition at least.
fn nest(
    conditions: Vec<HirExpr>,
    mut blocks: Vec<HirBlock>,
    has_else: bool,
    ty: HirType,
    span: Span,
) -> Checked<HirExpr> {
    let mut otherwise = if has_else { blocks.pop() } else { None };
    let mut branches = conditions.into_iter().zip(blocks);
    let (first, then) = branches.next().ok_or(Failed)?;
    let conditional = |condition: HirExpr, then, otherwise, span| HirExpr {
        kind: HirExprKind::If {
            condition: Box::new(condition),
            then,
            otherwise,
        },
        ty: ty.clone(),
        span,
    };
    for (condition, then) in branches.rev() {
        let span = condition.span.to(span);
        let inner = conditional(condition, then, otherwise, span);
        otherwise = Some(HirBlock {
            statements: Vec::new(),
            value: Some(Box::new(inner)),
            span,
        });
    }
    Ok(conditional(first, then, otherwise, span))
}
