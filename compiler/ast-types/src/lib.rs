//! The surface tree and the operators, as written, before any type is known.
//!
//! It must never hold a checked type or a resolved name: that is the HIR's.

mod expr;
mod item;
mod name;
mod operator;
mod statement;
mod ty;

pub use expr::{Argument, Closure, ClosureParameter, Expr, ExprKind, FieldValue, Number};
pub use item::{
    Attribute, Const, Field, Function, Impl, Item, ItemKind, Module, Parameter, Receiver, Struct,
    TypeAlias,
};
pub use name::Name;
pub use operator::{BinaryOp, UnaryOp};
pub use statement::{Block, Pattern, Statement, StatementKind};
pub use ty::{TensorShape, Type, TypeAxis, TypeExtent, TypeKind};
