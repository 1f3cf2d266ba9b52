use std::fmt;

use tensor::{Scalar, Tensor};

use crate::{Callback, DeviceTensor, Parameter, RuntimeError, Threads};

/// An argument of a call.
pub enum Argument<'a> {
    Scalar(Scalar),
    Operand(&'a Tensor),
    /// A tensor that the body writes; its data is no other argument's.
    Result(&'a mut Tensor),
    /// The status word, all ones before the call (numerics, §Integer checks).
    Status(&'a mut u64),
    Function(&'a Callback<'a>),
    Threads(&'a Threads),
    /// In place of an operand, a result or the status word, for a body that launches kernels.
    Device(&'a DeviceTensor),
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
            (Argument::Function(_), Parameter::Function(_)) => true,
            (Argument::Threads(_), Parameter::Threads) => true,
            (
                Argument::Device(tensor),
                Parameter::Operand(ty, shape) | Parameter::Result(ty, shape),
            ) => tensor.scalar_type() == *ty && tensor.shape() == shape,
            (Argument::Device(tensor), Parameter::Status) => tensor.is_status(),
            (
                Argument::Scalar(_)
                | Argument::Operand(_)
                | Argument::Result(_)
                | Argument::Status(_)
                | Argument::Function(_)
                | Argument::Threads(_)
                | Argument::Device(_),
                _,
            ) => false,
        }
    }

    /// Adds the words of the parameter that the argument fits. They are valid while it lives. A
    /// function's are the next ones of `functions`.
    pub(crate) fn push(
        &mut self,
        words: &mut Vec<u64>,
        functions: &mut impl Iterator<Item = [u64; 2]>,
    ) -> Result<(), RuntimeError> {
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
            Argument::Function(_) => words.extend(functions.next().into_iter().flatten()),
            Argument::Threads(threads) => words.extend(threads.words()),
            Argument::Device(tensor) => {
                push_descriptor(words, tensor.address() as usize, tensor.shape());
            }
        }
        Ok(())
    }
}

/// As the parameter that takes exactly this.
impl fmt::Display for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |tensor: &Tensor| (tensor.scalar_type(), tensor.shape().to_vec());
        let parameter = match self {
            Argument::Scalar(scalar) => Parameter::Scalar(scalar.ty()),
            Argument::Operand(tensor) => {
                let (scalar, shape) = of(tensor);
                Parameter::Operand(scalar, shape)
            }
            Argument::Result(tensor) => {
                let (scalar, shape) = of(tensor);
                Parameter::Result(scalar, shape)
            }
            Argument::Status(_) => Parameter::Status,
            Argument::Threads(_) => Parameter::Threads,
            Argument::Function(_) => return f.write_str("a function"),
            Argument::Device(tensor) => {
                let (scalar, shape) = (tensor.scalar_type(), tensor.shape());
                return write!(f, "a Tensor<{scalar}, {shape:?}> on a device");
            }
        };
        parameter.fmt(f)
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
        let mut none = std::iter::empty();
        for mut argument in [Argument::Operand(&kept), Argument::Result(&mut written)] {
            argument.push(&mut words, &mut none).unwrap();
        }
        assert_ne!(words[0], words[5]);
    }
}
