use ast_types::{
    Attribute, Const, Field, Function, Impl, Item, ItemKind, Module, Parameter, Receiver, Struct,
    TypeAlias,
};

use super::{Failed, Parsed, Parser};
use crate::Diagnostic;
use crate::syntax::token::TokenKind;

impl Parser<'_> {
    /// The items of the file. A fault in one is passed over, so that the next ones are read.
    pub(super) fn module(&mut self) -> Module {
        let mut items = Vec::new();
        while !self.at(TokenKind::End) {
            match self.item() {
                Ok(item) => items.push(item),
                Err(Failed) => self.skip_to_item(),
            }
        }
        Module { items }
    }

    fn item(&mut self) -> Parsed<Item> {
        let start = self.span();
        let first = self.next;
        let kind = match self.kind() {
            TokenKind::Func | TokenKind::At => self.function().map(ItemKind::Function),
            TokenKind::Struct => self.structure().map(ItemKind::Struct),
            TokenKind::Impl => self.implementation().map(ItemKind::Impl),
            TokenKind::Const => self.constant().map(ItemKind::Const),
            TokenKind::Type => self.alias().map(ItemKind::TypeAlias),
            _ => Err(self.expected("an item: `func`, `struct`, `impl`, `const` or `type`")),
        };
        // Taking up again must not find the same item.
        if kind.is_err() && self.next == first {
            self.bump();
        }
        let span = self.since(start);
        kind.map(|kind| Item { kind, span })
    }

    fn function(&mut self) -> Parsed<Function> {
        let mut attributes = Vec::new();
        while self.at(TokenKind::At) {
            attributes.push(self.attribute()?);
        }
        let start = self.span();
        self.expect(TokenKind::Func)?;
        let name = self.name("the function's name")?;
        let mut receiver = None;
        let (open, close) = (TokenKind::OpenParen, TokenKind::CloseParen);
        let parameters = self.list(open, close, |parser| {
            let here = parser.receiver()?;
            if here.is_some() {
                let late = receiver.is_some();
                receiver = here;
                return if late {
                    Err(parser.expected("one `self`"))
                } else {
                    Ok(None)
                };
            }
            parser.parameter().map(Some)
        })?;
        if receiver.is_some() && !matches!(parameters.items.first(), Some(None)) {
            let span = receiver.map_or(start, |receiver: Receiver| receiver.span);
            let fault = Diagnostic::new(span, "`self` is the first parameter");
            return Err(self.report(fault));
        }
        let result = if self.eat(TokenKind::Arrow) {
            Some(self.ty()?)
        } else {
            None
        };
        let header = self.since(start);
        Ok(Function {
            attributes,
            name,
            receiver,
            parameters: parameters.items.into_iter().flatten().collect(),
            result,
            body: self.body()?,
            header,
        })
    }

    fn attribute(&mut self) -> Parsed<Attribute> {
        let start = self.span();
        self.expect(TokenKind::At)?;
        let name = self.name("an attribute: `gpu` or `kernel`")?;
        let arguments = if self.at(TokenKind::OpenParen) && !self.line_ends() {
            self.arguments()?
        } else {
            Vec::new()
        };
        Ok(Attribute {
            name,
            arguments,
            span: self.since(start),
        })
    }

    /// `self`, `&self` or `&mut self`, where one stands.
    fn receiver(&mut self) -> Parsed<Option<Receiver>> {
        let start = self.span();
        let borrowed = self.at(TokenKind::Ampersand);
        let mutable = borrowed && self.kind_ahead(1) == TokenKind::Mut;
        let prefix = usize::from(borrowed) + usize::from(mutable);
        if self.kind_ahead(prefix) != TokenKind::SelfValue {
            return Ok(None);
        }
        for _ in 0..=prefix {
            self.bump();
        }
        Ok(Some(Receiver {
            borrowed,
            mutable,
            span: self.since(start),
        }))
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let name = self.name("a parameter")?;
        self.expect(TokenKind::Colon)?;
        let ty = self.ty()?;
        Ok(Parameter { name, ty })
    }

    fn structure(&mut self) -> Parsed<Struct> {
        self.bump();
        let name = self.name("the struct's name")?;
        let (open, close) = (TokenKind::OpenBrace, TokenKind::CloseBrace);
        let fields = self.list(open, close, |parser| {
            let name = parser.name("a field")?;
            parser.expect(TokenKind::Colon)?;
            let ty = parser.ty()?;
            Ok(Field { name, ty })
        })?;
        let fields = fields.items;
        Ok(Struct { name, fields })
    }

    /// A fault in a method is passed over where the next one stands deeper in than the `impl`.
    fn implementation(&mut self) -> Parsed<Impl> {
        let column = self.column(self.span().start);
        self.bump();
        let owner = self.name("a struct")?;
        self.expect(TokenKind::OpenBrace)?;
        let mut functions = Vec::new();
        while !self.eat(TokenKind::CloseBrace) {
            let method = match self.kind() {
                TokenKind::Func | TokenKind::At => self.function(),
                _ => Err(self.expected("a method or `}`")),
            };
            match method {
                Ok(method) => functions.push(method),
                Err(Failed) => {
                    self.skip_to_item();
                    if self.at(TokenKind::End) || self.column(self.span().start) <= column {
                        return Err(Failed);
                    }
                }
            }
        }
        Ok(Impl { owner, functions })
    }

    fn constant(&mut self) -> Parsed<Const> {
        self.bump();
        let name = self.name("the constant's name")?;
        self.expect(TokenKind::Colon)?;
        let ty = self.ty()?;
        self.expect(TokenKind::Equal)?;
        let value = self.expression()?;
        self.end_of_item()?;
        Ok(Const { name, ty, value })
    }

    fn alias(&mut self) -> Parsed<TypeAlias> {
        self.bump();
        let name = self.name("the type's name")?;
        self.expect(TokenKind::Equal)?;
        let ty = self.ty()?;
        self.end_of_item()?;
        Ok(TypeAlias { name, ty })
    }

    fn end_of_item(&mut self) -> Parsed<()> {
        if self.eat(TokenKind::Semicolon) || self.token().after_newline {
            return Ok(());
        }
        Err(self.expected("an operator or the end of the line"))
    }
}
