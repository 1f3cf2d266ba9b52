use shared_types::ScalarType;

/// A contraction of two operands as it was built, for the schedule: a generic whose dimensions are
/// the result's axes, then the contracted one. Every extent is at least 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractionShape {
    /// The number that marks its operations, unique in its body.
    pub number: usize,
    /// The type that it multiplies and adds in.
    pub scalar: ScalarType,
    /// The extents of the result's axes. The last one's elements lie in vectors.
    pub kept: Vec<u64>,
    /// The extent of the contracted axis.
    pub folded: u64,
    /// The dimension that each axis of an operand runs along: batches first, then of the first
    /// operand rows and the contracted one, of the second, which has the last axis of the result,
    /// the contracted one and columns. Operands that are copied anyhow may have the last two the
    /// other way round.
    pub operands: Vec<Vec<usize>>,
    /// Whether no operation of the body makes an operand, but for its shape.
    pub of_arguments: bool,
}

impl ContractionShape {
    /// Above so many bytes of its larger operand, and with the rows and columns below, a product's
    /// operands are copied block by block by the schedule of any processor.
    pub const COPIED_BYTES: u64 = 256 * 1024;
    /// The least rows of such a product.
    pub const COPIED_ROWS: u64 = 16;
    /// Its least columns.
    pub const COPIED_COLUMNS: u64 = 32;

    /// The attribute of the generic that multiplies and adds.
    pub fn product_tag(number: usize) -> String {
        format!("neuro.product{number}")
    }

    /// The attribute of the fill of its destination.
    pub fn fill_tag(number: usize) -> String {
        format!("neuro.fill{number}")
    }

    /// The dimension of the columns of a register block.
    pub fn columns(&self) -> usize {
        self.kept.len().saturating_sub(1)
    }

    /// The dimension of its rows: the last axis of the result that only the first operand has.
    pub fn rows(&self) -> Option<usize> {
        let only_first = |&axis: &usize| {
            matches!(self.operands.as_slice(), [first, second]
                if first.contains(&axis) && !second.contains(&axis))
        };
        (0..self.columns()).rev().find(only_first)
    }

    /// The contracted dimension.
    pub fn depth(&self) -> usize {
        self.kept.len()
    }

    pub fn dimensions(&self) -> usize {
        self.kept.len() + 1
    }

    pub fn extent(&self, dimension: usize) -> u64 {
        self.kept.get(dimension).copied().unwrap_or(self.folded)
    }
}
