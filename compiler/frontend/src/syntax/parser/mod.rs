//! A recursive-descent parser for `.nr` source (surface, §Reading rules).

mod expressions;
mod items;
mod operands;
mod precedence;
mod recovery;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use ast_types::{Expr, ExprKind, Module, Name};
use shared_types::{FileId, Span};

use super::lexer::lex;
use super::token::{Token, TokenKind};
use crate::Diagnostic;

/// The deepest nesting that is accepted (surface, §Reading rules): every walk of the tree recurses
/// as deep as it nests.
const MOST_LEVELS: u32 = 1_000;

/// The fault is reported already; whoever can take up again does.
#[derive(Debug)]
pub(super) struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Reads a file; the module holds what could be read, and the faults are in source order.
pub(crate) fn parse(file: FileId, text: &str) -> (Module, Vec<Diagnostic>) {
    let (tokens, faults) = lex(file, text);
    if !faults.is_empty() {
        return (Module::default(), faults);
    }
    let mut parser = Parser {
        text,
        tokens,
        next: 0,
        levels: 0,
        bracketed: false,
        braces_open_bodies: false,
        faults,
    };
    let module = parser.module();
    (module, parser.faults)
}

struct Parser<'a> {
    text: &'a str,
    /// The last one is `End`.
    tokens: Vec<Token>,
    next: usize,
    levels: u32,
    /// Within `(`, `[` or the braces of a struct's value, where the end of a line means nothing.
    bracketed: bool,
    /// In `if x {` the brace opens the body: it is no value of a struct `x`.
    braces_open_bodies: bool,
    faults: Vec<Diagnostic>,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.next]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// The kind of the token `ahead` of the next one.
    fn kind_ahead(&self, ahead: usize) -> TokenKind {
        let at = (self.next + ahead).min(self.tokens.len() - 1);
        self.tokens[at].kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// From the start of `start` to the end of the last token taken.
    fn since(&self, start: Span) -> Span {
        match self.next.checked_sub(1) {
            Some(last) => start.to(self.tokens[last].span),
            None => start,
        }
    }

    fn text(&self, token: Token) -> &str {
        &self.text[token.span.start as usize..token.span.end as usize]
    }

    /// Takes the next token; `End` stays.
    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.next += 1;
        }
        token
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.at(kind) {
            return Ok(self.bump());
        }
        Err(self.expected(kind.describe()))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if !self.at(TokenKind::Identifier) {
            return Err(self.expected(what));
        }
        let token = self.bump();
        Ok(Name {
            text: self.text(token).to_string(),
            span: token.span,
        })
    }

    /// The line ends before the next token, and that ends the statement.
    fn line_ends(&self) -> bool {
        self.token().after_newline && !self.bracketed
    }

    fn expected(&mut self, what: &str) -> Failed {
        let Token { kind, span, .. } = self.token();
        let message = format!("expected {what}, found {}", self.found(kind));
        self.report(Diagnostic::new(span, message).label(format!("expected {what}")))
    }

    fn found(&self, kind: TokenKind) -> String {
        match kind {
            TokenKind::Identifier => format!("`{}`", self.text(self.token())),
            _ => kind.describe().to_string(),
        }
    }

    /// One fault a place: a second one follows from the first.
    fn report(&mut self, fault: Diagnostic) -> Failed {
        let known = self.faults.last();
        if known.is_none_or(|last| last.span.start != fault.span.start) {
            self.faults.push(fault);
        }
        Failed
    }

    /// Reads what a bracket or a prefix operator opens, one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.levels == MOST_LEVELS {
            return Err(self.too_deep(self.span()));
        }
        self.levels += 1;
        let result = read(self);
        self.levels -= 1;
        result
    }

    fn too_deep(&mut self, span: Span) -> Failed {
        self.report(
            Diagnostic::new(span, "nesting deeper than 1,000 levels")
                .help("give a part of it a name with `val`"),
        )
    }

    /// An expression, unless it is too high: a long chain nests without any bracket.
    fn node(&mut self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let expr = Expr::new(kind, span);
        if expr.height() > MOST_LEVELS {
            return Err(self.too_deep(span));
        }
        Ok(expr)
    }

    /// Reads with line ends as `bracketed` says, and braces free to be values.
    fn within<T>(
        &mut self,
        bracketed: bool,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let outer = (self.bracketed, self.braces_open_bodies);
        (self.bracketed, self.braces_open_bodies) = (bracketed, false);
        let result = read(self);
        (self.bracketed, self.braces_open_bodies) = outer;
        result
    }

    /// `open item, item, … close`, one level deeper; a comma may follow the last.
    fn list<T>(
        &mut self,
        open: TokenKind,
        close: TokenKind,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<List<T>> {
        self.expect(open)?;
        self.nested(|parser| {
            parser.within(true, |parser| {
                let mut items = Vec::new();
                let mut comma = false;
                while !parser.at(close) {
                    items.push(item(parser)?);
                    comma = parser.eat(TokenKind::Comma);
                    if !comma && !parser.at(close) {
                        let what = format!("`,` or {}", close.describe());
                        return Err(parser.expected(&what));
                    }
                }
                parser.bump();
                Ok(List { items, comma })
            })
        })
    }
}

/// The items of a bracket, and whether a comma stood after the last: `(a,)` is a tuple.
struct List<T> {
    items: Vec<T>,
    comma: bool,
}
