use std::rc::Rc;

use neuro_hir::{HirClosure, HirFunction, LocalId};
use shared_types::Span;
use tensor::{Scalar, Tensor};

use crate::frame::Frame;
use crate::{Failure, RemoteTensor};

/// What an expression evaluates to. `'p` is the program's life.
///
/// A `&T` is the value that it refers to: nothing can change that while the borrow lasts.
#[derive(Clone, Debug)]
pub enum Value<'p> {
    Void,
    Scalar(Scalar),
    Tensor(Tensor),
    /// A tensor that a host made and keeps.
    Remote(Rc<dyn RemoteTensor>),
    Tuple(Vec<Value<'p>>),
    /// The fields in declared order.
    Struct(Vec<Value<'p>>),
    Function(Function<'p>),
    String(Rc<str>),
    /// A `&mut`.
    Reference(Reference<'p>),
}

/// A function value.
#[derive(Clone, Debug)]
pub struct Function<'p>(pub(crate) Code<'p>);

impl<'p> Function<'p> {
    /// What it has captured, in the order of its captures: nothing, where it is no closure.
    pub fn captures(&self) -> impl Iterator<Item = &Value<'p>> {
        let captures = match &self.0 {
            Code::Named(_) => &[],
            Code::Closure { captures, .. } => &captures[..],
        };
        captures.iter().map(|(_, value)| value)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Code<'p> {
    Named(&'p HirFunction),
    Closure {
        closure: &'p HirClosure,
        captures: Rc<[(LocalId, Value<'p>)]>,
        /// How many locals the enclosing function has.
        locals: usize,
    },
}

/// A place that a `&mut` refers to. Only the interpreter makes one, and a host meets none.
#[derive(Clone, Debug)]
pub struct Reference<'p> {
    pub(crate) frame: Frame<'p>,
    pub(crate) local: LocalId,
    pub(crate) path: Vec<Step>,
}

/// From a value to a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A tuple's member or a struct's field.
    Member(usize),
    /// A tensor's element, by its row-major position.
    Element(usize),
}

impl From<Scalar> for Value<'_> {
    fn from(scalar: Scalar) -> Self {
        Value::Scalar(scalar)
    }
}

impl From<Tensor> for Value<'_> {
    fn from(tensor: Tensor) -> Self {
        Value::Tensor(tensor)
    }
}

impl Value<'_> {
    /// The value, with the elements here if it is a tensor. `span` is of what needs them.
    pub fn at_hand(self, span: Span) -> Result<Self, Failure> {
        match self {
            Value::Remote(tensor) => Ok(Value::Tensor(tensor.fetch(span)?)),
            value @ (Value::Void
            | Value::Scalar(_)
            | Value::Tensor(_)
            | Value::Tuple(_)
            | Value::Struct(_)
            | Value::Function(_)
            | Value::String(_)
            | Value::Reference(_)) => Ok(value),
        }
    }

    /// The same of all tensors in it.
    pub(crate) fn all_at_hand(self, span: Span) -> Result<Self, Failure> {
        let each = |parts: Vec<Self>| {
            let parts = parts.into_iter().map(|part| part.all_at_hand(span));
            parts.collect::<Result<_, _>>()
        };
        match self {
            Value::Tuple(parts) => Ok(Value::Tuple(each(parts)?)),
            Value::Struct(parts) => Ok(Value::Struct(each(parts)?)),
            value => value.at_hand(span),
        }
    }

    /// The word for it in an internal error.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Void => "no value",
            Value::Scalar(_) => "a scalar",
            Value::Tensor(_) | Value::Remote(_) => "a tensor",
            Value::Tuple(_) => "a tuple",
            Value::Struct(_) => "a struct",
            Value::Function(_) => "a function",
            Value::String(_) => "a string",
            Value::Reference(_) => "a reference",
        }
    }
}
