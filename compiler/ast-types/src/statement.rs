use shared_types::Span;

use crate::{BinaryOp, Expr, Name, Type};

/// Statements; an expression in the last place is the block's value.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub statements: Vec<Statement>,
    pub value: Option<Box<Expr>>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `val` and `mut`.
    Bind {
        mutable: bool,
        pattern: Pattern,
        ty: Option<Type>,
        value: Expr,
    },
    /// `place = value`, or `place op= value`.
    Assign {
        op: Option<BinaryOp>,
        place: Expr,
        value: Expr,
    },
    Expr(Expr),
    While {
        condition: Expr,
        body: Block,
    },
    For {
        name: Name,
        range: Expr,
        body: Block,
    },
    Loop(Block),
    Break,
    Continue,
    Return(Option<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    Name(Name),
    Tuple(Vec<Name>),
}

impl Block {
    /// The levels of expressions and statements below this one.
    pub fn height(&self) -> u32 {
        let statements = self.statements.iter().map(Statement::height).max();
        let value = self.value.as_ref().map(|value| value.height());
        1 + statements.max(value).unwrap_or(0)
    }
}

impl Statement {
    fn height(&self) -> u32 {
        match &self.kind {
            StatementKind::Bind { value, .. } => value.height(),
            StatementKind::Assign { place, value, .. } => place.height().max(value.height()),
            StatementKind::Expr(value) => value.height(),
            StatementKind::While { condition, body } => condition.height().max(body.height()),
            StatementKind::For { range, body, .. } => range.height().max(body.height()),
            StatementKind::Loop(body) => body.height(),
            StatementKind::Break | StatementKind::Continue => 0,
            StatementKind::Return(value) => value.as_ref().map_or(0, Expr::height),
        }
    }
}
