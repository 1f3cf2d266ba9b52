//! The C library's functions, the ones that compiled code calls too (numerics, §Mathematics).
//!
//! An argument passes through `black_box`: the optimizer knows these names, and would compute a
//! constant call, or rewrite a `pow`, with other bits than the library's.

use std::hint::black_box;

mod c {
    // SAFETY: C's mathematics library, which the standard library links, declares them so; they
    // take and return floats by value, for every value.
    unsafe extern "C" {
        pub safe fn exp(x: f64) -> f64;
        pub safe fn expf(x: f32) -> f32;
        pub safe fn log(x: f64) -> f64;
        pub safe fn logf(x: f32) -> f32;
        pub safe fn sin(x: f64) -> f64;
        pub safe fn sinf(x: f32) -> f32;
        pub safe fn cos(x: f64) -> f64;
        pub safe fn cosf(x: f32) -> f32;
        pub safe fn tanh(x: f64) -> f64;
        pub safe fn tanhf(x: f32) -> f32;
        pub safe fn pow(x: f64, y: f64) -> f64;
        pub safe fn powf(x: f32, y: f32) -> f32;
    }
}

macro_rules! unary {
    ($($name:ident $ty:ident),*) => {$(
        #[inline(never)]
        pub fn $name(x: $ty) -> $ty {
            c::$name(black_box(x))
        }
    )*};
}

unary!(exp f64, expf f32, log f64, logf f32, sin f64, sinf f32, cos f64, cosf f32, tanh f64, tanhf f32);

#[inline(never)]
pub fn pow(x: f64, y: f64) -> f64 {
    c::pow(black_box(x), black_box(y))
}

#[inline(never)]
pub fn powf(x: f32, y: f32) -> f32 {
    c::powf(black_box(x), black_box(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_cases_are_exact() {
        assert_eq!((exp(0.0), expf(-0.0)), (1.0, 1.0));
        assert_eq!((log(1.0), logf(1.0)), (0.0, 0.0));
        assert_eq!(sin(-0.0).to_bits(), (-0.0f64).to_bits());
        assert_eq!((cos(0.0), cosf(0.0)), (1.0, 1.0));
        assert_eq!((tanh(f64::INFINITY), tanhf(f32::NEG_INFINITY)), (1.0, -1.0));
        assert_eq!((pow(2.0, 10.0), powf(3.0, 4.0)), (1024.0, 81.0));
        assert!(logf(-1.0).is_nan() && sinf(f32::INFINITY).is_nan());
    }
}
