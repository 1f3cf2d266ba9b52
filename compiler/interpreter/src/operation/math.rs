use half::{bf16, f16};
use neuro_hir::MathFunction;
use tensor::cmath;

use super::number::Number;

/// A float's functions (numerics, §Mathematics).
pub(super) trait Float: Number {
    fn math(self, function: MathFunction) -> Self;
    fn pow(self, exponent: Self) -> Self;
}

macro_rules! library_floats {
    ($($ty:ident: $exp:ident $log:ident $sin:ident $cos:ident $tanh:ident $pow:ident;)*) => {$(
        impl Float for $ty {
            fn math(self, function: MathFunction) -> $ty {
                match function {
                    MathFunction::Exp => cmath::$exp(self),
                    MathFunction::Log => cmath::$log(self),
                    MathFunction::Sqrt => self.sqrt(),
                    MathFunction::Sin => cmath::$sin(self),
                    MathFunction::Cos => cmath::$cos(self),
                    MathFunction::Tanh => cmath::$tanh(self),
                    MathFunction::Abs => self.abs(),
                    MathFunction::Sign => {
                        <$ty>::from(u8::from(self > 0.0)) - <$ty>::from(u8::from(self < 0.0))
                    }
                }
            }

            fn pow(self, exponent: $ty) -> $ty {
                cmath::$pow(self, exponent)
            }
        }
    )*};
}

library_floats! {
    f32: expf logf sinf cosf tanhf powf;
    f64: exp log sin cos tanh pow;
}

/// Through `f32`. A square root is the correctly rounded one all the same: `f32` has more than
/// twice the digits.
macro_rules! half_floats {
    ($($ty:ident)*) => {$(
        impl Float for $ty {
            fn math(self, function: MathFunction) -> $ty {
                Self::narrow(self.widen().math(function))
            }

            fn pow(self, exponent: $ty) -> $ty {
                Self::narrow(self.widen().pow(exponent.widen()))
            }
        }
    )*};
}

half_floats!(f16 bf16);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_values_clear_the_sign() {
        assert_eq!((-0.0f32).math(MathFunction::Abs).to_bits(), 0);
        assert_eq!(f16::NEG_INFINITY.math(MathFunction::Abs), f16::INFINITY);
        assert_eq!(bf16::from_bits(0x8001).math(MathFunction::Abs).to_bits(), 1);
    }

    #[test]
    fn signs() {
        let sign = |x: f64| x.math(MathFunction::Sign).to_bits();
        assert_eq!(sign(-3.0), (-1.0f64).to_bits());
        assert_eq!(sign(5e-324), 1.0f64.to_bits());
        assert_eq!(sign(-0.0), 0);
        assert_eq!(sign(f64::NAN), 0);
    }

    #[test]
    fn square_roots_are_correctly_rounded() {
        for bits in 0..=u16::MAX {
            let (x, y) = (f16::from_bits(bits), bf16::from_bits(bits));
            // The root of a half has no more than 24 bits before it repeats, so that one in f64
            // rounds as the exact one does.
            let expected = tensor::round::f64_to_f16(x.to_f64().sqrt());
            assert!(same(x.math(MathFunction::Sqrt).to_f64(), expected.to_f64()));
            let expected = tensor::round::f64_to_bf16(y.to_f64().sqrt());
            assert!(same(y.math(MathFunction::Sqrt).to_f64(), expected.to_f64()));
        }
        assert_eq!(
            (-0.0f32).math(MathFunction::Sqrt).to_bits(),
            (-0.0f32).to_bits()
        );
    }

    fn same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
    }

    #[test]
    fn the_library_has_each_type() {
        let x = 0.7f32;
        assert_eq!(x.math(MathFunction::Exp), cmath::expf(x));
        assert_eq!(0.7f64.math(MathFunction::Tanh), cmath::tanh(0.7));
        let half = f16::from_f32(0.7);
        let through = f16::from_f32(cmath::sinf(half.to_f32()));
        assert_eq!(half.math(MathFunction::Sin), through);
        assert_eq!(2.0f32.pow(-1.0), 0.5);
    }
}
