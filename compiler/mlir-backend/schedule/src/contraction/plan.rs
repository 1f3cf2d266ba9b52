use mlir_lowering::ContractionShape;

use super::Target;
use crate::nest::lanes;

/// How one contraction's loops nest. From the outside in: panels of columns, of the contracted
/// axis and of rows, then the register block, then the contracted axis one position at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub block: Block,
    pub packing: Option<Panels>,
    /// Without packing: positions of the contracted axis in one panel, 0 for all.
    pub depth: u64,
    /// Whether it stays a loop nest, whose rows fold as other runs do ([`crate::nest`]).
    pub as_runs: bool,
}

/// The accumulators that stay in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub rows: u64,
    pub columns: u64,
}

/// The panels that are copied to contiguous memory, padded with zeros to whole ones. An extent of
/// 0 is the whole axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Panels {
    pub rows: u64,
    pub columns: u64,
    pub depth: u64,
    /// Positions of the contracted axis that a copy moves at once: panels are padded to a multiple.
    pub step: u64,
}

/// So many products of an element are most of what it takes.
const LONG_DEPTH: u64 = 64;
/// Positions of the contracted axis that a copy into panels may move at once, and what it then
/// takes more of a product's time, in thousandths. A padded position takes its part of it.
const COPIES: [(u64, u64); 4] = [(8, 0), (4, 10), (2, 30), (1, 60)];
/// So many rows repay the copy of a small second operand.
const ROWS_THAT_REPAY: u64 = 128;
/// The rows that threads take at a time of a product with one column.
const ROWS_OF_ONE_COLUMN: u64 = 64;

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
            rows: rows_of_block(rows, depth, target.rows),
            columns: columns.min(vector),
        };
        if columns == 1 && contraction.of_arguments && lanes::repays(rows, depth) {
            return Plan {
                block: Block {
                    rows: ROWS_OF_ONE_COLUMN,
                    columns,
                },
                packing: None,
                depth: 0,
                as_runs: true,
            };
        }
        let largest = rows.max(columns) * depth * bytes;
        // What is in the caches is read where it lies: packing costs more than it gives.
        let is_near = largest <= ContractionShape::COPIED_BYTES
            && !(target.packs_far_rows && lies_far_apart(rows, columns * bytes, depth));
        // Few rows, or columns of one block, read each element of the other operand too few times
        // to repay its copy.
        if is_near || rows < 2 * target.rows || columns <= vector {
            let thin = rows == 1 && !is_near && columns >= target.single_row * vector;
            return Plan {
                block: Block {
                    columns: match thin {
                        true => target.single_row * vector,
                        false => block.columns,
                    },
                    ..block
                },
                packing: None,
                depth: if thin { 8 } else { 0 },
                as_runs: false,
            };
        }
        let whole_unless = |panel: u64, extent: u64| if extent > panel { panel } else { 0 };
        let position_bytes = target.depth * bytes;
        let block_rows = target.packed_rows;
        let panel_rows = target.row_panel_bytes / position_bytes / block_rows * block_rows;
        let panel_columns = target.column_panel_bytes / position_bytes;
        let (depth, step) = depth_panels(depth, target.depth);
        Plan {
            block: Block {
                rows: block_rows,
                ..block
            },
            packing: Some(Panels {
                rows: whole_unless(panel_rows, rows),
                columns: whole_unless(panel_columns, columns),
                depth,
                step,
            }),
            depth: 0,
            as_runs: false,
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

    /// Whether a block, or the panel around it, is cut off at the end of one of the axes.
    pub(crate) fn cuts(
        &self,
        contraction: &ContractionShape,
        axes: impl IntoIterator<Item = usize>,
    ) -> bool {
        let panels = self.packing.unwrap_or_default();
        axes.into_iter().any(|axis| {
            let panel = match axis {
                _ if axis == contraction.columns() => panels.columns,
                _ if axis == contraction.depth() => panels.depth.max(panels.step),
                _ if Some(axis) == contraction.rows() => panels.rows,
                _ => 0,
            };
            let block = self.block_extent(contraction, axis);
            !contraction.extent(axis).is_multiple_of(block.max(panel))
        })
    }

    /// Whether each block is computed at once, from its first product to its last.
    pub(crate) fn fuses_fill(&self, contraction: &ContractionShape) -> bool {
        self.packing.is_none()
            && !self.as_runs
            && self.depth == 0
            && contraction.of_arguments
            && !self.cuts(contraction, 0..contraction.kept.len())
    }
}

