use shared_types::Span;

use crate::{Argument, Block, Expr, Name, Type};

/// A source file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    pub items: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub kind: ItemKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    Function(Function),
    Struct(Struct),
    Impl(Impl),
    Const(Const),
    TypeAlias(TypeAlias),
}

/// A function or a method.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub attributes: Vec<Attribute>,
    pub name: Name,
    pub receiver: Option<Receiver>,
    pub parameters: Vec<Parameter>,
    pub result: Option<Type>,
    pub body: Block,
    /// From `func` to the end of the signature.
    pub header: Span,
}

/// `self`, `&self` or `&mut self`.
#[derive(Clone, Debug, PartialEq)]
pub struct Receiver {
    pub borrowed: bool,
    pub mutable: bool,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: Name,
    pub ty: Type,
}

/// `@gpu`, `@gpu(fallback: true)`, `@kernel(threads: [16, 16])`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    pub name: Name,
    pub arguments: Vec<Argument>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    pub name: Name,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: Name,
    pub ty: Type,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Impl {
    pub owner: Name,
    pub functions: Vec<Function>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    pub name: Name,
    pub ty: Type,
    pub value: Expr,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TypeAlias {
    pub name: Name,
    pub ty: Type,
}
