use std::any::Any;
use std::fmt::Debug;

use shared_types::Span;
use tensor::Tensor;

use crate::Failure;

/// A tensor that the host made, as the result of an operation or in place of a `&mut` argument,
/// and keeps where its engine has it. The interpreter hands it on as any value, and fetches it
/// only where the program needs an element.
pub trait RemoteTensor: Any + Debug {
    /// The elements, as they are for as long as this lives. It is asked at each access to one: the
    /// host remembers them. `span` is of what needs them.
    fn fetch(&self, span: Span) -> Result<Tensor, Failure>;
}
