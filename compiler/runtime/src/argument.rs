use tensor::{Scalar, Tensor};

use crate::{Parameter, RuntimeError};

/// An argument of a call.
#[derive(Debug)]
pub enum Argument<'a> {
    Scalar(Scalar),
    Operand(&'a Tensor),
    /// A tensor that the body writes; its data is no other argument's.
    Result(&'a mut Tensor),
    /// The status word, all ones before the call (numerics, §Integer checks).
    Status(&'a mut u64),
}

impl Argument<'_> {
    pub(crate) fn fits(&self, parameter: &Parameter) -> bool {
        match (self, parameter) {
            (Argument::Scalar(scalar), Parameter::Scalar(ty)) => scalar.ty() == *ty,
            (Argument::Operand(tensor), Parameter::Operand(ty, shape)) => {
                tensor.scalar_type() == *ty && tensor.shape() == shape
            }
            (Argument::Result(tensor), Parameter::Result(ty, shape)) => {
                tensor.scalar_type() == *ty && tensor.shape() == shape
            }
            (Argument::Status(_), Parameter::Status) => true,
            (
                Argument::Scalar(_)
                | Argument::Operand(_)
                | Argument::Result(_)
                | Argument::Status(_),
                _,
            ) => false,
        }
    }

    /// The parameter that takes exactly this.
    pub(crate) fn parameter(&self) -> Parameter {
        match self {
            Argument::Scalar(scalar) => Parameter::Scalar(scalar.ty()),
            Argument::Operand(tensor) => {
                Parameter::Operand(tensor.scalar_type(), tensor.shape().to_vec())
            }
            Argument::Result(tensor) => {
                Parameter::Result(tensor.scalar_type(), tensor.shape().to_vec())
            }
            Argument::Status(_) => Parameter::Status,
        }
    }

    /// Adds the words of the parameter that the argument fits. They are valid while it lives.
    pub(crate) fn push(&mut self, words: &mut Vec<u64>) -> Result<(), RuntimeError> {
        match self {
            Argument::Scalar(scalar) => words.push(scalar.bits()),
            Argument::Operand(tensor) => {
                let data = tensor.bytes().as_ptr().expose_provenance();
                push_descriptor(words, data, tensor.shape());
            }
            Argument::Result(tensor) => {
                let data = tensor.bytes_mut()?.as_mut_ptr().expose_provenance();
                push_descriptor(words, data, tensor.shape());
            }
            Argument::Status(word) => {
                let data = std::ptr::from_mut::<u64>(word).expose_provenance();
                push_descriptor(words, data, &[]);
            }
        }
        Ok(())
    }
}

/// Allocated pointer, aligned pointer, offset, sizes, strides; row-major.
fn push_descriptor(words: &mut Vec<u64>, data: usize, shape: &[u64]) {
    words.extend([data as u64, data as u64, 0]);
    words.extend(shape);
    let strides = words.len();
    let mut stride = 1;
    for &extent in shape.iter().rev() {
        words.push(stride);
        stride *= extent.max(1);
    }
    words[strides..].reverse();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_is_row_major() {
        let mut words = Vec::new();
        push_descriptor(&mut words, 64, &[2, 0, 4]);
        assert_eq!(words, [64, 64, 0, 2, 0, 4, 4, 4, 1]);
    }

    #[test]
    fn a_result_that_shares_its_data_is_copied_first() {
        let kept = Tensor::from_slice(&[1], &[7u8]).unwrap();
        let mut written = kept.clone();
        let mut words = Vec::new();
        Argument::Operand(&kept).push(&mut words).unwrap();
        Argument::Result(&mut written).push(&mut words).unwrap();
        assert_ne!(words[0], words[5]);
    }
}