/// Whether a strip of the second operand's columns leaves the first cache before the next block of
/// rows reads it, and there are blocks enough to repay its copy.
fn lies_far_apart(rows: u64, row_bytes: u64, depth: u64) -> bool {
    // 32 KiB in 8 ways: rows a multiple of 1 KiB apart share 4 of 64 sets or fewer.
    let (apart, held) = (1024, 4 * 8);
    row_bytes.is_multiple_of(apart) && depth > held && rows >= ROWS_THAT_REPAY
}

/// The rows of a block, `most` or fewer: so many that there is no rest, or that it is a small part
/// and still enough sums to hide the latency of an addition. A short depth repays no rest: without
/// one a block starts in registers.
fn rows_of_block(rows: u64, depth: u64, most: u64) -> u64 {
    if rows <= most {
        return rows;
    }
    let good = |block: &u64| match rows % block {
        0 => true,
        rest => depth >= LONG_DEPTH && rows >= 8 * block && rest >= most / 2,
    };
    let mut blocks = (most - most / 3..=most).rev();
    blocks
        .find(good)
        .unwrap_or_else(|| rows.div_ceil(rows.div_ceil(most)))
}

/// The contracted axis in panels of about so many positions at most, the last of which may be cut
/// off, and the step of their copies: the extent of a panel, 0 for the whole, and the step.
fn depth_panels(depth: u64, most: u64) -> (u64, u64) {
    let panels = depth.div_ceil(most).max(1);
    let panel = |step| depth.div_ceil(panels).next_multiple_of(step);
    let cost = |&(step, copy): &(u64, u64)| panels * panel(step) * 1000 / depth.max(1) + copy;
    let (step, _) = COPIES.into_iter().min_by_key(cost).unwrap_or_default();
    (if panels > 1 { panel(step) } else { 0 }, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_share_the_contracted_axis_evenly() {
        assert_eq!(depth_panels(256, 256), (0, 8));
        assert_eq!(depth_panels(1024, 256), (256, 8));
        assert_eq!(depth_panels(1000, 256), (252, 4));
        assert_eq!(depth_panels(1000, 512), (504, 8));
        assert_eq!(depth_panels(769, 512), (392, 8));
    }

    #[test]
    fn a_short_axis_is_hardly_padded() {
        let step = |depth| depth_panels(depth, 256).1;
        assert_eq!([1, 17, 18, 20, 100, 131].map(step), [1, 1, 2, 4, 4, 4]);
    }

    /// The builders leave operands of such products as they lie.
    #[test]
    fn what_is_copied_for_any_processor_is_packed() {
        let (rows, columns) = (
            ContractionShape::COPIED_ROWS,
            ContractionShape::COPIED_COLUMNS,
        );
        let contraction = ContractionShape {
            number: 0,
            scalar: shared_types::ScalarType::F64,
            kept: vec![rows, columns],
            folded: ContractionShape::COPIED_BYTES / 8 / columns + 1,
            operands: vec![vec![2, 0], vec![1, 2]],
            of_arguments: true,
        };
        for target in [Target::AVX512, Target::AVX2, Target::NEON, Target::GENERIC] {
            assert!(Plan::of(&contraction, &target).packing.is_some());
        }
        let f32s = ContractionShape {
            scalar: shared_types::ScalarType::F32,
            folded: 2 * contraction.folded,
            ..contraction
        };
        assert!(Plan::of(&f32s, &Target::AVX512).packing.is_some());
    }

    #[test]
    fn blocks_leave_no_thin_rest() {
        let blocks = |most| move |(rows, depth)| rows_of_block(rows, depth, most);
        let square = [1, 6, 7, 8, 16, 32, 64, 128, 256].map(|extent| (extent, extent));
        assert_eq!(square.map(blocks(6)), [1, 6, 4, 4, 4, 4, 6, 5, 6]);
        assert_eq!(square.map(blocks(8)), [1, 6, 7, 8, 8, 8, 8, 8, 8]);
        assert_eq!([(4096, 1), (4099, 1)].map(blocks(6)), [4, 6]);
    }
}
