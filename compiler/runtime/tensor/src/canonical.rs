use std::borrow::Cow;

use half::{bf16, f16};
use shared_types::ScalarType;
use xxhash_rust::xxh3::xxh3_64;

use crate::Tensor;

impl Tensor {
    /// xxh3-64 of the canonical bytes: what `--hash` prints (the surface, §Commands).
    pub fn hash(&self) -> u64 {
        xxh3_64(&self.canonical_bytes())
    }

    /// The same type, shape and bits; two NaNs are the same (numerics).
    pub fn same_bits(&self, other: &Tensor) -> bool {
        self.scalar_type() == other.scalar_type()
            && self.shape() == other.shape()
            && self.canonical_bytes() == other.canonical_bytes()
    }

    /// The bytes, every NaN replaced by the positive quiet NaN of its type.
    fn canonical_bytes(&self) -> Cow<'_, [u8]> {
        match self.scalar_type() {
            ScalarType::F16 => self.without_nan_payloads(
                |bits| f16::from_bits(u16::from_le_bytes(bits)).is_nan(),
                0x7e00u16.to_le_bytes(),
            ),
            ScalarType::Bf16 => self.without_nan_payloads(
                |bits| bf16::from_bits(u16::from_le_bytes(bits)).is_nan(),
                0x7fc0u16.to_le_bytes(),
            ),
            ScalarType::F32 => self.without_nan_payloads(
                |bits| f32::from_le_bytes(bits).is_nan(),
                0x7fc0_0000u32.to_le_bytes(),
            ),
            ScalarType::F64 => self.without_nan_payloads(
                |bits| f64::from_le_bytes(bits).is_nan(),
                0x7ff8_0000_0000_0000u64.to_le_bytes(),
            ),
            ScalarType::I8
            | ScalarType::I16
            | ScalarType::I32
            | ScalarType::I64
            | ScalarType::U8
            | ScalarType::U16
            | ScalarType::U32
            | ScalarType::U64
            | ScalarType::Bool
            | ScalarType::Char => Cow::Borrowed(self.bytes()),
        }
    }

    fn without_nan_payloads<const N: usize>(
        &self,
        is_nan: fn([u8; N]) -> bool,
        nan: [u8; N],
    ) -> Cow<'_, [u8]> {
        let (elements, _) = self.bytes().as_chunks::<N>();
        if !elements.iter().any(|&bits| is_nan(bits)) {
            return Cow::Borrowed(self.bytes());
        }
        let canonical = elements
            .iter()
            .flat_map(|&bits| if is_nan(bits) { nan } else { bits });
        Cow::Owned(canonical.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_payloads_do_not_count() {
        let tensor = |bits: u32| Tensor::from_slice(&[2], &[f32::from_bits(bits), 1.0]).unwrap();
        let plain = tensor(0x7fc0_0000);
        assert!(plain.same_bits(&tensor(0xffc0_1234)));
        assert_eq!(plain.hash(), tensor(0x7f80_0001).hash());
        assert_ne!(
            plain.hash(),
            tensor(0x7f80_0000).hash(),
            "an infinity is no NaN"
        );
        let zero = |zero: f32| Tensor::from_slice(&[1], &[zero]).unwrap();
        assert!(!zero(0.0).same_bits(&zero(-0.0)));
    }

    #[test]
    fn every_half_is_told_from_a_nan() {
        for (is_bf16, quiet) in [(false, 0x7e00u16), (true, 0x7fc0)] {
            for bits in 0..=u16::MAX {
                let nan = if is_bf16 {
                    bits & 0x7fff > 0x7f80
                } else {
                    bits & 0x7fff > 0x7c00
                };
                let scalar = if is_bf16 {
                    ScalarType::Bf16
                } else {
                    ScalarType::F16
                };
                let tensor = Tensor::from_bytes(scalar, &[], &bits.to_le_bytes()).unwrap();
                let canonical = if nan { quiet } else { bits };
                assert_eq!(tensor.hash(), xxh3_64(&canonical.to_le_bytes()));
            }
        }
    }

    #[test]
    fn the_hash_is_that_of_the_published_function() {
        assert_eq!(
            Tensor::from_slice::<u8>(&[0], &[]).unwrap().hash(),
            0x2d06_8005_38d3_94c2
        );
    }
}
