use shared_types::Span;

use crate::Name;

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// A scalar, `string`, a struct or an alias.
    Named(String),
    Tensor(TensorShape),
    Reference {
        mutable: bool,
        target: Box<Type>,
    },
    Tuple(Vec<Type>),
    /// `func(A, B) -> R`
    Function {
        parameters: Vec<Type>,
        result: Option<Box<Type>>,
    },
}

/// What stands between the angle brackets of a `Tensor`.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorShape {
    pub element: Box<Type>,
    pub axes: Vec<TypeAxis>,
}

/// `3`, `N`, `?` or one of them with a name: `rows: 3`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeAxis {
    pub name: Option<Name>,
    pub extent: TypeExtent,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TypeExtent {
    Literal(u64),
    /// A constant item.
    Constant(Name),
    /// `?`
    Dynamic,
}
