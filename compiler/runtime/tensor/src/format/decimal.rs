use std::str::FromStr;

use half::{bf16, f16};

use crate::round;

/// `0.d1d2d3… × 10^point`, not negative: the digits have no zero at either end. Zero has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

impl Decimal {
    /// From what `{:e}` prints of a finite number that is not negative.
    fn parse(text: &str) -> Decimal {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let point = if digits.is_empty() { 1 } else { exponent + 1 };
        Decimal { digits, point }
    }

    /// At most `precision` digits after the point: this where it is so short, or else `exact`
    /// rounded once, a tie to even.
    pub(super) fn positional(&self, exact: f64, precision: usize) -> Decimal {
        if self.digits.len() as i32 - self.point <= precision as i32 {
            return self.clone();
        }
        let text = format!("{exact:.precision$}");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let whole = whole.trim_start_matches('0');
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        digits.drain(..zeros);
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let point = if digits.is_empty() {
            1
        } else {
            whole.len() as i32 - zeros as i32
        };
        Decimal { digits, point }
    }

    /// `precision` digits after the first one: this, or `exact` rounded once where it is longer
    /// or shorter, for digits past the shortest are those of the exact value.
    pub(super) fn scientific(&self, exact: f64, precision: usize) -> Decimal {
        if self.digits.len() == precision + 1 {
            return self.clone();
        }
        Decimal::parse(&format!("{exact:.precision$e}"))
    }

    /// The number of digits after the first one.
    pub(super) fn scientific_digits(&self) -> usize {
        self.digits.len().saturating_sub(1)
    }

    /// `("12", "5")` of 12.5; `("0", "")` of zero.
    pub(super) fn parts(&self) -> (String, String) {
        let digit = |at: i32| {
            let digit = usize::try_from(at).ok().and_then(|at| self.digits.get(at));
            char::from(digit.copied().unwrap_or(b'0'))
        };
        let whole = if self.point > 0 { 0..self.point } else { -1..0 };
        let fraction = self.point..self.digits.len() as i32;
        (whole.map(digit).collect(), fraction.map(digit).collect())
    }

    /// `("1", "25", 1)` of 12.5; `("0", "", 0)` of zero.
    pub(super) fn scientific_parts(&self) -> (String, String, i32) {
        let mut digits = self.digits.iter().map(|&digit| char::from(digit));
        let first = digits.next().unwrap_or('0');
        (first.to_string(), digits.collect(), self.point - 1)
    }
}

/// A float, as its text needs it.
pub(super) trait Printed: Copy {
    /// Decimal digits that survive a round trip through the type, as NumPy's `finfo.precision`.
    const PRECISION: i32;

    fn exact(self) -> f64;

    /// The value of the type that is nearest.
    fn nearest(value: f64) -> f64;

    /// The result of `a / b` in the type.
    fn ratio(a: Self, b: Self) -> f64;

    /// The shortest digits that read back as `|self|`, which is finite.
    fn shortest(self) -> Decimal;
}

impl Printed for f64 {
    const PRECISION: i32 = 15;

    fn exact(self) -> f64 {
        self
    }

    fn nearest(value: f64) -> f64 {
        value
    }

    fn ratio(a: f64, b: f64) -> f64 {
        a / b
    }

    fn shortest(self) -> Decimal {
        let shortest = Decimal::parse(&format!("{:e}", self.abs()));
        let digits = shortest.scientific_digits();
        tie_to_even(shortest, format!("{:.digits$e}", self.abs()), self.abs())
    }
}

impl Printed for f32 {
    const PRECISION: i32 = 6;

    fn exact(self) -> f64 {
        self.into()
    }

    fn nearest(value: f64) -> f64 {
        (value as f32).into()
    }

    fn ratio(a: f32, b: f32) -> f64 {
        (a / b).into()
    }

    fn shortest(self) -> Decimal {
        let shortest = Decimal::parse(&format!("{:e}", self.abs()));
        let digits = shortest.scientific_digits();
        tie_to_even(shortest, format!("{:.digits$e}", self.abs()), self.abs())
    }
}

impl Printed for f16 {
    const PRECISION: i32 = 3;

    fn exact(self) -> f64 {
        self.to_f64()
    }

    fn nearest(value: f64) -> f64 {
        round::f64_to_f16(value).to_f64()
    }

    fn ratio(a: f16, b: f16) -> f64 {
        f16::from_f32(a.to_f32() / b.to_f32()).to_f64()
    }

    fn shortest(self) -> Decimal {
        shortest_half(self.to_f64().abs(), f16::nearest)
    }
}

/// NumPy has no such type of its own: it prints as `f16` does.
impl Printed for bf16 {
    const PRECISION: i32 = f16::PRECISION;

    fn exact(self) -> f64 {
        self.to_f64()
    }

    fn nearest(value: f64) -> f64 {
        round::f64_to_bf16(value).to_f64()
    }

    fn ratio(a: bf16, b: bf16) -> f64 {
        bf16::from_f32(a.to_f32() / b.to_f32()).to_f64()
    }

    fn shortest(self) -> Decimal {
        shortest_half(self.to_f64().abs(), bf16::nearest)
    }
}

/// Of two shortest numbers that are equally close the standard library takes the upper one, NumPy
/// the even one: `rounded`, which has as many digits, where it reads back.
fn tie_to_even<T: FromStr + PartialEq>(shortest: Decimal, rounded: String, value: T) -> Decimal {
    match rounded.parse::<T>() {
        Ok(read) if read == value => Decimal::parse(&rounded),
        _ => shortest,
    }
}

/// Tries one digit, then two, and so on: the closest number of so many digits that `round`s back
/// to the value. Where the gap below a power of two is narrow that may be a neighbour of the
/// rounded one.
fn shortest_half(value: f64, round: impl Fn(f64) -> f64) -> Decimal {
    // Five digits tell all halves apart.
    for digits in 0..5 {
        let rounded = format!("{value:.digits$e}");
        let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
        let mantissa: i64 = mantissa.replace('.', "").parse().unwrap_or(0);
        let exponent = exponent.parse().unwrap_or(0) - digits as i32;
        for candidate in [mantissa, mantissa + 1, mantissa - 1] {
            let text = format!("{candidate}e{exponent}");
            if text.parse().is_ok_and(|read| round(read) == value) {
                let decimal: f64 = text.parse().unwrap_or(value);
                return Decimal::parse(&format!("{decimal:e}"));
            }
        }
    }
    Decimal::parse(&format!("{value:e}"))
}
