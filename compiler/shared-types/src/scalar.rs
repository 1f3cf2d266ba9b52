use std::fmt;
use std::str::FromStr;

/// A scalar type of the language (numerics, §Elements).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScalarType {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    Bf16,
    F32,
    F64,
    Bool,
    Char,
}

/// How a scalar type computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarClass {
    Signed,
    Unsigned,
    Float,
    Bool,
    Char,
}

impl ScalarType {
    pub const ALL: [ScalarType; 14] = [
        ScalarType::I8,
        ScalarType::I16,
        ScalarType::I32,
        ScalarType::I64,
        ScalarType::U8,
        ScalarType::U16,
        ScalarType::U32,
        ScalarType::U64,
        ScalarType::F16,
        ScalarType::Bf16,
        ScalarType::F32,
        ScalarType::F64,
        ScalarType::Bool,
        ScalarType::Char,
    ];

    /// The name in source.
    pub fn name(self) -> &'static str {
        match self {
            ScalarType::I8 => "i8",
            ScalarType::I16 => "i16",
            ScalarType::I32 => "i32",
            ScalarType::I64 => "i64",
            ScalarType::U8 => "u8",
            ScalarType::U16 => "u16",
            ScalarType::U32 => "u32",
            ScalarType::U64 => "u64",
            ScalarType::F16 => "f16",
            ScalarType::Bf16 => "bf16",
            ScalarType::F32 => "f32",
            ScalarType::F64 => "f64",
            ScalarType::Bool => "bool",
            ScalarType::Char => "char",
        }
    }

    pub fn class(self) -> ScalarClass {
        match self {
            ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
                ScalarClass::Signed
            }
            ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 => {
                ScalarClass::Unsigned
            }
            ScalarType::F16 | ScalarType::Bf16 | ScalarType::F32 | ScalarType::F64 => {
                ScalarClass::Float
            }
            ScalarType::Bool => ScalarClass::Bool,
            ScalarType::Char => ScalarClass::Char,
        }
    }

    /// The size in memory, in bytes. A `bool` takes one, 0 or 1; a `char` is its code point.
    pub fn bytes(self) -> usize {
        match self {
            ScalarType::I8 | ScalarType::U8 | ScalarType::Bool => 1,
            ScalarType::I16 | ScalarType::U16 | ScalarType::F16 | ScalarType::Bf16 => 2,
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 | ScalarType::Char => 4,
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 8,
        }
    }

    pub fn is_integer(self) -> bool {
        matches!(self.class(), ScalarClass::Signed | ScalarClass::Unsigned)
    }

    pub fn is_signed(self) -> bool {
        self.class() == ScalarClass::Signed
    }

    pub fn is_float(self) -> bool {
        self.class() == ScalarClass::Float
    }

    /// `f16` and `bf16`: they compute in `f32` and round back (numerics, §Elements).
    pub fn is_half(self) -> bool {
        matches!(self, ScalarType::F16 | ScalarType::Bf16)
    }

    /// Integers and floats: what has arithmetic.
    pub fn is_number(self) -> bool {
        self.is_integer() || self.is_float()
    }

    /// Numbers and `bool`: what a tensor that is computed with has (numerics, §Elements).
    pub fn is_element(self) -> bool {
        self.class() != ScalarClass::Char
    }

    /// The inclusive range of an integer type; `None` for the others.
    pub fn integer_range(self) -> Option<(i128, i128)> {
        let bits = self.bytes() as u32 * 8;
        match self.class() {
            ScalarClass::Signed => Some((-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)),
            ScalarClass::Unsigned => Some((0, (1i128 << bits) - 1)),
            ScalarClass::Float | ScalarClass::Bool | ScalarClass::Char => None,
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is no scalar type's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownScalar;

impl FromStr for ScalarType {
    type Err = UnknownScalar;

    fn from_str(text: &str) -> Result<Self, UnknownScalar> {
        ScalarType::ALL
            .into_iter()
            .find(|scalar| scalar.name() == text)
            .ok_or(UnknownScalar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for scalar in ScalarType::ALL {
            assert_eq!(scalar.name().parse(), Ok(scalar));
        }
        assert_eq!("i128".parse::<ScalarType>(), Err(UnknownScalar));
    }

    #[test]
    fn integer_ranges_are_those_of_the_machine() {
        let range = |low: i128, high: i128| Some((low, high));
        assert_eq!(ScalarType::I8.integer_range(), range(-128, 127));
        assert_eq!(ScalarType::U16.integer_range(), range(0, 65_535));
        assert_eq!(
            ScalarType::I64.integer_range(),
            range(i64::MIN.into(), i64::MAX.into())
        );
        assert_eq!(ScalarType::U64.integer_range(), range(0, u64::MAX.into()));
        assert_eq!(ScalarType::F32.integer_range(), None);
    }
}
