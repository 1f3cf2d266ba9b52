//! What sorts give, by Rust's stable sort; and elements to sort.

use std::cmp::Ordering;

use half::{bf16, f16};
use shared_types::ScalarType;
use tensor::Tensor;

use crate::code::{Sort, Wanted};

/// What the sort gives of an operand whose elements have these bits.
pub fn expected(sort: &Sort, elements: &[u64]) -> Vec<Tensor> {
    let kept = match sort.wanted {
        Wanted::Top(k) => k,
        _ => sort.shape[sort.axis],
    } as usize;
    let extent = sort.shape[sort.axis] as usize;
    let inner = sort.shape[sort.axis + 1..].iter().product::<u64>() as usize;
    let outer = sort.shape[..sort.axis].iter().product::<u64>() as usize;
    let mut values = vec![0; outer * kept * inner];
    let mut positions = values.clone();
    for run in 0..outer * inner {
        let (before, after) = (run / inner, run % inner);
        let at = |position: usize| elements[(before * extent + position) * inner + after];
        let mut order: Vec<usize> = (0..extent).collect();
        order.sort_by(|&a, &b| compare(sort.scalar, at(a), at(b), sort.descending));
        for (rank, &position) in order[..kept].iter().enumerate() {
            let place = (before * kept + rank) * inner + after;
            values[place] = at(position);
            positions[place] = position as u64;
        }
    }
    let results = sort.results().into_iter();
    let wants_values = !matches!(sort.wanted, Wanted::Positions);
    let columns = wants_values.then_some(values).into_iter();
    let columns = columns.chain(std::iter::once(positions));
    let pairs = results.zip(columns);
    pairs
        .map(|((scalar, shape), bits)| from_bits(scalar, &shape, &bits))
        .collect()
}

/// Numbers by value, every NaN last.
fn compare(scalar: ScalarType, a: u64, b: u64, descending: bool) -> Ordering {
    let directed = |order: Ordering| match descending {
        true => order.reverse(),
        false => order,
    };
    if scalar.is_integer() {
        return directed(integer(scalar, a).cmp(&integer(scalar, b)));
    }
    let (a, b) = (float(scalar, a), float(scalar, b));
    match a.partial_cmp(&b) {
        Some(order) => directed(order),
        None => a.is_nan().cmp(&b.is_nan()),
    }
}

fn integer(scalar: ScalarType, bits: u64) -> i128 {
    match scalar {
        ScalarType::I8 => (bits as i8).into(),
        ScalarType::I16 => (bits as i16).into(),
        ScalarType::I32 => (bits as i32).into(),
        ScalarType::I64 => (bits as i64).into(),
        _ => bits.into(),
    }
}

fn float(scalar: ScalarType, bits: u64) -> f64 {
    match scalar {
        ScalarType::F16 => f16::from_bits(bits as u16).into(),
        ScalarType::Bf16 => bf16::from_bits(bits as u16).into(),
        ScalarType::F32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

pub fn from_bits(scalar: ScalarType, shape: &[u64], elements: &[u64]) -> Tensor {
    let width = scalar.bytes();
    let bytes: Vec<u8> = elements
        .iter()
        .flat_map(|bits| bits.to_le_bytes().into_iter().take(width))
        .collect();
    Tensor::from_bytes(scalar, shape, &bytes).unwrap()
}

/// How the elements of an operand are chosen.
#[derive(Clone, Copy, Debug)]
pub enum Pattern {
    /// Any bits.
    Random,
    /// What is hard of the type, among any bits.
    Hard,
    /// A few values, many times each.
    Few,
    /// Small numbers: the greater bytes are all the same.
    Small,
    Equal,
    Sorted,
    /// In order but for the last element.
    Almost,
    /// Against the order, equal elements among them.
    Reversed,
}

pub const PATTERNS: [Pattern; 8] = [
    Pattern::Random,
    Pattern::Hard,
    Pattern::Few,
    Pattern::Small,
    Pattern::Equal,
    Pattern::Sorted,
    Pattern::Almost,
    Pattern::Reversed,
];

impl Pattern {
    /// The bits of so many elements.
    pub fn elements(self, scalar: ScalarType, descending: bool, count: usize) -> Vec<u64> {
        let width = scalar.bytes() as u32 * 8;
        let mask = u64::MAX >> (64 - width);
        let hard = hard(scalar);
        let mut state = count as u64 ^ u64::from(width) << 32;
        let mut random = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        };
        let few: [u64; 5] = std::array::from_fn(|_| random());
        let mut element = || {
            let number = random();
            match self {
                Pattern::Equal => few[0],
                Pattern::Few => few[(number % 5) as usize],
                Pattern::Small => number % 40,
                Pattern::Hard if number % 4 != 0 => hard[(number >> 8) as usize % hard.len()],
                // Some of them more than once.
                Pattern::Sorted | Pattern::Almost | Pattern::Reversed => {
                    number >> 59 << (width - 5)
                }
                _ => number,
            }
        };
        let mut elements: Vec<u64> = (0..count).map(|_| element() & mask).collect();
        if let Pattern::Sorted | Pattern::Almost | Pattern::Reversed = self {
            elements.sort_by(|&a, &b| compare(scalar, a, b, descending));
        }
        match self {
            Pattern::Almost => elements.rotate_left(count.min(1)),
            Pattern::Reversed => elements.reverse(),
            _ => {}
        }
        elements
    }
}

/// The ends of the type; of a float also NaNs of either sign, both zeros, the infinities, and the
/// ends of the subnormals.
fn hard(scalar: ScalarType) -> Vec<u64> {
    let width = scalar.bytes() as u32 * 8;
    let sign = 1u64 << (width - 1);
    if scalar.is_integer() {
        return vec![0, 1, sign, sign - 1, sign + 1, u64::MAX, u64::MAX - 1];
    }
    let fraction = match scalar {
        ScalarType::F16 => 10,
        ScalarType::Bf16 => 7,
        ScalarType::F32 => 23,
        _ => 52,
    };
    let infinity = sign - (1 << fraction);
    let magnitudes = [
        0,
        1,
        (1 << fraction) - 1,
        1 << fraction,
        infinity - 1,
        infinity,
        infinity + 1,
        infinity | 1 << (fraction - 1),
        sign - 1,
    ];
    magnitudes
        .into_iter()
        .flat_map(|magnitude| [magnitude, magnitude | sign])
        .collect()
}
