/// What the schedule asks of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The bytes of a block's row of columns, a power of two.
    pub row_bytes: u64,
    /// The rows of a register block: with them the accumulators fill the registers, or hide the
    /// latency of an addition.
    pub rows: u64,
    /// The rows of a block of packed panels, whose rows of the result come from afar: fewer where
    /// enough stay to hide the latency.
    pub packed_rows: u64,
    /// Whether a second operand whose rows share few sets of the first cache is worth a copy,
    /// however small it is.
    pub packs_far_rows: bool,
    /// How many rows of columns a product with a single row takes at once.
    pub single_row: u64,
    /// Positions of the contracted axis in a panel: more of them read and write the result less
    /// often, fewer keep a strip of either operand in the first cache.
    pub depth: u64,
    /// A panel of the first operand, in a part of the second cache.
    pub row_panel_bytes: u64,
    /// A panel of the second operand, in a part of the third.
    pub column_panel_bytes: u64,
    /// Whether asking for the next block of the result pays.
    pub prefetches: bool,
}

impl Target {
    /// One 512-bit vector a row: the factor of each row is broadcast by the multiplication that
    /// uses it, which a second vector would prevent.
    pub const AVX512: Target = Target {
        rows: 8,
        packed_rows: 4,
        prefetches: true,
        ..Target::GENERIC
    };
    /// 16 registers of 256 bits: two vectors a row, 12 accumulators. A strip that comes from the
    /// second cache costs less here than the result once more.
    pub const AVX2: Target = Target {
        rows: 6,
        packed_rows: 6,
        packs_far_rows: true,
        single_row: 2,
        depth: 512,
        row_panel_bytes: 96 * 1024,
        column_panel_bytes: 2 * 1024 * 1024,
        ..Target::GENERIC
    };
    /// 32 registers of 128 bits: two vectors a row, 16 accumulators.
    pub const NEON: Target = Target {
        row_bytes: 32,
        rows: 8,
        packed_rows: 8,
        ..Target::GENERIC
    };
    /// Any other, as the backend specification has it, §The contraction schedule.
    pub const GENERIC: Target = Target {
        row_bytes: 64,
        rows: 4,
        packed_rows: 4,
        packs_far_rows: false,
        single_row: 4,
        depth: 256,
        row_panel_bytes: 128 * 1024,
        column_panel_bytes: 1024 * 1024,
        prefetches: false,
    };

    /// This machine's.
    pub fn native() -> Target {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f") {
                return Target::AVX512;
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                return Target::AVX2;
            }
        }
        match cfg!(target_arch = "aarch64") {
            true => Target::NEON,
            false => Target::GENERIC,
        }
    }
}
