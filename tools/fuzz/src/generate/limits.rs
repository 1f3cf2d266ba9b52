use super::Domain;

/// The extents of a large tensor, which has one of them; and those of the others.
pub const LARGE: [u64; 10] = [64, 255, 256, 257, 4095, 4096, 4096, 4097, 4097, 10_007];
pub const SMALL: [(usize, u64); 8] = [
    (4, 1),
    (6, 2),
    (8, 3),
    (3, 7),
    (2, 31),
    (1, 64),
    (1, 0),
    (1, 4),
];

/// How large tensors and contractions get.
#[derive(Clone, Copy)]
pub struct Limits {
    pub elements: u64,
    pub points: u64,
    pub has_large: bool,
    pub first: First,
}

/// What a function begins with.
#[derive(Clone, Copy)]
pub enum First {
    Any,
    /// A product whose operands the host packs.
    Packed,
    /// A product that a device computes in tiles.
    Tiled,
    /// An operation along an axis that is too long for a grid.
    Long,
}

impl Limits {
    pub const FEW: Limits = Limits {
        elements: 600,
        points: 5_000,
        has_large: false,
        first: First::Any,
    };

    const MANY: Limits = Limits {
        elements: 31_000,
        points: 200_000,
        has_large: true,
        first: First::Any,
    };

    const VAST: Limits = Limits {
        elements: 300_000,
        points: 3_000_000,
        has_large: true,
        first: First::Any,
    };

    const PACKED: Limits = Limits {
        elements: 300_000,
        points: 5_000_000,
        has_large: false,
        first: First::Packed,
    };

    const TILED: Limits = Limits {
        elements: 31_000,
        points: 1_500_000,
        has_large: false,
        first: First::Tiled,
    };

    const LONG: Limits = Limits {
        elements: 1_100_000,
        points: 1_100_000,
        has_large: false,
        first: First::Long,
    };

    /// Each with how often a function has it.
    pub fn of(domain: Domain) -> &'static [(usize, Limits)] {
        match domain {
            Domain::Host => &[
                (100, Limits::FEW),
                (20, Limits::MANY),
                (1, Limits::VAST),
                (2, Limits::PACKED),
            ],
            Domain::Device => &[
                (200, Limits::FEW),
                (40, Limits::MANY),
                (2, Limits::VAST),
                (8, Limits::TILED),
                (1, Limits::LONG),
            ],
        }
    }
}
