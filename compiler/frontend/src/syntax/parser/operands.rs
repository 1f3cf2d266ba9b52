use ast_types::{
    Argument, Closure, ClosureParameter, Expr, ExprKind, FieldValue, Name, TensorShape,
};
use shared_types::Span;

use super::{Parsed, Parser};
use crate::Diagnostic;
use crate::syntax::escape::unescape;
use crate::syntax::number::number;
use crate::syntax::token::{Token, TokenKind};

impl Parser<'_> {
    /// What stands alone, and the calls, indexes and members after it.
    pub(super) fn operand(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut operand = self.primary()?;
        while !self.line_ends() {
            let kind = match self.kind() {
                TokenKind::OpenParen => ExprKind::Call {
                    callee: Box::new(operand),
                    arguments: self.arguments()?,
                },
                TokenKind::OpenBracket => {
                    let (open, close) = (TokenKind::OpenBracket, TokenKind::CloseBracket);
                    ExprKind::Index {
                        operand: Box::new(operand),
                        entries: self.list(open, close, Self::expression)?.items,
                    }
                }
                TokenKind::Dot => {
                    self.bump();
                    operand = self.member(start, operand)?;
                    continue;
                }
                _ => break,
            };
            operand = self.node(kind, self.since(start))?;
        }
        Ok(operand)
    }

    pub(super) fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        let (open, close) = (TokenKind::OpenParen, TokenKind::CloseParen);
        let arguments = self.list(open, close, |parser| {
            let named =
                parser.at(TokenKind::Identifier) && parser.kind_ahead(1) == TokenKind::Colon;
            let name = if named {
                let name = parser.name("a name")?;
                parser.bump();
                Some(name)
            } else {
                None
            };
            let value = parser.expression()?;
            Ok(Argument { name, value })
        })?;
        Ok(arguments.items)
    }

    /// What follows a dot: a field, a tuple's member or a method's call.
    fn member(&mut self, start: Span, operand: Expr) -> Parsed<Expr> {
        let operand = Box::new(operand);
        match self.kind() {
            TokenKind::Integer => {
                let token = self.bump();
                let text = self.text(token).to_string();
                let index = self.tuple_index(token, &text)?;
                let kind = ExprKind::TupleMember { operand, index };
                self.node(kind, self.since(start))
            }
            // `pair.0.1` has the digits of a float.
            TokenKind::Float => {
                let token = self.bump();
                let text = self.text(token).to_string();
                let (outer, inner) = text.split_once('.').unwrap_or((&text, ""));
                let index = self.tuple_index(token, outer)?;
                let dot = token.span.start + outer.len() as u32;
                let span = Span::new(start.file, start.start, dot);
                let kind = ExprKind::TupleMember { operand, index };
                let operand = Box::new(self.node(kind, span)?);
                let index = self.tuple_index(token, inner)?;
                let kind = ExprKind::TupleMember { operand, index };
                self.node(kind, self.since(start))
            }
            _ => {
                let name = self.name("the name of a field or method")?;
                let kind = if self.at(TokenKind::OpenParen) && !self.line_ends() {
                    ExprKind::MethodCall {
                        receiver: operand,
                        method: name,
                        arguments: self.arguments()?,
                    }
                } else {
                    let field = name;
                    ExprKind::Field { operand, field }
                };
                self.node(kind, self.since(start))
            }
        }
    }

    fn tuple_index(&mut self, token: Token, digits: &str) -> Parsed<usize> {
        let index = digits.parse();
        index.map_err(|_| {
            let fault = Diagnostic::new(token.span, "a member of a tuple is a plain number");
            self.report(fault)
        })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.token();
        let kind = match token.kind {
            TokenKind::Identifier => return self.named(),
            TokenKind::OpenParen => return self.parenthesized(),
            TokenKind::Integer | TokenKind::Float => ExprKind::Number(self.literal(token, number)?),
            TokenKind::String => ExprKind::String(self.literal(token, unescape)?),
            TokenKind::Char => ExprKind::Char(self.literal(token, character)?),
            TokenKind::True => ExprKind::Bool(true),
            TokenKind::False => ExprKind::Bool(false),
            TokenKind::SelfValue => ExprKind::Name("self".into()),
            TokenKind::OpenBracket => {
                let (open, close) = (TokenKind::OpenBracket, TokenKind::CloseBracket);
                let members = self.list(open, close, Self::expression)?.items;
                return self.node(ExprKind::Array(members), self.since(token.span));
            }
            TokenKind::OpenBrace => {
                let block = self.block()?;
                return self.node(ExprKind::Block(block), self.since(token.span));
            }
            TokenKind::If => return self.conditional(),
            TokenKind::Pipe | TokenKind::PipePipe => return self.closure(),
            _ => return Err(self.expected("an expression")),
        };
        self.bump();
        self.node(kind, token.span)
    }

    fn literal<T>(
        &mut self,
        token: Token,
        read: impl FnOnce(&str, Span) -> Result<T, Diagnostic>,
    ) -> Parsed<T> {
        let value = read(self.text(token), token.span);
        value.map_err(|fault| self.report(fault))
    }

    /// A name, a path or a struct's value.
    fn named(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let name = self.name("a name")?;
        if self.eat(TokenKind::ColonColon) {
            let generics = if self.at(TokenKind::Less) {
                let generics = self.tensor_shape()?;
                self.expect(TokenKind::ColonColon)?;
                Some(generics)
            } else {
                None
            };
            return self.path(start, name, generics);
        }
        let has_fields = self.at(TokenKind::OpenBrace) && !self.braces_open_bodies;
        if !has_fields || self.line_ends() {
            return self.node(ExprKind::Name(name.text), start);
        }
        let (open, close) = (TokenKind::OpenBrace, TokenKind::CloseBrace);
        let fields = self.list(open, close, |parser| {
            let name = parser.name("the name of a field")?;
            let value = if parser.eat(TokenKind::Colon) {
                parser.expression()?
            } else {
                parser.node(ExprKind::Name(name.text.clone()), name.span)?
            };
            Ok(FieldValue { name, value })
        })?;
        let fields = fields.items;
        let kind = ExprKind::StructLiteral { name, fields };
        self.node(kind, self.since(start))
    }

    fn path(&mut self, start: Span, owner: Name, generics: Option<TensorShape>) -> Parsed<Expr> {
        let member = self.name("a name")?;
        let kind = ExprKind::Path {
            owner,
            generics,
            member,
        };
        self.node(kind, self.since(start))
    }

    /// `(a)`, or a tuple: `()`, `(a,)`, `(a, b)`.
    fn parenthesized(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let (open, close) = (TokenKind::OpenParen, TokenKind::CloseParen);
        let mut list = self.list(open, close, Self::expression)?;
        match list.items.pop() {
            Some(only) if list.items.is_empty() && !list.comma => Ok(only),
            last => {
                list.items.extend(last);
                self.node(ExprKind::Tuple(list.items), self.since(start))
            }
        }
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut branches = Vec::new();
        let mut otherwise = None;
        self.expect(TokenKind::If)?;
        loop {
            let condition = self.nested(Self::expression_before_body)?;
            branches.push((condition, self.block()?));
            if self.eat(TokenKind::Elif) {
                continue;
            }
            if !self.eat(TokenKind::Else) {
                break;
            }
            if self.at(TokenKind::If) {
                let fault = Diagnostic::new(self.span(), "`else if` is written `elif`");
                return Err(self.report(fault));
            }
            otherwise = Some(self.block()?);
            break;
        }
        let kind = ExprKind::If {
            branches,
            otherwise,
        };
        self.node(kind, self.since(start))
    }

    fn closure(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let parameters = if self.eat(TokenKind::PipePipe) {
            Vec::new()
        } else {
            let parameter = |parser: &mut Self| {
                let name = parser.name("a parameter or `|`")?;
                let ty = if parser.eat(TokenKind::Colon) {
                    Some(parser.ty()?)
                } else {
                    None
                };
                Ok(ClosureParameter { name, ty })
            };
            self.list(TokenKind::Pipe, TokenKind::Pipe, parameter)?
                .items
        };
        let (result, body) = if self.eat(TokenKind::Arrow) {
            let result = self.ty()?;
            let start = self.span();
            let block = self.block()?;
            let body = self.node(ExprKind::Block(block), self.since(start))?;
            (Some(result), body)
        } else {
            (None, self.nested(Self::expression)?)
        };
        let closure = Closure {
            parameters,
            result,
            body,
        };
        self.node(ExprKind::Closure(Box::new(closure)), self.since(start))
    }
}

/// A character literal holds exactly one.
fn character(text: &str, span: Span) -> Result<char, Diagnostic> {
    let value = unescape(text, span)?;
    let mut characters = value.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(
            Diagnostic::new(span, "a character literal holds one character")
                .help("a string stands in `\"`"),
        ),
    }
}
