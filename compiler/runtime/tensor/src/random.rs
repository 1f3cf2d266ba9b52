use half::{bf16, f16};
use shared_types::ScalarType;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{Element, Tensor, TensorError};

/// The contents of `random:SEED` for the argument `name`, the same on every machine: integers
/// over the whole type, floats uniform in [-4, 4), fair `bool`s, `char`s over all code points
/// (the surface, §Commands).
///
/// Element `i` is a function of `i` and of the key `xxh3_64(name, seed)` alone: output `i` of the
/// splitmix64 generator that starts at the key.
pub fn random(
    seed: u64,
    name: &str,
    scalar: ScalarType,
    shape: &[u64],
) -> Result<Tensor, TensorError> {
    let key = random_key(seed, name);
    let mut tensor = Tensor::zeros(scalar, shape)?;
    match scalar {
        ScalarType::I8 => fill(&mut tensor, key, |bits| (bits >> 56) as i8),
        ScalarType::I16 => fill(&mut tensor, key, |bits| (bits >> 48) as i16),
        ScalarType::I32 => fill(&mut tensor, key, |bits| (bits >> 32) as i32),
        ScalarType::I64 => fill(&mut tensor, key, |bits| bits as i64),
        ScalarType::U8 => fill(&mut tensor, key, |bits| (bits >> 56) as u8),
        ScalarType::U16 => fill(&mut tensor, key, |bits| (bits >> 48) as u16),
        ScalarType::U32 => fill(&mut tensor, key, |bits| (bits >> 32) as u32),
        ScalarType::U64 => fill(&mut tensor, key, |bits| bits),
        // A value that rounds up to 4 is taken as the last one before it.
        ScalarType::F16 => fill(&mut tensor, key, |bits| {
            f16::from_f32(uniform(bits)).min(f16::from_bits(0x43ff))
        }),
        ScalarType::Bf16 => fill(&mut tensor, key, |bits| {
            bf16::from_f32(uniform(bits)).min(bf16::from_bits(0x407f))
        }),
        ScalarType::F32 => fill(&mut tensor, key, uniform),
        // 2^53 even steps, each exact.
        ScalarType::F64 => fill(&mut tensor, key, |bits| {
            (bits >> 11) as f64 / (1u64 << 50) as f64 - 4.0
        }),
        ScalarType::Bool => fill(&mut tensor, key, |bits| bits >> 63 == 1),
        ScalarType::Char => fill(&mut tensor, key, code_point),
    }?;
    Ok(tensor)
}

/// What the contents of `random:SEED` for an argument depend on.
pub fn random_key(seed: u64, name: &str) -> u64 {
    xxh3_64_with_seed(name.as_bytes(), seed)
}

fn fill<T: Element>(
    tensor: &mut Tensor,
    key: u64,
    value: impl Fn(u64) -> T,
) -> Result<(), TensorError> {
    let mut state = key;
    for element in tensor.as_mut_slice::<T>()? {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        *element = value(mix(state));
    }
    Ok(())
}

/// splitmix64's output function.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// [-4, 4) in 2^24 even steps, each exact.
fn uniform(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1u32 << 21) as f32 - 4.0
}

/// The code points without the surrogates, in order.
fn code_point(bits: u64) -> char {
    let surrogates = 0xd800..0xe000;
    let index = (bits % (0x11_0000 - surrogates.len() as u64)) as u32;
    let skipped = if index < surrogates.start {
        0
    } else {
        surrogates.len() as u32
    };
    char::from_u32(index + skipped).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;

    #[test]
    fn the_generator_is_splitmix64() {
        // The first outputs of the published generator from the state 1234567.
        let mut state = 1_234_567u64;
        let mut next = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mix(state)
        };
        assert_eq!(next(), 6_457_827_717_110_365_317);
        assert_eq!(next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn the_contents_never_change() {
        let first = |name, scalar| {
            let tensor = random(1, name, scalar, &[3]).unwrap();
            tensor.get(0).unwrap()
        };
        let key = xxh3_64_with_seed(b"a", 1);
        let bits = mix(key.wrapping_add(0x9e37_79b9_7f4a_7c15));
        assert_eq!(first("a", ScalarType::U64), Scalar::U64(bits));
        assert_eq!(first("a", ScalarType::I8), Scalar::I8((bits >> 56) as i8));
        assert_ne!(first("b", ScalarType::U64), Scalar::U64(bits));
    }

    #[test]
    fn floats_stay_in_range_and_spread() {
        for scalar in [
            ScalarType::F16,
            ScalarType::Bf16,
            ScalarType::F32,
            ScalarType::F64,
        ] {
            let tensor = random(7, "x", scalar, &[20_000]).unwrap();
            let value = |position| match tensor.get(position).unwrap() {
                Scalar::F16(value) => value.to_f64(),
                Scalar::Bf16(value) => value.to_f64(),
                Scalar::F32(value) => value.into(),
                Scalar::F64(value) => value,
                other => panic!("{other:?} is no float"),
            };
            let values: Vec<f64> = (0..tensor.len()).map(value).collect();
            assert!(values.iter().all(|value| (-4.0..4.0).contains(value)));
            assert!(values.iter().any(|&value| value < -3.9));
            assert!(values.iter().any(|&value| value > 3.9));
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            assert!(mean.abs() < 0.1, "{scalar}: {mean}");
        }
    }

    #[test]
    fn a_half_never_rounds_up_to_four() {
        assert!(f16::from_f32(uniform(u64::MAX)) == f16::from_f32(4.0));
        assert_eq!(f16::from_bits(0x43ff).to_f32(), 3.998_046_9);
        assert_eq!(bf16::from_bits(0x407f).to_f32(), 3.984_375);
    }

    #[test]
    fn every_code_point_is_reached() {
        assert_eq!(code_point(0xd7ff), '\u{d7ff}');
        assert_eq!(code_point(0xd800), '\u{e000}');
        assert_eq!(code_point(0x11_0000 - 0x801), '\u{10ffff}');
        assert_eq!(code_point(0x11_0000 - 0x800), '\0');
    }
}
