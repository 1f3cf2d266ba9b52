//! What every benchmark shares: the peers, our side, the clock, and what is printed: ours beside the peer's of the same
//! run, as a ratio.

mod apart;
mod clock;
mod iree;
mod library;
mod machine;
mod multiplier;
mod numpy;
mod ours;
mod report;
mod worker;

pub use apart::Apart;
pub use clock::{Side, alternate, best_of, timed};
pub use iree::Iree;
pub use library::Library;
pub use machine::{Copy, Peak, Rounding};
pub use multiplier::Multiplier;
pub use numpy::NumPy;
pub use ours::Operation;
pub use report::{Arguments, Row, Table};
