use super::staging::shared_bytes;
use crate::Chip;

/// What of a contraction its plan depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Of an element.
    pub bytes: u64,
    pub is_float: bool,
    /// Products of rows and columns, and the positions that each adds over.
    pub batches: u64,
    pub rows: u64,
    pub columns: u64,
    pub folded: u64,
    /// The innermost of the axes that make up the rows, and of the columns'.
    pub last_rows: u64,
    pub last_columns: u64,
}

/// Who computes which elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// A thread an element.
    Plain,
    /// A thread a block of elements, from global memory.
    Blocks(Block),
    /// A block of threads a tile of elements, from shared memory.
    Tiles(Tile),
}

/// The elements of a thread: so many of neighbouring rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub rows: u64,
    pub columns: u64,
}

/// The elements of a block of threads, those of one thread, and how many positions of the
/// contracted axis are in shared memory at once. A thread's elements are groups of 4 by 4.
/// It multiplies `at_once` of the positions, which divide the depth, in one step of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    pub rows: u64,
    pub columns: u64,
    pub depth: u64,
    pub thread_rows: u64,
    pub thread_columns: u64,
    pub at_once: u64,
}

/// The most rows or columns of a block.
const BLOCK: u64 = 4;

/// The first that fits is taken. A thread moves 4 elements of either operand's tile to shared
/// memory. The largest has 64 sums, so that the elements of one position are what its registers have
/// room for.
const TILES: [Tile; 3] = [
    Tile::square(128, 8, 8, 1),
    Tile::square(64, 16, 4, 8),
    Tile::square(32, 8, 4, 8),
];

/// As many blocks of threads as keep a large device busy.
const BUSY: u64 = 128;

/// The positions of the contracted axis for which sharing is worth its barriers.
const LEAST: u64 = 8;

/// The bytes of a thread's sums: half of the registers that it can have on NVIDIA.
const SUMS: u64 = 512;

impl Plan {
    pub(crate) fn of(shape: &Shape, chip: Chip) -> Plan {
        let tile = TILES.into_iter().find(|tile| tile.fits(shape, chip));
        if let Some(tile) = tile {
            return Plan::Tiles(tile);
        }
        let block = Block {
            rows: divisor(shape.last_rows),
            columns: divisor(shape.last_columns),
        };
        let covers = (shape.batches, shape.rows, shape.columns) == (1, block.rows, block.columns);
        // Each element of a matrix is read once for its product with a vector, whoever reads it.
        let is_thin = shape.rows == 1 || shape.columns == 1;
        match covers || is_thin || block.rows * block.columns == 1 {
            true => Plan::Plain,
            false => Plan::Blocks(block),
        }
    }
}

impl Tile {
    const fn square(extent: u64, depth: u64, thread: u64, at_once: u64) -> Tile {
        Tile {
            rows: extent,
            columns: extent,
            depth,
            thread_rows: thread,
            thread_columns: thread,
            at_once,
        }
    }

    /// The threads of a block.
    pub(crate) fn threads(&self) -> u64 {
        (self.rows / self.thread_rows) * (self.columns / self.thread_columns)
    }

    /// The tiles along the rows and along the columns.
    pub(crate) fn counts(&self, shape: &Shape) -> [u64; 2] {
        [
            shape.rows.div_ceil(self.rows),
            shape.columns.div_ceil(self.columns),
        ]
    }

    /// The tiles of all batches.
    pub(crate) fn blocks(&self, shape: &Shape) -> u64 {
        self.counts(shape)
            .into_iter()
            .fold(shape.batches, u64::saturating_mul)
    }

    /// Whether the device has room for it, and it is filled by the result and fills the device:
    /// the smallest tile need not, since products that are too small for it are blocks.
    fn fits(&self, shape: &Shape, chip: Chip) -> bool {
        let blocks = self.blocks(shape);
        let has_room = shared_bytes(self, shape.bytes) <= chip.shared_bytes()
            && self.thread_rows * self.thread_columns * shape.bytes < SUMS
            && blocks <= chip.blocks()[0];
        let covered = u128::from(blocks) * u128::from(self.rows * self.columns);
        let whole = u128::from(shape.batches) * u128::from(shape.rows) * u128::from(shape.columns);
        let is_used = match *self == TILES[TILES.len() - 1] {
            true => covered < 2 * whole,
            false => blocks >= BUSY && 4 * covered <= 5 * whole,
        };
        // Beside 64 sums a rest of the contracted axis may spill, and so may integers, which newer
        // chips hold in pairs.
        let spills =
            *self == TILES[0] && !(shape.is_float && shape.folded.is_multiple_of(self.depth));
        has_room && is_used && !spills && shape.folded >= LEAST
    }
}

