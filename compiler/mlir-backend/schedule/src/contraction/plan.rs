use mlir_lowering::ContractionShape;

use super::Target;

/// How one contraction's loops nest. From the outside in: panels of columns, of the contracted
/// axis and of rows, then the register block, then the contracted axis one position at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub block: Block,
    pub packing: Option<Panels>,
    /// Without packing: positions of the contracted axis in one panel, 0 for all.
    pub depth: u64,
}

/// The accumulators that stay in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub rows: u64,
    pub columns: u64,
}

/// The panels that are copied to contiguous memory, padded with zeros to whole blocks. An extent
/// of 0 is the whole axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panels {
    pub rows: u64,
    pub columns: u64,
    /// Divides the contracted extent.
    pub depth: u64,
}

/// An operand of so many bytes is read where it lies: it is in the caches, and packing costs more
/// than it gives.
const UNPACKED_BYTES: u64 = 256 * 1024;
/// Positions of the contracted axis in a panel: a strip of either operand is then in the first
/// two caches.
const DEPTH: u64 = 512;
const LEAST_DEPTH: u64 = 128;
/// Rows of a panel, which with [`DEPTH`] fills a part of the second cache.
const ROWS: u64 = 128;
/// Columns of a panel, which with [`DEPTH`] fills a part of the third cache.
const COLUMNS: u64 = 1024;

impl Plan {
    pub(crate) fn of(contraction: &ContractionShape, target: &Target) -> Plan {
        let bytes = contraction.scalar.bytes() as u64;
        let vector = (target.row_bytes / bytes).max(1);
        let rows = contraction
            .rows()
            .map_or(1, |axis| contraction.extent(axis));
        let columns = contraction.extent(contraction.columns());
        let depth = contraction.extent(contraction.depth());
        let block = Block {
            rows: rows.min(target.rows),
            columns: columns.min(vector),
        };
        let largest = rows.max(columns) * depth * bytes;
        // Few rows, or columns of one block, read each element of the other operand too few times
        // to repay its copy.
        if largest <= UNPACKED_BYTES || rows < 2 * target.rows || columns <= vector {
            let thin = rows == 1 && largest > UNPACKED_BYTES && columns >= 4 * vector;
            return Plan {
                block: Block {
                    columns: if thin { 4 * vector } else { block.columns },
                    ..block
                },
                packing: None,
                depth: if thin { 8 } else { 0 },
            };
        }
        let whole_unless = |panel: u64, extent: u64| if extent > panel { panel } else { 0 };
        let panel_rows = ROWS / target.rows * target.rows;
        Plan {
            block,
            packing: Some(Panels {
                rows: whole_unless(panel_rows, rows),
                columns: whole_unless(COLUMNS, columns),
                depth: depth_panel(depth),
            }),
            depth: 0,
        }
    }

    /// What a register block takes of a dimension.
    pub(crate) fn block_extent(&self, contraction: &ContractionShape, dimension: usize) -> u64 {
        match dimension {
            _ if dimension == contraction.columns() => self.block.columns,
            _ if Some(dimension) == contraction.rows() => self.block.rows,
            _ => 1,
        }
    }

    /// Whether a block, or the panel around it, is cut off at the end of an axis.
    pub(crate) fn has_partial_blocks(&self, contraction: &ContractionShape) -> bool {
        let (row_panel, column_panel) = self
            .packing
            .map_or((0, 0), |panels| (panels.rows, panels.columns));
        let partial = |dimension: usize, panel: u64| {
            let block = self.block_extent(contraction, dimension);
            let extent = contraction.extent(dimension);
            !extent.is_multiple_of(block.max(panel))
        };
        let rows = contraction.rows();
        partial(contraction.columns(), column_panel)
            || rows.is_some_and(|rows| partial(rows, row_panel))
    }

    /// Whether each block is computed at once, from its first product to its last.
    pub(crate) fn fuses_fill(&self, contraction: &ContractionShape) -> bool {
        self.packing.is_none()
            && self.depth == 0
            && contraction.of_arguments
            && !self.has_partial_blocks(contraction)
    }
}

/// The largest divisor that a panel holds; the whole axis where there is none of use.
fn depth_panel(depth: u64) -> u64 {
    if depth <= DEPTH {
        return 0;
    }
    let panels = depth.div_ceil(DEPTH)..=depth / LEAST_DEPTH;
    let divides = |&panels: &u64| depth.is_multiple_of(panels);
    panels
        .into_iter()
        .find(divides)
        .map_or(0, |panels| depth / panels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_divides_the_contracted_axis() {
        assert_eq!(depth_panel(512), 0);
        assert_eq!(depth_panel(1024), 512);
        assert_eq!(depth_panel(1000), 500);
        assert_eq!(depth_panel(769), 0);
        assert_eq!(depth_panel(100_000), 500);
    }
}
