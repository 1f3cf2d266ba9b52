//! What every benchmark shares: the peer, our side, the clock, and what is printed: ours beside the peer's of the same
//! run, as a ratio.

mod blas;
mod clock;
mod numpy;
mod ours;
mod report;

pub use blas::Blas;
pub use clock::{alternate, timed};
pub use numpy::NumPy;
pub use ours::Operation;
pub use report::{Arguments, Row, Table};
