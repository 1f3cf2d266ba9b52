/// The bits of 2 / π behind the point that the instruction has: 1,201.
const TWO_OVER_PI: [u32; 38] = [
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b0000,
];

/// `V_TRIG_PREOP_F64` of AMD's instruction sets: the 53 bits of 2 / π that a segment of the
/// reduction of `x` multiplies with. Segments follow each other, and begin the further behind the
/// point the greater `x` is; that of the greatest is scaled, so that it does not become subnormal.
pub(crate) extern "C" fn trig_preop(x: f64, segment: u32) -> f64 {
    let exponent = (x.to_bits() >> 52 & 0x7ff) as usize;
    let first = (segment & 31) as usize * 53 + exponent.saturating_sub(1077);
    let bit = |at: usize| {
        let word = TWO_OVER_PI.get(at / 32).copied().unwrap_or(0);
        u64::from(word >> (31 - at % 32) & 1)
    };
    let bits = (first..first + 53).fold(0, |bits, at| bits << 1 | bit(at));
    let scaled = if exponent >= 1968 { 128 } else { 0 };
    let scale = scaled - 53 - first as i32;
    // In two steps, of which the first is exact unless nothing is left.
    bits as f64 * power_of_two(scale / 2) * power_of_two(scale - scale / 2)
}

/// 0 below the least normal number.
fn power_of_two(exponent: i32) -> f64 {
    let biased = u64::try_from(exponent + 1023).unwrap_or(0);
    f64::from_bits(biased << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_2_PI;

    #[test]
    fn segments_are_the_bits_of_two_over_pi() {
        let [first, second] = [0, 1].map(|segment| trig_preop(1.0, segment));
        assert_eq!(first, FRAC_2_PI.next_down(), "cut, not rounded");
        assert_eq!(first + second, FRAC_2_PI);
        assert_eq!(trig_preop(1.0, 32), first, "a segment is five bits");
        assert_eq!(trig_preop(-1.0, 0), first);
    }

    #[test]
    fn greater_numbers_begin_further_behind_the_point() {
        let power = |exponent| 2f64.powi(exponent);
        assert_eq!(trig_preop(power(54), 0), trig_preop(1.0, 0));
        assert_eq!(trig_preop(power(54 + 53), 0), trig_preop(1.0, 1));
        assert_eq!(trig_preop(power(54 + 106), 3), trig_preop(1.0, 5));
        // From 2^945 on, scaled by 2^128.
        let plain = trig_preop(power(944), 0);
        let scaled = trig_preop(power(945), 0) / power(128);
        assert!((plain - scaled).abs() < power(-890), "{plain} {scaled}");
        assert!(scaled > 0.0);
        let bits = 0x12_ea6b_fb5f_b11f_u64;
        assert_eq!(trig_preop(power(1023), 2), bits as f64 * power(-1000));
        assert_eq!(trig_preop(f64::MAX, 31), 0.0, "past the last bit");
    }
}
