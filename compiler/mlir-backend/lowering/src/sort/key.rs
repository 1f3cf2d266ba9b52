use melior::dialect::arith::CmpiPredicate;
use melior::ir::Value;
use shared_types::ScalarType;

use super::Order;
use crate::at::{At, Built};
use crate::types::integer_type;

/// How an element becomes an unsigned integer of its width such that the order of those is the
/// sort's: `-0.0` as `+0.0`, and every NaN as the greatest.
#[derive(Clone, Copy)]
pub(super) struct Key {
    scalar: ScalarType,
    descending: bool,
}

impl Key {
    pub(super) fn new(order: Order<'_>, scalar: ScalarType) -> Self {
        Key {
            scalar,
            descending: order.descending,
        }
    }

    pub(super) fn bytes(self) -> u64 {
        self.scalar.bytes() as u64
    }

    pub(super) fn bits(self) -> u32 {
        self.scalar.bytes() as u32 * 8
    }

    pub(super) fn of<'c: 'b, 'b>(
        self,
        at: At<'c, 'b>,
        element: Value<'c, 'b>,
    ) -> Built<Value<'c, 'b>> {
        if self.scalar.is_integer() {
            return self.turn(at, element, self.scalar.is_signed());
        }
        let (bits, ty) = (self.bits(), integer_type(at.context, self.bits()));
        let compare = |predicate: CmpiPredicate, left, right| {
            at.compare("arith.cmpi", predicate as i64, left, right)
        };
        // From a sign and a magnitude to two's complement, which has one zero.
        let pattern = at.emit("arith.bitcast", &[element], ty)?;
        let magnitudes = at.integer(bits, (1 << (bits - 1)) - 1)?;
        let magnitude = at.emit("arith.andi", &[pattern, magnitudes], ty)?;
        let zero = at.integer(bits, 0)?;
        let negated = at.emit("arith.subi", &[zero, magnitude], ty)?;
        let negative = compare(CmpiPredicate::Slt, pattern, zero)?;
        let number = at.emit("arith.select", &[negative, negated, magnitude], ty)?;
        let number = self.turn(at, number, true)?;
        let infinity = at.integer(bits, self.infinity())?;
        let nan = compare(CmpiPredicate::Ugt, magnitude, infinity)?;
        // No number is turned to it: an infinity is less in magnitude.
        let last = at.integer(bits, -1)?;
        at.emit("arith.select", &[nan, last, number], ty)
    }

    /// An integer in the order of unsigned ones, the other way around where the sort descends.
    fn turn<'c: 'b, 'b>(
        self,
        at: At<'c, 'b>,
        number: Value<'c, 'b>,
        signed: bool,
    ) -> Built<Value<'c, 'b>> {
        let sign = i128::from(signed) << (self.bits() - 1);
        let mask = if self.descending { !sign } else { sign };
        match mask {
            0 => Ok(number),
            _ => {
                let mask = at.integer(self.bits(), mask)?;
                let ty = integer_type(at.context, self.bits());
                at.emit("arith.xori", &[number, mask], ty)
            }
        }
    }

    /// The bits of a float's positive infinity.
    fn infinity(self) -> i128 {
        let fraction = match self.scalar {
            ScalarType::F16 => 10,
            ScalarType::Bf16 => 7,
            ScalarType::F32 => 23,
            _ => 52,
        };
        (1 << (self.bits() - 1)) - (1 << fraction)
    }
}