/// The largest part of an axis that divides it and is no larger than a block.
fn divisor(extent: u64) -> u64 {
    let mut parts = (1..=BLOCK).rev();
    parts.find(|&part| extent.is_multiple_of(part)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vendor;

    fn shape(batches: u64, rows: u64, columns: u64, folded: u64) -> Shape {
        Shape {
            bytes: 4,
            is_float: true,
            batches,
            rows,
            columns,
            folded,
            last_rows: rows,
            last_columns: columns,
        }
    }

    fn chips() -> [Chip; 2] {
        [(Vendor::Nvidia, "sm_90"), (Vendor::Amd, "gfx942")]
            .map(|(vendor, name)| Chip::find(vendor, name).unwrap())
    }

    fn plan(batches: u64, rows: u64, columns: u64, folded: u64) -> Plan {
        let [nvidia, amd] =
            chips().map(|chip| Plan::of(&shape(batches, rows, columns, folded), chip));
        assert_eq!(nvidia, amd);
        nvidia
    }

    fn blocks(rows: u64, columns: u64) -> Plan {
        Plan::Blocks(Block { rows, columns })
    }

    /// By its rows.
    fn tile(rows: u64) -> Plan {
        Plan::Tiles(TILES.into_iter().find(|tile| tile.rows == rows).unwrap())
    }

    #[test]
    fn blocks_divide_the_result() {
        assert_eq!(plan(1, 8, 12, 64), blocks(4, 4));
        assert_eq!(plan(1, 37, 45, 4), blocks(1, 3));
        assert_eq!(plan(7, 6, 10, 64), blocks(3, 2));
    }

    #[test]
    fn what_gains_nothing_is_plain() {
        assert_eq!(plan(1, 7, 11, 64), Plan::Plain);
        assert_eq!(plan(1, 4, 4, 64), Plan::Plain);
        assert_eq!(plan(2, 4, 4, 64), blocks(4, 4));
        assert_eq!(plan(1, 1, 4096, 4096), Plan::Plain);
        assert_eq!(plan(1, 4096, 1, 4096), Plan::Plain);
    }

    #[test]
    fn tiles_fill_the_device() {
        assert_eq!(plan(1, 4096, 4096, 4096), tile(128));
        assert_eq!(plan(1, 1024, 1024, 1024), tile(64));
        assert_eq!(plan(2, 1024, 1024, 1024), tile(128));
        assert_eq!(plan(2, 1024, 1024, 1023), tile(64));
        assert_eq!(plan(1, 512, 512, 512), tile(32));
        assert_eq!(plan(1, 32, 32, 8), tile(32));
        assert_eq!(plan(1, 32, 32, 7), blocks(4, 4));
        // Most of the tiles would be past the ends.
        assert_eq!(plan(1, 40, 40, 64), blocks(4, 4));
        assert_eq!(plan(1, 1_000_000, 16, 64), blocks(4, 4));
    }

    #[test]
    fn tiles_fit_every_chip() {
        for vendor in [Vendor::Nvidia, Vendor::Amd] {
            for name in vendor.chips() {
                let chip = Chip::find(vendor, name).unwrap();
                for bytes in [1, 2, 4, 8] {
                    let large = shape(1 << 20, 1 << 20, 1 << 20, 1 << 20);
                    for shape in [shape(1, 4096, 4096, 64), large] {
                        let Plan::Tiles(tile) = Plan::of(&Shape { bytes, ..shape }, chip) else {
                            continue;
                        };
                        assert!(tile.threads() <= 256);
                        assert_eq!(tile.depth % tile.at_once, 0);
                        assert!(shared_bytes(&tile, bytes) <= chip.shared_bytes());
                        assert!(tile.blocks(&shape) <= chip.blocks()[0]);
                    }
                }
            }
        }
        let [words, doubles] = [(4, false), (8, true)].map(|(bytes, is_float)| Shape {
            bytes,
            is_float,
            ..shape(1, 4096, 4096, 64)
        });
        assert_eq!(Plan::of(&words, chips()[0]), tile(64));
        assert_eq!(Plan::of(&doubles, chips()[0]), tile(64));
    }
}
