use shared_types::ScalarType;

/// Why there is no such tensor, or no such view of one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorError {
    #[error("a tensor of {scalar} with the shape {shape:?} is larger than the address space")]
    TooLarge { scalar: ScalarType, shape: Vec<u64> },
    #[error("no memory for {bytes} bytes")]
    OutOfMemory { bytes: usize },
    #[error("{expected} bytes were expected, {found} were found")]
    WrongLength { expected: usize, found: usize },
    #[error("elements of type {expected} were expected, they are {found}")]
    WrongElement {
        expected: ScalarType,
        found: ScalarType,
    },
    #[error("the element at position {position} is no {scalar}")]
    InvalidElement { scalar: ScalarType, position: usize },
    #[error("position {position} is past the end of {elements} elements")]
    OutOfRange { position: usize, elements: usize },
}
