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
}

impl Target {
    /// One 512-bit vector a row: the factor of each row is broadcast by the multiplication that
    /// uses it, which a second vector would prevent.
    pub const AVX512: Target = Target {
        row_bytes: 64,
        rows: 8,
        packed_rows: 4,
    };
    /// 16 registers of 256 bits: two vectors a row, 10 accumulators.
    pub const AVX2: Target = Target {
        row_bytes: 64,
        rows: 5,
        packed_rows: 5,
    };
    /// 32 registers of 128 bits: two vectors a row, 16 accumulators.
    pub const NEON: Target = Target {
        row_bytes: 32,
        rows: 8,
        packed_rows: 8,
    };
    /// Any other, as the backend specification has it, §The contraction schedule.
    pub const GENERIC: Target = Target {
        row_bytes: 64,
        rows: 4,
        packed_rows: 4,
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
