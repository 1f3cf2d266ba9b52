use ast_types::{Block, Pattern, Statement, StatementKind};
use shared_types::Span;

use super::precedence::compound;
use super::{Failed, Parsed, Parser};
use crate::Diagnostic;
use crate::syntax::token::TokenKind;

impl Parser<'_> {
    /// A block, one level deeper.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.nested(Self::body)
    }

    /// `{ statements }`. A fault in a statement is passed over, so that the next ones are read.
    pub(super) fn body(&mut self) -> Parsed<Block> {
        let start = self.span();
        self.expect(TokenKind::OpenBrace)?;
        self.within(false, |parser| {
            let mut statements = Vec::new();
            loop {
                while parser.eat(TokenKind::Semicolon) {}
                if parser.eat(TokenKind::CloseBrace) {
                    break;
                }
                match parser.statement() {
                    Ok(statement) => statements.push(statement),
                    Err(Failed) => parser.skip_to_statement()?,
                }
            }
            Ok(parser.close_block(statements, start))
        })
    }

    fn close_block(&self, mut statements: Vec<Statement>, start: Span) -> Block {
        let value = match statements.pop() {
            Some(Statement {
                kind: StatementKind::Expr(value),
                ..
            }) => Some(Box::new(value)),
            last => {
                statements.extend(last);
                None
            }
        };
        Block {
            statements,
            value,
            span: self.since(start),
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Val => self.bind(false)?,
            TokenKind::Mut => self.bind(true)?,
            TokenKind::While => {
                self.bump();
                let condition = self.expression_before_body()?;
                let body = self.block()?;
                StatementKind::While { condition, body }
            }
            TokenKind::For => {
                self.bump();
                let name = self.name("the name that takes each value")?;
                self.expect(TokenKind::In)?;
                let range = self.expression_before_body()?;
                let body = self.block()?;
                StatementKind::For { name, range, body }
            }
            TokenKind::Loop => {
                self.bump();
                StatementKind::Loop(self.block()?)
            }
            TokenKind::Break => {
                self.bump();
                StatementKind::Break
            }
            TokenKind::Continue => {
                self.bump();
                StatementKind::Continue
            }
            TokenKind::Return => {
                self.bump();
                let alone = self.line_ends()
                    || self.at(TokenKind::CloseBrace)
                    || self.at(TokenKind::Semicolon);
                StatementKind::Return(if alone {
                    None
                } else {
                    Some(self.expression()?)
                })
            }
            TokenKind::Dot => {
                let fault = Diagnostic::new(self.span(), "expected a statement, found `.`")
                    .help("a statement ends with its line: end the line before with the `.`");
                return Err(self.report(fault));
            }
            _ => self.assignment()?,
        };
        self.end_of_statement()?;
        let span = self.since(start);
        Ok(Statement { kind, span })
    }

    fn bind(&mut self, mutable: bool) -> Parsed<StatementKind> {
        self.bump();
        let pattern = if self.at(TokenKind::OpenParen) {
            let (open, close) = (TokenKind::OpenParen, TokenKind::CloseParen);
            Pattern::Tuple(
                self.list(open, close, |parser| parser.name("a name"))?
                    .items,
            )
        } else {
            Pattern::Name(self.name("a name")?)
        };
        let ty = if self.eat(TokenKind::Colon) {
            Some(self.ty()?)
        } else {
            None
        };
        self.expect(TokenKind::Equal)?;
        let value = self.expression()?;
        Ok(StatementKind::Bind {
            mutable,
            pattern,
            ty,
            value,
        })
    }

    /// An expression, or an assignment to one.
    fn assignment(&mut self) -> Parsed<StatementKind> {
        let place = self.expression()?;
        if self.line_ends() {
            return Ok(StatementKind::Expr(place));
        }
        let op = compound(self.kind());
        if op.is_none() && !self.at(TokenKind::Equal) {
            return Ok(StatementKind::Expr(place));
        }
        self.bump();
        let value = self.expression()?;
        Ok(StatementKind::Assign { op, place, value })
    }

    fn end_of_statement(&mut self) -> Parsed<()> {
        let closed = |kind| matches!(kind, TokenKind::CloseBrace | TokenKind::Semicolon);
        let after_block = self.next > 0 && self.tokens[self.next - 1].kind == TokenKind::CloseBrace;
        if self.token().after_newline || closed(self.kind()) || after_block {
            return Ok(());
        }
        Err(self.expected("an operator or the end of the line"))
    }
}
