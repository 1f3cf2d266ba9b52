use ast_types::BinaryOp;
use shared_types::Span;

use crate::{HirExpr, HirType, LocalId};

/// Statements, then the value of the block where it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct HirBlock {
    pub statements: Vec<HirStatement>,
    pub value: Option<Box<HirExpr>>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct HirStatement {
    pub kind: HirStatementKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum HirStatementKind {
    /// `val` and `mut`; which of the two is in the local.
    Bind {
        pattern: HirPattern,
        value: HirExpr,
    },
    /// The place is a local, an element, a field or a tuple's member.
    Assign {
        place: HirExpr,
        value: HirExpr,
    },
    /// `place op= value`, `op` being one of `+ - * / %`. The place is as for an assignment, or a
    /// whole tensor, to which the value broadcasts.
    CompoundAssign {
        op: BinaryOp,
        place: HirExpr,
        value: HirExpr,
    },
    /// Evaluated for what it does.
    Expr(HirExpr),
    While {
        condition: HirExpr,
        body: HirBlock,
    },
    Loop {
        body: HirBlock,
    },
    /// `for local in start..end`, or `..=` where `inclusive`. All three have one integer type.
    For {
        local: LocalId,
        start: HirExpr,
        end: HirExpr,
        inclusive: bool,
        body: HirBlock,
    },
    Break,
    Continue,
    Return(Option<HirExpr>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum HirPattern {
    Local(LocalId),
    Tuple(Vec<LocalId>),
}

impl HirBlock {
    pub fn ty(&self) -> &HirType {
        match &self.value {
            Some(value) => &value.ty,
            None => &HirType::Void,
        }
    }
}
