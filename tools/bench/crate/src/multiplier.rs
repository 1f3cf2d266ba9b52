use std::error::Error;
use std::time::Duration;

use tensor::Tensor;

/// A library that multiplies matrices of floats, on one thread.
pub trait Multiplier {
    fn name(&self) -> &str;

    /// Takes two matrices, or the matrices along the leading axes of two tensors of rank 3, to be multiplied from now
    /// on; `false` where it is not to be measured on them.
    fn take(&mut self, a: &Tensor, b: &Tensor) -> Result<bool, Box<dyn Error>>;

    /// Computes the products `times` times, and gives the CPU time of all.
    fn multiply(&mut self, times: u32) -> Result<Duration, Box<dyn Error>>;
}
