//! Conversions to the half types with one rounding, to nearest even.
//!
//! The `half` crate's own, from anything wider than `f32`, round twice or drop low bits.

use half::{bf16, f16};

pub fn f64_to_f16(value: f64) -> f16 {
    f16::from_f32(to_odd(value))
}

pub fn f64_to_bf16(value: f64) -> bf16 {
    bf16::from_f32(to_odd(value))
}

/// `value` is one of a 64-bit type, signed or not.
pub fn integer_to_f16(value: i128) -> f16 {
    f64_to_f16(integer_to_odd(value))
}

/// `value` is one of a 64-bit type, signed or not.
pub fn integer_to_bf16(value: i128) -> bf16 {
    f64_to_bf16(integer_to_odd(value))
}

/// Rounds to odd: of the two neighbours of an inexact value, the one whose last bit is 1. That bit
/// then says "and a little more" to a second, narrower rounding, which so is the only one.
fn to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    if value.is_nan() || f64::from(nearest) == value {
        return nearest;
    }
    let bits = nearest.to_bits();
    if bits & 1 == 1 {
        return nearest;
    }
    // The magnitude grows with the bits.
    if f64::from(nearest).abs() < value.abs() {
        f32::from_bits(bits + 1)
    } else {
        f32::from_bits(bits - 1)
    }
}

/// The same, of an integer of at most 64 bits.
fn integer_to_odd(value: i128) -> f64 {
    const EXTRA: u32 = 64 - f64::MANTISSA_DIGITS;
    let size = value.unsigned_abs();
    if size < 1 << f64::MANTISSA_DIGITS {
        return value as f64;
    }
    let kept = size >> EXTRA;
    let lost = u128::from(kept << EXTRA != size);
    let odd = ((kept | lost) << EXTRA) as f64;
    if value < 0 { -odd } else { odd }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hair_above_a_midpoint_rounds_up() {
        // 1 + 2^-11 lies between two f16; 1 + 2^-8 between two bf16.
        let hair = 2f64.powi(-50);
        let f16_middle = 1.0 + 2f64.powi(-11);
        assert_eq!(f64_to_f16(f16_middle).to_bits(), 0x3c00);
        assert_eq!(f64_to_f16(f16_middle + hair).to_bits(), 0x3c01);
        let bf16_middle = 1.0 + 2f64.powi(-8);
        assert_eq!(f64_to_bf16(bf16_middle).to_bits(), 0x3f80);
        assert_eq!(f64_to_bf16(-bf16_middle - hair).to_bits(), 0xbf81);
    }

    #[test]
    fn the_ends_of_the_range() {
        assert_eq!(f64_to_f16(65_519.999).to_bits(), 0x7bff);
        assert_eq!(f64_to_f16(65_520.0), f16::INFINITY);
        assert_eq!(f64_to_bf16(1e300), bf16::INFINITY);
        assert_eq!(f64_to_f16(f64::MIN_POSITIVE).to_bits(), 0);
        assert_eq!(f64_to_f16(-f64::MIN_POSITIVE).to_bits(), 0x8000);
        // Half the least subnormal is a tie, to even; a hair more is not.
        assert_eq!(f64_to_f16(2f64.powi(-25)).to_bits(), 0);
        assert_eq!(f64_to_f16(2f64.powi(-25) * 1.000_000_1).to_bits(), 1);
        assert_eq!(f64_to_bf16(2f64.powi(-134) * 1.000_000_1).to_bits(), 1);
        assert!(f64_to_bf16(f64::NAN).is_nan());
    }

    #[test]
    fn integers_round_once() {
        // 2^24 + 2^16 lies between two bf16, and one more is lost in an f32.
        let middle = (1i128 << 24) + (1 << 16);
        assert_eq!(integer_to_bf16(middle).to_f64(), f64::from(1 << 24));
        assert_eq!(
            integer_to_bf16(middle + 1).to_f64(),
            f64::from((1 << 24) + (1 << 17))
        );
        // The same where one more is lost in an f64.
        let middle = (1i128 << 63) + (1 << 55);
        assert_eq!(integer_to_bf16(middle).to_f64(), 2f64.powi(63));
        assert_eq!(
            integer_to_bf16(middle + 1).to_f64(),
            2f64.powi(63) + 2f64.powi(56)
        );
        assert_eq!(integer_to_f16(-65_519).to_bits(), 0xfbff);
        assert_eq!(integer_to_f16(i64::MIN.into()), f16::NEG_INFINITY);
    }
}
