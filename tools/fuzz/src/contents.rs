//! What a parameter holds: a few words that say how its elements are made, the same everywhere.

use serde::{Deserialize, Serialize};
use shared_types::ScalarType;
use tensor::{Tensor, TensorError};

use crate::element;
use crate::random::Random;

/// The elements of a parameter of any type and shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Contents {
    /// Each of its own, as the mix has them.
    Drawn {
        seed: u64,
        mix: Mix,
        want: Want,
    },
    /// All the same: 0 or 1.
    Zeros,
    Ones,
    /// What the command line makes of `random:1`.
    Random,
    /// By their bits. Of more elements than these the rest are 0.
    Listed(Vec<u64>),
}

/// Which values there are, and how many of each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Mix {
    /// Ordinary ones.
    Calm,
    /// Some at the edges of the type.
    Rough,
    /// Most at the edges: NaN, infinities, zeros, subnormals, the greatest and the least.
    Wild,
    /// Four values over and over.
    Repeated,
}

/// What the place of a parameter asks for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Want {
    Any,
    /// Seldom 0.
    Divisor,
    /// A position along an axis of this extent, seldom one that it has not.
    Position(u64),
}

impl Contents {
    pub fn drawn(random: &mut Random, mix: Mix, want: Want) -> Self {
        let seed = random.bits();
        Contents::Drawn { seed, mix, want }
    }

    /// What the place of the parameter asks for.
    pub fn want(&self) -> Want {
        match self {
            &Contents::Drawn { want, .. } => want,
            _ => Want::Any,
        }
    }

    /// The same by other draws.
    pub fn redrawn(&self, round: u64) -> Self {
        match self {
            &Contents::Drawn { seed, mix, want } => Contents::Drawn {
                seed: seed.wrapping_add(round),
                mix,
                want,
            },
            other => other.clone(),
        }
    }

    /// The elements' bits, row-major.
    pub fn bits(&self, scalar: ScalarType, shape: &[u64]) -> Vec<u64> {
        let count = shape.iter().product::<u64>() as usize;
        match self {
            Contents::Drawn { seed, mix, want } => {
                let mut random = Random::new(*seed);
                let few: Vec<u64> = (0..4)
                    .map(|_| element::drawn(scalar, Mix::Rough, *want, &mut random))
                    .collect();
                let mut one = || match mix {
                    Mix::Repeated => random.one(&few),
                    mix => element::drawn(scalar, *mix, *want, &mut random),
                };
                (0..count).map(|_| one()).collect()
            }
            Contents::Zeros => vec![0; count],
            Contents::Ones => vec![element::one(scalar); count],
            Contents::Random => {
                let tensor = self.tensor("", scalar, shape);
                tensor.map_or_else(|_| Vec::new(), |tensor| bits_of(&tensor))
            }
            Contents::Listed(bits) => {
                let rest = std::iter::repeat(&0);
                bits.iter().chain(rest).take(count).copied().collect()
            }
        }
    }

    /// The tensor of the parameter `name`.
    pub fn tensor(
        &self,
        name: &str,
        scalar: ScalarType,
        shape: &[u64],
    ) -> Result<Tensor, TensorError> {
        if *self == Contents::Random {
            return tensor::random(1, name, scalar, shape);
        }
        let size = scalar.bytes();
        let elements = self.bits(scalar, shape).into_iter();
        let bytes: Vec<u8> = elements
            .flat_map(|bits| bits.to_le_bytes().into_iter().take(size))
            .collect();
        Tensor::from_bytes(scalar, shape, &bytes)
    }
}

/// The elements' bits of a tensor.
pub fn bits_of(tensor: &Tensor) -> Vec<u64> {
    let size = tensor.scalar_type().bytes();
    let elements = tensor.bytes().chunks_exact(size);
    let bits = elements.map(|element| {
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(element);
        u64::from_le_bytes(bytes)
    });
    bits.collect()
}
