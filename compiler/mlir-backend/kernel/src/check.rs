//! What a thread tests, and how it fails.

use std::fmt;

use ast_types::BinaryOp;
use shared_types::{ScalarType, Span};

/// What a failed check does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failures {
    /// Stops the thread where the vendor's devices can: an assertion of NVIDIA's, a trap of AMD's.
    Stop,
    /// Ends the thread, and says which check failed in it in a parameter more, [`REPORT_WORDS`]
    /// integers of 64 bits that the caller fills with ones. [`Report::read`] has the first thread.
    Report,
}

/// One check of a kernel. Check `n` of a report is the `n`-th of the kernel, from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelCheck {
    pub fault: Fault,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    Overflow(BinaryOp),
    ZeroDivisor(BinaryOp),
    /// An index of type `scalar` that is not below the extent of an axis.
    Index {
        scalar: ScalarType,
        axis: usize,
        extent: u64,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Overflow(operator) => write!(f, "integer overflow in `{operator}`"),
            Fault::ZeroDivisor(operator) => write!(f, "division by zero in `{operator}`"),
            Fault::Index { axis, extent, .. } => write!(
                f,
                "an index is out of range for axis {axis} of extent {extent}"
            ),
        }
    }
}

/// How many words a report has. A thread that fails lowers each with an atomic unsigned minimum:
/// the first to `thread << 12 | check`, the others to `thread << 24` and 24 bits of the index that
/// failed, the low ones first. A thread fails once, so all four are of the first thread.
pub const REPORT_WORDS: u64 = 4;

pub(crate) const MOST_THREADS: u64 = 1 << 40;
pub(crate) const MOST_CHECKS: usize = 4095;
pub(crate) const CHECK_BITS: u32 = 12;
pub(crate) const PIECE_BITS: u32 = 24;

/// What a report says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The row-major number of the thread in the grid.
    pub thread: u64,
    /// The number of the check, from 1.
    pub check: usize,
    /// The low 64 bits of the index that failed; 0 where another check did.
    pub index: u64,
}

impl Report {
    /// `None` where no check failed.
    pub fn read(words: [u64; REPORT_WORDS as usize]) -> Option<Report> {
        let [key, pieces @ ..] = words;
        if key == u64::MAX {
            return None;
        }
        let piece = |word: u64| word & ((1 << PIECE_BITS) - 1);
        let index = pieces
            .iter()
            .rev()
            .fold(0, |index, &word| index << PIECE_BITS | piece(word));
        Some(Report {
            thread: key >> CHECK_BITS,
            check: (key & ((1 << CHECK_BITS) - 1)) as usize,
            index,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_reads_back() {
        assert_eq!(Report::read([u64::MAX; 4]), None);
        let index = 0x8765_4321_0fed_cba9u64;
        let thread = MOST_THREADS - 1;
        let piece = |from: u32| thread << PIECE_BITS | (index >> from & 0xff_ffff);
        let words = [thread << CHECK_BITS | 4095, piece(0), piece(24), piece(48)];
        let report = Report {
            thread,
            check: 4095,
            index,
        };
        assert_eq!(Report::read(words), Some(report));
    }
}
