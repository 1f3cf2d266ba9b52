//! The bits of one element.

use half::{bf16, f16};
use shared_types::{ScalarClass, ScalarType};

use crate::contents::{Mix, Want};
use crate::random::Random;

/// An element of a mix.
pub fn drawn(scalar: ScalarType, mix: Mix, want: Want, random: &mut Random) -> u64 {
    let edges = match mix {
        Mix::Calm => 0,
        Mix::Rough => 5,
        Mix::Wild => 60,
        // It is made of four others.
        Mix::Repeated => 30,
    };
    let at_edge = random.chance(edges);
    match (scalar.class(), want) {
        (_, Want::Position(extent)) => position(extent, random),
        (ScalarClass::Float, _) if at_edge => float_edge(scalar, random),
        (ScalarClass::Float, _) => float(scalar, random),
        (ScalarClass::Bool, _) => random.bits() & 1,
        (_, Want::Divisor) if !random.chance(edges / 4) => divisor(scalar, random),
        _ if at_edge => integer_edge(scalar, random),
        _ => small(scalar, random),
    }
}

pub fn one(scalar: ScalarType) -> u64 {
    match scalar {
        ScalarType::F16 => f16::ONE.to_bits().into(),
        ScalarType::Bf16 => bf16::ONE.to_bits().into(),
        ScalarType::F32 => 1f32.to_bits().into(),
        ScalarType::F64 => 1f64.to_bits(),
        _ => 1,
    }
}

/// Within the axis, but for one in ten.
fn position(extent: u64, random: &mut Random) -> u64 {
    match extent > 0 && !random.chance(10) {
        true => random.bits() % extent,
        false => random.one(&[extent, extent + 1, u64::MAX, 1 << 7, 1 << 31, 1 << 63]),
    }
}

/// Such that most sums and products fit.
fn small(scalar: ScalarType, random: &mut Random) -> u64 {
    match scalar.is_signed() {
        true => random.one(&[0, 1, 2, 3, u64::MAX, u64::MAX - 1]),
        false => random.one(&[0, 1, 1, 2, 3]),
    }
}

fn divisor(scalar: ScalarType, random: &mut Random) -> u64 {
    match scalar.is_signed() {
        true => random.one(&[1, 2, 3, 7, u64::MAX, u64::MAX - 2]),
        false => random.one(&[1, 2, 3, 7, 100]),
    }
}

fn integer_edge(scalar: ScalarType, random: &mut Random) -> u64 {
    let (low, high) = scalar.integer_range().unwrap_or_default();
    let edges = [low, high, low + 1, high - 1, 0, (high + low) / 2];
    match random.below(8) {
        at if at < edges.len() => edges[at] as u64,
        _ => random.bits(),
    }
}

/// NaN, the infinities, both zeros, the ends of the subnormals and the normals, or any bits.
fn float_edge(scalar: ScalarType, random: &mut Random) -> u64 {
    let width = scalar.bytes() as u32 * 8;
    let mantissa = match scalar {
        ScalarType::F16 => 10,
        ScalarType::Bf16 => 7,
        ScalarType::F32 => 23,
        _ => 52,
    };
    let sign = 1u64 << (width - 1);
    let infinity = sign - (1 << mantissa);
    let any = random.bits() & (sign - 1);
    // The payload of a NaN is not promised, and a library's `pow` tells a signalling one.
    let any = if any > infinity {
        any | 1 << (mantissa - 1)
    } else {
        any
    };
    let magnitude = random.one(&[
        infinity | 1 << (mantissa - 1),
        infinity,
        0,
        0,
        1,
        (1 << mantissa) - 1,
        any % (1 << mantissa),
        1 << mantissa,
        infinity - 1,
        any,
    ]);
    magnitude | if random.chance(50) { sign } else { 0 }
}

/// Between -4 and 4, often a whole number.
fn float(scalar: ScalarType, random: &mut Random) -> u64 {
    let value = match random.below(4) {
        0 => random.below(9) as f64 - 4.0,
        _ => (random.bits() >> 11) as f64 / (1u64 << 50) as f64 - 4.0,
    };
    match scalar {
        ScalarType::F16 => f16::from_f64(value).to_bits().into(),
        ScalarType::Bf16 => bf16::from_f64(value).to_bits().into(),
        ScalarType::F32 => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}

/// A number that a literal writes: finite, seldom a large one. As a divisor it is not 0.
pub fn literal(scalar: ScalarType, want: Want, random: &mut Random) -> u64 {
    let bits = match scalar.class() {
        ScalarClass::Float if random.chance(20) => float_edge(scalar, random),
        _ if want == Want::Divisor && scalar.is_integer() => divisor(scalar, random),
        ScalarClass::Signed | ScalarClass::Unsigned if random.chance(5) => {
            integer_edge(scalar, random)
        }
        _ => drawn(scalar, Mix::Calm, want, random),
    };
    match is_finite(scalar, bits) {
        true => bits,
        false => one(scalar),
    }
}

fn is_finite(scalar: ScalarType, bits: u64) -> bool {
    match scalar {
        ScalarType::F16 => f16::from_bits(bits as u16).is_finite(),
        ScalarType::Bf16 => bf16::from_bits(bits as u16).is_finite(),
        ScalarType::F32 => f32::from_bits(bits as u32).is_finite(),
        ScalarType::F64 => f64::from_bits(bits).is_finite(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_nan_signals() {
        let mut random = Random::new(1);
        for scalar in [
            ScalarType::F16,
            ScalarType::Bf16,
            ScalarType::F32,
            ScalarType::F64,
        ] {
            let quiet = |bits: u64| match scalar {
                ScalarType::F16 => !f16::from_bits(bits as u16).is_nan() || bits & 0x200 != 0,
                ScalarType::Bf16 => !bf16::from_bits(bits as u16).is_nan() || bits & 0x40 != 0,
                ScalarType::F32 => !f32::from_bits(bits as u32).is_nan() || bits & 1 << 22 != 0,
                _ => !f64::from_bits(bits).is_nan() || bits & 1 << 51 != 0,
            };
            assert!((0..10_000).all(|_| quiet(float_edge(scalar, &mut random))));
        }
    }

    #[test]
    fn literals_are_finite() {
        let mut random = Random::new(2);
        for scalar in [ScalarType::F16, ScalarType::F64] {
            let literals = (0..1000).map(|_| literal(scalar, Want::Any, &mut random));
            assert!(literals.into_iter().all(|bits| is_finite(scalar, bits)));
        }
    }
}
