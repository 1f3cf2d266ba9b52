//! Values of parameters: mostly ordinary ones, among them those at the edges of the type.

use half::{bf16, f16};
use interpreter::Value;
use shared_types::ScalarType;
use tensor::{Element, Scalar, Tensor};

use crate::choices::Choices;
use crate::generate::Parameter;

/// A generator of 64 bits a step, splitmix64.
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// What the parameter holds. `edges` in a thousand elements are at an edge of the type.
pub fn value<'p>(
    scalar: ScalarType,
    parameter: &Parameter,
    edges: u64,
    choices: &mut Choices<'_>,
) -> Value<'p> {
    let mut bits = Bits(choices.number().into());
    let shape = parameter.shape.clone().unwrap_or_default();
    let mut element = || element(scalar, parameter.divisor, edges, &mut bits);
    let tensor = match scalar {
        ScalarType::I8 => fill(&shape, || element() as i8),
        ScalarType::I16 => fill(&shape, || element() as i16),
        ScalarType::I32 => fill(&shape, || element() as i32),
        ScalarType::I64 => fill(&shape, || element() as i64),
        ScalarType::U8 => fill(&shape, || element() as u8),
        ScalarType::U16 => fill(&shape, || element() as u16),
        ScalarType::U32 => fill(&shape, || element() as u32),
        ScalarType::U64 => fill(&shape, &mut element),
        ScalarType::F16 => fill(&shape, || f16::from_bits(element() as u16)),
        ScalarType::Bf16 => fill(&shape, || bf16::from_bits(element() as u16)),
        ScalarType::F32 => fill(&shape, || f32::from_bits(element() as u32)),
        ScalarType::F64 => fill(&shape, || f64::from_bits(element())),
        ScalarType::Bool | ScalarType::Char => unreachable!("no arithmetic"),
    };
    match parameter.shape {
        Some(_) => Value::Tensor(tensor),
        None => Value::Scalar(tensor.get(0).unwrap()),
    }
}

fn fill<T: Element>(shape: &[u64], mut element: impl FnMut() -> T) -> Tensor {
    let count = shape.iter().product::<u64>();
    let elements: Vec<T> = (0..count).map(|_| element()).collect();
    Tensor::from_slice(shape, &elements).unwrap()
}

/// The bits of an element.
fn element(scalar: ScalarType, divisor: bool, edges: u64, bits: &mut Bits) -> u64 {
    let edge = bits.next() % 1000 < edges;
    let number = bits.next();
    match (scalar.is_float(), edge) {
        (false, true) => integer_edge(scalar, number),
        (false, false) => small(scalar, divisor, number),
        (true, true) => float_edge(scalar, number),
        (true, false) => ordinary(scalar, number),
    }
}

/// Small, so that most sums and products fit; a divisor is rarely 0.
fn small(scalar: ScalarType, divisor: bool, number: u64) -> u64 {
    if divisor {
        return if number.is_multiple_of(500) {
            0
        } else {
            1 + number % 5
        };
    }
    let value = (number % 4) as i64;
    match scalar.is_signed() {
        true => (value - 1) as u64,
        false => value as u64,
    }
}

fn integer_edge(scalar: ScalarType, number: u64) -> u64 {
    let (low, high) = scalar.integer_range().unwrap();
    let edges = [low, high, low + 1, high - 1, 0, (high + low) / 2];
    match edges.get((number % 8) as usize) {
        Some(&edge) => edge as u64,
        None => number >> 8,
    }
}

/// NaN, the infinities, both zeros, the ends of the subnormals and the normals, or any bits.
fn float_edge(scalar: ScalarType, number: u64) -> u64 {
    let width = scalar.bytes() as u32 * 8;
    let mantissa = match scalar {
        ScalarType::F16 => 10,
        ScalarType::Bf16 => 7,
        ScalarType::F32 => 23,
        _ => 52,
    };
    let infinity = (1u64 << (width - 1)) - (1 << mantissa);
    let magnitudes = [
        infinity | 1 << (mantissa - 1),
        infinity,
        0,
        1,
        (1 << mantissa) - 1,
        1 << mantissa,
        infinity - 1,
        number >> 8,
    ];
    let sign = (number >> 4 & 1) << (width - 1);
    magnitudes[(number % 8) as usize] ^ sign
}

/// Between -4 and 4.
fn ordinary(scalar: ScalarType, number: u64) -> u64 {
    let value = (number >> 11) as f64 / (1u64 << 50) as f64 - 4.0;
    let scalar = match scalar {
        ScalarType::F16 => Scalar::F16(f16::from_f64(value)),
        ScalarType::Bf16 => Scalar::Bf16(bf16::from_f64(value)),
        ScalarType::F32 => Scalar::F32(value as f32),
        _ => Scalar::F64(value),
    };
    scalar.bits()
}
