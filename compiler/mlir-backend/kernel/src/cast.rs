//! Casts between scalars (numerics, §Element-wise).

use ast_types::BinaryOp;
use shared_types::{ScalarClass, ScalarType, Span};

use crate::body::{Body, Written, refused};
use crate::text::{Value, type_name};

impl Body<'_> {
    pub(crate) fn cast(&mut self, value: &Value, to: ScalarType, span: Span) -> Written<Value> {
        let from = value.scalar;
        if from == to {
            return Ok(value.clone());
        }
        match (from.class(), to.class()) {
            (ScalarClass::Float, ScalarClass::Float) => {
                let name = match from.bytes() < to.bytes() {
                    true => "arith.extf",
                    false => "arith.truncf",
                };
                Ok(self.convert(name, value, to, span))
            }
            (ScalarClass::Float, ScalarClass::Signed | ScalarClass::Unsigned) => {
                self.saturated(value, to, span)
            }
            (ScalarClass::Signed, ScalarClass::Float) => {
                Ok(self.convert("arith.sitofp", value, to, span))
            }
            (ScalarClass::Unsigned, ScalarClass::Float) => {
                Ok(self.convert("arith.uitofp", value, to, span))
            }
            (_, ScalarClass::Signed | ScalarClass::Unsigned) => Ok(self.low_bits(value, to, span)),
            (ScalarClass::Unsigned, ScalarClass::Char) if from == ScalarType::U8 => {
                Ok(self.low_bits(value, to, span))
            }
            (_, ScalarClass::Float | ScalarClass::Bool | ScalarClass::Char) => {
                refused(span, format!("a cast of `{from}` to `{to}`"))
            }
        }
    }

    pub(crate) fn convert(
        &mut self,
        name: &str,
        value: &Value,
        to: ScalarType,
        span: Span,
    ) -> Value {
        let (from, into) = (type_name(value.scalar), type_name(to));
        self.emit(
            span,
            to,
            format!("{name} {} : {from} to {into}", value.name),
        )
    }

    /// An integer, a character or a `bool` as an integer.
    fn low_bits(&mut self, value: &Value, to: ScalarType, span: Span) -> Value {
        // A `bool` is one bit here.
        let bits = |scalar: ScalarType| match scalar {
            ScalarType::Bool => 1,
            _ => 8 * scalar.bytes(),
        };
        let (from, signed) = (bits(value.scalar), value.scalar.is_signed());
        let name = match from.cmp(&bits(to)) {
            std::cmp::Ordering::Less if signed => "arith.extsi",
            std::cmp::Ordering::Less => "arith.extui",
            std::cmp::Ordering::Greater => "arith.trunci",
            std::cmp::Ordering::Equal => {
                return Value {
                    name: value.name.clone(),
                    scalar: to,
                };
            }
        };
        self.convert(name, value, to, span)
    }

    /// A float as an integer: the nearest one of the type, and 0 for a NaN. The conversion is of a
    /// value that the type holds, since of others it has no meaning.
    fn saturated(&mut self, value: &Value, to: ScalarType, span: Span) -> Written<Value> {
        let Some((low, high)) = to.integer_range() else {
            return refused(span, format!("a cast of a float to `{to}`"));
        };
        // Powers of two, which both float types hold.
        let least = self.float(span, value.scalar, low as f64);
        let beyond = self.float(span, value.scalar, (high + 1) as f64);
        let below = self.compare(BinaryOp::Le, value, &least, span)?;
        let above = self.compare(BinaryOp::Ge, value, &beyond, span)?;
        let over = self.compare(BinaryOp::Gt, value, &least, span)?;
        let under = self.compare(BinaryOp::Lt, value, &beyond, span)?;
        let inside = self.integers("andi", &over, &under, span);
        let zero = self.float(span, value.scalar, 0.0);
        let held = self.select(&inside, value, &zero, span);
        let name = match to.is_signed() {
            true => "arith.fptosi",
            false => "arith.fptoui",
        };
        let converted = self.convert(name, &held, to, span);
        let (low, high) = (self.constant(span, to, low), self.constant(span, to, high));
        let limited = self.select(&below, &low, &converted, span);
        Ok(self.select(&above, &high, &limited, span))
    }
}
