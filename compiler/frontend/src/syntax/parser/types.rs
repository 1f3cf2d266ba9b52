use ast_types::{TensorShape, Type, TypeAxis, TypeExtent, TypeKind};

use super::{Parsed, Parser};
use crate::Diagnostic;
use crate::syntax::number::number;
use crate::syntax::token::{Token, TokenKind};

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Ampersand => {
                self.bump();
                TypeKind::Reference {
                    mutable: self.eat(TokenKind::Mut),
                    target: Box::new(self.nested(Self::ty)?),
                }
            }
            TokenKind::OpenParen => {
                let (open, close) = (TokenKind::OpenParen, TokenKind::CloseParen);
                let mut list = self.list(open, close, Self::ty)?;
                match list.items.pop() {
                    Some(only) if list.items.is_empty() && !list.comma => return Ok(only),
                    last => {
                        list.items.extend(last);
                        TypeKind::Tuple(list.items)
                    }
                }
            }
            TokenKind::Func => {
                self.bump();
                let (open, close) = (TokenKind::OpenParen, TokenKind::CloseParen);
                let parameters = self.list(open, close, Self::ty)?.items;
                let result = if self.eat(TokenKind::Arrow) {
                    Some(Box::new(self.nested(Self::ty)?))
                } else {
                    None
                };
                TypeKind::Function { parameters, result }
            }
            _ => {
                let name = self.name("a type")?;
                match name.text.as_str() {
                    "Tensor" => TypeKind::Tensor(self.tensor_shape()?),
                    _ => TypeKind::Named(name.text),
                }
            }
        };
        Ok(Type {
            kind,
            span: self.since(start),
        })
    }

    /// `<f32, [2, 3]>`
    pub(super) fn tensor_shape(&mut self) -> Parsed<TensorShape> {
        self.expect(TokenKind::Less)?;
        self.within(true, |parser| {
            let element = Box::new(parser.nested(Self::ty)?);
            parser.expect(TokenKind::Comma)?;
            let (open, close) = (TokenKind::OpenBracket, TokenKind::CloseBracket);
            let axes = parser.list(open, close, Self::axis)?.items;
            parser.close_angle()?;
            Ok(TensorShape { element, axes })
        })
    }

    /// `>`, also as the first half of a `>=`: `val t: Tensor<f32, [2]>= …`.
    fn close_angle(&mut self) -> Parsed<()> {
        if self.at(TokenKind::GreaterEqual) {
            let token = &mut self.tokens[self.next];
            token.kind = TokenKind::Equal;
            token.span.start += 1;
            return Ok(());
        }
        self.expect(TokenKind::Greater).map(drop)
    }

    fn axis(&mut self) -> Parsed<TypeAxis> {
        let start = self.span();
        let named = self.at(TokenKind::Identifier) && self.kind_ahead(1) == TokenKind::Colon;
        let name = if named {
            let name = self.name("an axis")?;
            self.bump();
            Some(name)
        } else {
            None
        };
        let extent = match self.kind() {
            TokenKind::Question => {
                self.bump();
                TypeExtent::Dynamic
            }
            TokenKind::Identifier => TypeExtent::Constant(self.name("an extent")?),
            TokenKind::Integer => {
                let token = self.bump();
                TypeExtent::Literal(self.extent(token)?)
            }
            _ => return Err(self.expected("an extent: a number, a constant or `?`")),
        };
        Ok(TypeAxis {
            name,
            extent,
            span: self.since(start),
        })
    }

    fn extent(&mut self, token: Token) -> Parsed<u64> {
        let fault = match number(self.text(token), token.span) {
            Ok(ast_types::Number::Integer { value, .. }) => match u64::try_from(value) {
                Ok(extent) => return Ok(extent),
                Err(_) => Diagnostic::new(token.span, "the extent is past 2^63"),
            },
            Ok(ast_types::Number::Float { .. }) => {
                Diagnostic::new(token.span, "an extent is a whole number")
            }
            Err(fault) => fault,
        };
        Err(self.report(fault))
    }
}
