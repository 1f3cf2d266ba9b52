use ast_types::BinaryOp;

use crate::syntax::token::TokenKind;

/// How tightly an operator between two operands binds (surface, §Reading rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Or,
    And,
    Comparison,
    Range,
    Sum,
    Product,
    Cast,
    /// Above all operators: only an operand.
    Operand,
}

impl Level {
    pub fn tighter(self) -> Level {
        match self {
            Level::Or => Level::And,
            Level::And => Level::Comparison,
            Level::Comparison => Level::Range,
            Level::Range => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Cast,
            Level::Cast | Level::Operand => Level::Operand,
        }
    }
}

/// An operator after an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Infix {
    Binary(BinaryOp),
    Range { inclusive: bool },
    Cast,
}

pub(super) fn infix(kind: TokenKind) -> Option<(Infix, Level)> {
    let (op, level) = match kind {
        TokenKind::PipePipe => (BinaryOp::Or, Level::Or),
        TokenKind::AmpersandAmpersand => (BinaryOp::And, Level::And),
        TokenKind::EqualEqual => (BinaryOp::Eq, Level::Comparison),
        TokenKind::NotEqual => (BinaryOp::Ne, Level::Comparison),
        TokenKind::Less => (BinaryOp::Lt, Level::Comparison),
        TokenKind::LessEqual => (BinaryOp::Le, Level::Comparison),
        TokenKind::Greater => (BinaryOp::Gt, Level::Comparison),
        TokenKind::GreaterEqual => (BinaryOp::Ge, Level::Comparison),
        TokenKind::Plus => (BinaryOp::Add, Level::Sum),
        TokenKind::Minus => (BinaryOp::Sub, Level::Sum),
        TokenKind::Star => (BinaryOp::Mul, Level::Product),
        TokenKind::Slash => (BinaryOp::Div, Level::Product),
        TokenKind::Percent => (BinaryOp::Rem, Level::Product),
        TokenKind::At => (BinaryOp::MatMul, Level::Product),
        TokenKind::DotDot => return Some((Infix::Range { inclusive: false }, Level::Range)),
        TokenKind::DotDotEqual => return Some((Infix::Range { inclusive: true }, Level::Range)),
        TokenKind::As => return Some((Infix::Cast, Level::Cast)),
        _ => return None,
    };
    Some((Infix::Binary(op), level))
}

/// The operator of a compound assignment.
pub(super) fn compound(kind: TokenKind) -> Option<BinaryOp> {
    match kind {
        TokenKind::PlusEqual => Some(BinaryOp::Add),
        TokenKind::MinusEqual => Some(BinaryOp::Sub),
        TokenKind::StarEqual => Some(BinaryOp::Mul),
        TokenKind::SlashEqual => Some(BinaryOp::Div),
        TokenKind::PercentEqual => Some(BinaryOp::Rem),
        _ => None,
    }
}
