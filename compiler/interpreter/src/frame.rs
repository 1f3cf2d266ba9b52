use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use neuro_hir::LocalId;

use crate::Value;
use crate::operation::OperationError;
use crate::value::{Reference, Step};

/// The locals of a call in progress. A clone is the same frame: references hold one.
#[derive(Clone)]
pub(crate) struct Frame<'p>(Rc<[RefCell<Value<'p>>]>);

const MISSING: OperationError = OperationError::Malformed("there is no such place");

impl<'p> Frame<'p> {
    /// All of them without a value.
    pub(crate) fn new(locals: usize) -> Self {
        Frame::holding(std::iter::repeat_n(Value::Void, locals))
    }

    pub(crate) fn holding(values: impl IntoIterator<Item = Value<'p>>) -> Self {
        Frame(values.into_iter().map(RefCell::new).collect())
    }

    /// The number of locals.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, local: LocalId) -> Result<Value<'p>, OperationError> {
        let cell = self.0.get(local.0 as usize).ok_or(MISSING)?;
        Ok(cell.borrow().clone())
    }

    pub(crate) fn set(&self, local: LocalId, value: Value<'p>) -> Result<(), OperationError> {
        let cell = self.0.get(local.0 as usize).ok_or(MISSING)?;
        cell.replace(value);
        Ok(())
    }

    /// Drops all values: a local that refers to another one of the frame keeps the frame alive.
    pub(crate) fn clear(&self) {
        for cell in self.0.iter() {
            cell.replace(Value::Void);
        }
    }

    pub(crate) fn reference(&self, local: LocalId) -> Reference<'p> {
        Reference {
            frame: self.clone(),
            local,
            path: Vec::new(),
        }
    }
}

/// A frame may hold references to itself.
impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame of {} locals", self.len())
    }
}

impl<'p> Reference<'p> {
    /// A part of the place.
    pub(crate) fn part(mut self, step: Step) -> Self {
        self.path.push(step);
        self
    }

    /// The value in the place.
    pub(crate) fn load(&self) -> Result<Value<'p>, OperationError> {
        self.with(|value, element| match (value, element) {
            (value, None) => Ok(value.clone()),
            (Value::Tensor(tensor), Some(position)) => Ok(Value::Scalar(tensor.get(position)?)),
            _ => Err(MISSING),
        })
    }

    /// Where the place's value leads, where that is a reference.
    pub(crate) fn followed(&self) -> Result<Option<Reference<'p>>, OperationError> {
        self.with(|value, element| match (value, element) {
            (Value::Reference(behind), None) => Ok(Some(behind.clone())),
            _ => Ok(None),
        })
    }

    /// The value, moved out of the place where it is a whole one.
    pub(crate) fn take(&self) -> Result<Value<'p>, OperationError> {
        match self.path.last() {
            Some(Step::Element(_)) => self.load(),
            Some(Step::Member(_)) | None => self.replace(Value::Void),
        }
    }

    /// Puts a value into the place, and gives the old one.
    pub(crate) fn replace(&self, new: Value<'p>) -> Result<Value<'p>, OperationError> {
        self.with(|value, element| match (value, element, new) {
            (value, None, new) => Ok(std::mem::replace(value, new)),
            (Value::Tensor(tensor), Some(position), Value::Scalar(new)) => {
                let old = tensor.get(position)?;
                tensor.set(position, new)?;
                Ok(Value::Scalar(old))
            }
            _ => Err(MISSING),
        })
    }

    /// Calls `access` with the value that the path's members lead to, and the element of it.
    fn with<R>(
        &self,
        access: impl FnOnce(&mut Value<'p>, Option<usize>) -> Result<R, OperationError>,
    ) -> Result<R, OperationError> {
        let cell = self.frame.0.get(self.local.0 as usize).ok_or(MISSING)?;
        let mut cell = cell.borrow_mut();
        let mut value = &mut *cell;
        let mut element = None;
        for step in &self.path {
            match (*step, value) {
                (Step::Member(index), Value::Tuple(parts) | Value::Struct(parts)) => {
                    value = parts.get_mut(index).ok_or(MISSING)?;
                }
                (Step::Element(position), tensor @ Value::Tensor(_)) if element.is_none() => {
                    element = Some(position);
                    value = tensor;
                }
                _ => return Err(MISSING),
            }
        }
        access(value, element)
    }
}
