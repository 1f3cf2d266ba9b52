use ast_types::{Expr, ExprKind, UnaryOp};
use shared_types::Span;

use super::precedence::{Infix, Level, infix};
use super::{Parsed, Parser};
use crate::Diagnostic;
use crate::syntax::token::TokenKind;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.operators(Level::Or)
    }

    /// An expression before a body: `{` ends it.
    pub(super) fn expression_before_body(&mut self) -> Parsed<Expr> {
        let outer = std::mem::replace(&mut self.braces_open_bodies, true);
        let result = self.expression();
        self.braces_open_bodies = outer;
        result
    }

    /// Operands and the operators between them that bind as tightly as `loosest`, or tighter.
    fn operators(&mut self, loosest: Level) -> Parsed<Expr> {
        let start = self.span();
        let mut left = match infix(self.kind()) {
            Some((Infix::Range { inclusive }, level)) if level >= loosest => {
                self.bump();
                self.range(start, None, inclusive)?
            }
            _ => self.prefixed()?,
        };
        while let Some((operator, level)) = infix(self.kind()) {
            if level < loosest || self.line_ends() {
                break;
            }
            self.bump();
            left = match operator {
                Infix::Binary(op) => {
                    let right = Box::new(self.operators(level.tighter())?);
                    let left = Box::new(left);
                    let kind = ExprKind::Binary { op, left, right };
                    self.node(kind, self.since(start))?
                }
                Infix::Range { inclusive } => self.range(start, Some(left), inclusive)?,
                Infix::Cast => {
                    let ty = self.ty()?;
                    let operand = Box::new(left);
                    let kind = ExprKind::Cast { operand, ty };
                    self.node(kind, self.since(start))?
                }
            };
            self.refuse_chain(level)?;
        }
        Ok(left)
    }

    /// `a < b < c` and `a..b..c` have no meaning.
    fn refuse_chain(&mut self, level: Level) -> Parsed<()> {
        let what = match level {
            Level::Comparison => "comparisons",
            Level::Range => "ranges",
            _ => return Ok(()),
        };
        match infix(self.kind()) {
            Some((_, next)) if next == level && !self.line_ends() => {
                let fault = Diagnostic::new(self.span(), format!("{what} do not chain"));
                let fault = match level {
                    Level::Comparison => fault.help("join two comparisons with `&&`"),
                    _ => fault,
                };
                Err(self.report(fault))
            }
            _ => Ok(()),
        }
    }

    /// What follows the dots of a range; `inclusive` needs an end.
    fn range(&mut self, start: Span, first: Option<Expr>, inclusive: bool) -> Parsed<Expr> {
        let has_end = inclusive || self.starts_operand();
        let last = if has_end {
            Some(Box::new(self.operators(Level::Range.tighter())?))
        } else {
            None
        };
        let kind = ExprKind::Range {
            start: first.map(Box::new),
            end: last,
            inclusive,
        };
        self.node(kind, self.since(start))
    }

    fn starts_operand(&self) -> bool {
        match self.kind() {
            TokenKind::Identifier
            | TokenKind::Integer
            | TokenKind::Float
            | TokenKind::String
            | TokenKind::Char
            | TokenKind::True
            | TokenKind::False
            | TokenKind::SelfValue
            | TokenKind::Minus
            | TokenKind::Not
            | TokenKind::Ampersand
            | TokenKind::OpenParen
            | TokenKind::OpenBracket
            | TokenKind::If => true,
            TokenKind::OpenBrace => !self.braces_open_bodies,
            _ => false,
        }
    }

    /// An operand and the prefix operators before it.
    fn prefixed(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let op = match self.kind() {
            TokenKind::Minus => Some(UnaryOp::Neg),
            TokenKind::Not => Some(UnaryOp::Not),
            TokenKind::Ampersand => None,
            _ => return self.operand(),
        };
        self.bump();
        let mutable = op.is_none() && self.eat(TokenKind::Mut);
        let operand = Box::new(self.nested(Self::prefixed)?);
        let kind = match op {
            Some(op) => ExprKind::Unary { op, operand },
            None => ExprKind::Borrow { mutable, operand },
        };
        self.node(kind, self.since(start))
    }
}
