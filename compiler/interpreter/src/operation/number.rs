use ast_types::BinaryOp;
use half::{bf16, f16};
use neuro_hir::Tier;
use tensor::Element;

use super::error::WRONG_TYPE;
use super::{Check, Fault, OperationError};

/// A number's type (numerics, §Elements and §Integer checks).
pub(super) trait Number: Element + PartialOrd {
    /// What folds and contractions accumulate in: `f32` for a half type, or the type itself.
    type Wide: Number<Wide = Self::Wide>;

    const ZERO: Self;
    /// Whether a long run folds in lanes.
    const LANES: bool;

    /// What a sum starts from: it leaves every first summand as it is.
    fn sum_seed() -> Self;
    fn widen(self) -> Self::Wide;
    /// Rounds once, to nearest even.
    fn narrow(wide: Self::Wide) -> Self;
    /// Of a length, to nearest even.
    fn from_length(length: usize) -> Self;
    fn is_nan(self) -> bool;

    fn negate(self, tier: Tier) -> Result<Self, Fault>;
    fn add(self, other: Self, tier: Tier) -> Result<Self, Fault>;
    fn subtract(self, other: Self, tier: Tier) -> Result<Self, Fault>;
    fn multiply(self, other: Self, tier: Tier) -> Result<Self, Fault>;
    fn divide(self, other: Self, tier: Tier) -> Result<Self, Fault>;
    fn remainder(self, other: Self, tier: Tier) -> Result<Self, Fault>;
}

/// What one of `+ - * / %` computes of two numbers; an error for another operator.
pub(super) fn operation<T: Number>(
    operator: BinaryOp,
    tier: Tier,
) -> Result<impl Fn(T, T) -> Result<T, Check>, OperationError> {
    let compute = match operator {
        BinaryOp::Add => T::add,
        BinaryOp::Sub => T::subtract,
        BinaryOp::Mul => T::multiply,
        BinaryOp::Div => T::divide,
        BinaryOp::Rem => T::remainder,
        BinaryOp::MatMul
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or => return Err(WRONG_TYPE),
    };
    Ok(move |a, b| compute(a, b, tier).map_err(|fault| Check { fault, operator }))
}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl Number for $ty {
            type Wide = $ty;

            const ZERO: $ty = 0;
            const LANES: bool = false;

            fn sum_seed() -> $ty {
                0
            }

            fn widen(self) -> $ty {
                self
            }

            fn narrow(wide: $ty) -> $ty {
                wide
            }

            fn from_length(length: usize) -> $ty {
                length as $ty
            }

            fn is_nan(self) -> bool {
                false
            }

            fn negate(self, tier: Tier) -> Result<$ty, Fault> {
                <$ty>::ZERO.subtract(self, tier)
            }

            fn add(self, other: $ty, tier: Tier) -> Result<$ty, Fault> {
                match tier {
                    Tier::Checked => self.checked_add(other).ok_or(Fault::Overflow),
                    Tier::Wrapping => Ok(self.wrapping_add(other)),
                }
            }

            fn subtract(self, other: $ty, tier: Tier) -> Result<$ty, Fault> {
                match tier {
                    Tier::Checked => self.checked_sub(other).ok_or(Fault::Overflow),
                    Tier::Wrapping => Ok(self.wrapping_sub(other)),
                }
            }

            fn multiply(self, other: $ty, tier: Tier) -> Result<$ty, Fault> {
                match tier {
                    Tier::Checked => self.checked_mul(other).ok_or(Fault::Overflow),
                    Tier::Wrapping => Ok(self.wrapping_mul(other)),
                }
            }

            fn divide(self, other: $ty, tier: Tier) -> Result<$ty, Fault> {
                if other == 0 {
                    return Err(Fault::ZeroDivisor);
                }
                match tier {
                    Tier::Checked => self.checked_div(other).ok_or(Fault::Overflow),
                    Tier::Wrapping => Ok(self.wrapping_div(other)),
                }
            }

            fn remainder(self, other: $ty, tier: Tier) -> Result<$ty, Fault> {
                if other == 0 {
                    return Err(Fault::ZeroDivisor);
                }
                match tier {
                    Tier::Checked => self.checked_rem(other).ok_or(Fault::Overflow),
                    Tier::Wrapping => Ok(self.wrapping_rem(other)),
                }
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Floats compute in `f32` or `f64`; a half type's result is rounded back.
macro_rules! floats {
    ($($ty:ident in $wide:ident, $widen:path, $narrow:path, $zero:expr;)*) => {$(
        impl Number for $ty {
            type Wide = $wide;

            const ZERO: $ty = $zero;
            const LANES: bool = true;

            fn sum_seed() -> $ty {
                -<$ty>::ZERO
            }

            fn widen(self) -> $wide {
                $widen(self)
            }

            fn narrow(wide: $wide) -> $ty {
                $narrow(wide)
            }

            fn from_length(length: usize) -> $ty {
                $narrow(length as $wide)
            }

            fn is_nan(self) -> bool {
                <$ty>::is_nan(self)
            }

            fn negate(self, _: Tier) -> Result<$ty, Fault> {
                Ok(-self)
            }

            fn add(self, other: $ty, _: Tier) -> Result<$ty, Fault> {
                Ok($narrow(self.widen() + other.widen()))
            }

            fn subtract(self, other: $ty, _: Tier) -> Result<$ty, Fault> {
                Ok($narrow(self.widen() - other.widen()))
            }

            fn multiply(self, other: $ty, _: Tier) -> Result<$ty, Fault> {
                Ok($narrow(self.widen() * other.widen()))
            }

            fn divide(self, other: $ty, _: Tier) -> Result<$ty, Fault> {
                Ok($narrow(self.widen() / other.widen()))
            }

            /// C's `fmod`, which is exact.
            fn remainder(self, other: $ty, _: Tier) -> Result<$ty, Fault> {
                Ok($narrow(self.widen() % other.widen()))
            }
        }
    )*};
}

floats! {
    f32 in f32, std::convert::identity, std::convert::identity, 0.0;
    f64 in f64, std::convert::identity, std::convert::identity, 0.0;
    f16 in f32, f16::to_f32, f16::from_f32, f16::ZERO;
    bf16 in f32, bf16::to_f32, bf16::from_f32, bf16::ZERO;
}

/// Evaluates an expression for the element type of a number, as `$T`.
macro_rules! with_number {
    ($scalar:expr, $T:ident => $body:expr) => {
        $crate::operation::number::with_types!($scalar, $T => $body;
            I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64,
            F16 half::f16, Bf16 half::bf16, F32 f32, F64 f64;
            Bool, Char)
    };
}

/// The same for a float.
macro_rules! with_float {
    ($scalar:expr, $T:ident => $body:expr) => {
        $crate::operation::number::with_types!($scalar, $T => $body;
            F16 half::f16, Bf16 half::bf16, F32 f32, F64 f64;
            I8, I16, I32, I64, U8, U16, U32, U64, Bool, Char)
    };
}

macro_rules! with_types {
    ($scalar:expr, $T:ident => $body:expr;
     $($variant:ident $ty:ty),*; $($other:ident),*) => {
        match $scalar {
            $(shared_types::ScalarType::$variant => {
                type $T = $ty;
                $body
            })*
            $(shared_types::ScalarType::$other)|* => Err($crate::operation::error::WRONG_TYPE),
        }
    };
}

pub(super) use {with_float, with_number, with_types};
