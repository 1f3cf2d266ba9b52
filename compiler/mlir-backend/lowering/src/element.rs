//! Arithmetic on one element: the `arith` operations, half precision and the integer checks
//! (numerics, §Element-wise).

use ast_types::BinaryOp;
use melior::dialect::arith::CmpiPredicate;
use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::{Value, ValueLike};
use shared_types::{ScalarType, Span};

use crate::at::{At, Built};
use crate::check::{CheckKind, Checks, Point};
use crate::half::{narrow, widen};
use crate::types::{integer_type, scalar_type};
use crate::unlowered::Unlowered;

/// `left op right` on elements of one type; `op` is one of `+ - * / %`.
pub(crate) struct Arithmetic {
    pub op: BinaryOp,
    pub scalar: ScalarType,
    pub span: Span,
}

impl Arithmetic {
    /// Whether it reports failures here.
    pub(crate) fn is_checked(&self, checks: &Checks) -> bool {
        let division = matches!(self.op, BinaryOp::Div | BinaryOp::Rem);
        self.scalar.is_integer() && (checks.overflow() || division && checks.division())
    }

    pub(crate) fn build<'c: 'r, 'b, 'r>(
        &self,
        at: At<'c, 'r>,
        checks: &mut Checks<'c, 'b>,
        point: Point<'c, 'r>,
        left: Value<'c, 'r>,
        right: Value<'c, 'r>,
    ) -> Built<Value<'c, 'r>> {
        let name = self.name()?;
        if self.scalar.is_float() {
            let left = widen(at, self.scalar, left)?;
            let right = widen(at, self.scalar, right)?;
            let answer = self.emit(at, name, left, right)?;
            return narrow(at, self.scalar, answer);
        }
        if !self.is_checked(checks) {
            return self.emit(at, name, left, right);
        }
        match self.op {
            BinaryOp::Div | BinaryOp::Rem => self.checked_division(at, checks, point, left, right),
            _ => self.with_overflow(at, checks, point, left, right),
        }
    }

    fn emit<'c: 'r, 'r>(
        &self,
        at: At<'c, 'r>,
        name: &str,
        left: Value<'c, 'r>,
        right: Value<'c, 'r>,
    ) -> Built<Value<'c, 'r>> {
        at.emit(name, &[left, right], left.r#type())
    }

    fn name(&self) -> Built<&'static str> {
        let names = match self.op {
            BinaryOp::Add => ["arith.addf", "arith.addi", "arith.addi"],
            BinaryOp::Sub => ["arith.subf", "arith.subi", "arith.subi"],
            BinaryOp::Mul => ["arith.mulf", "arith.muli", "arith.muli"],
            BinaryOp::Div => ["arith.divf", "arith.divsi", "arith.divui"],
            BinaryOp::Rem => ["arith.remf", "arith.remsi", "arith.remui"],
            BinaryOp::MatMul
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::And
            | BinaryOp::Or => {
                let reason = format!("`{}` is not element-wise", self.op);
                return Unlowered::refused(reason, self.span);
            }
        };
        Ok(match (self.scalar.is_float(), self.scalar.is_signed()) {
            (true, _) => names[0],
            (false, true) => names[1],
            (false, false) => names[2],
        })
    }

    /// `+ - *` by LLVM's with.overflow intrinsics; the wrapped answer goes on.
    fn with_overflow<'c: 'r, 'b, 'r>(
        &self,
        at: At<'c, 'r>,
        checks: &mut Checks<'c, 'b>,
        point: Point<'c, 'r>,
        left: Value<'c, 'r>,
        right: Value<'c, 'r>,
    ) -> Built<Value<'c, 'r>> {
        let sign = if self.scalar.is_signed() { "s" } else { "u" };
        let stem = match self.op {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            _ => "mul",
        };
        let element = scalar_type(at.context, self.scalar);
        let flag = integer_type(at.context, 1);
        let fields = [element, flag];
        let pair = melior::dialect::llvm::r#type::r#struct(at.context, &fields, false);
        let name = format!("llvm.intr.{sign}{stem}.with.overflow");
        let both = at.emit(&name, &[left, right], pair)?;
        let extract = |index: i64| {
            let position = DenseI64ArrayAttribute::new(at.context, &[index]);
            at.value(
                at.operation("llvm.extractvalue")
                    .add_attributes(&[at.named("position", position)])
                    .add_operands(&[both])
                    .add_results(&[fields[index as usize]]),
            )
        };
        let failed = extract(1)?;
        let answer = extract(0)?;
        checks.check(
            at,
            point,
            failed,
            answer,
            (self.op, CheckKind::Overflow, self.span),
        )
    }

    /// `/ %`: a zero divisor fails on every tier, `MIN / -1` on the checked one. A divisor that
    /// fails is replaced by 1, which is also what wrapping asks for: `MIN / -1` is `MIN`, and
    /// `MIN % -1` is 0.
    fn checked_division<'c: 'r, 'b, 'r>(
        &self,
        at: At<'c, 'r>,
        checks: &mut Checks<'c, 'b>,
        point: Point<'c, 'r>,
        left: Value<'c, 'r>,
        right: Value<'c, 'r>,
    ) -> Built<Value<'c, 'r>> {
        let bits = self.scalar.bytes() as u32 * 8;
        let flag = integer_type(at.context, 1);
        let equals =
            |value, constant| at.compare("arith.cmpi", CmpiPredicate::Eq as i64, value, constant);
        let zero = at.integer(bits, 0)?;
        let by_zero = equals(right, zero)?;
        let zero_divisor = (self.op, CheckKind::ZeroDivisor, self.span);
        let mut checked = checks.check(at, point, by_zero, right, zero_divisor)?;
        let mut replaced = by_zero;
        if self.scalar.is_signed() {
            let minimum = at.integer(bits, 1 << (bits - 1))?;
            let minus_one = at.integer(bits, -1)?;
            let at_minimum = equals(left, minimum)?;
            let by_minus_one = equals(right, minus_one)?;
            let overflows = at.emit("arith.andi", &[at_minimum, by_minus_one], flag)?;
            if checks.overflow() {
                let overflow = (self.op, CheckKind::Overflow, self.span);
                checked = checks.check(at, point, overflows, checked, overflow)?;
            }
            replaced = at.emit("arith.ori", &[by_zero, overflows], flag)?;
        }
        let one = at.integer(bits, 1)?;
        let divisor = at.emit("arith.select", &[replaced, one, checked], right.r#type())?;
        self.emit(at, self.name()?, left, divisor)
    }
}
