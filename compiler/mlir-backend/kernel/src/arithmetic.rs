//! Arithmetic, comparisons and mathematics of scalars (numerics, §Element-wise and §Integer checks).

use ast_types::BinaryOp;
use neuro_hir::{MathFunction, Tier};
use shared_types::{ScalarClass, ScalarType, Span};

use crate::body::{Body, Written, refused};
use crate::check::Fault;
use crate::text::{Value, type_name};

impl Body<'_> {
    /// `left op right`, the operator being one of `+ - * / %`.
    pub(crate) fn arithmetic(
        &mut self,
        op: BinaryOp,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Written<Value> {
        let scalar = left.scalar;
        if right.scalar != scalar || !scalar.is_number() {
            return refused(span, format!("`{op}` of other than numbers of one type"));
        }
        let stem = match op {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            BinaryOp::Rem => "rem",
            BinaryOp::MatMul
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::And
            | BinaryOp::Or => return refused(span, format!("`{op}` where arithmetic stands")),
        };
        let is_division = matches!(op, BinaryOp::Div | BinaryOp::Rem);
        match (scalar.is_float(), is_division) {
            (true, _) => Ok(self.of_two(&format!("arith.{stem}f"), left, right, span)),
            (false, true) => self.division(op, stem, left, right, span),
            (false, false) => match self.tier {
                Tier::Checked => self.with_overflow(op, stem, left, right, span),
                Tier::Wrapping => Ok(self.integers(&format!("{stem}i"), left, right, span)),
            },
        }
    }

    /// An operation of `arith` on two integers of one type, to that type.
    pub(crate) fn integers(
        &mut self,
        name: &str,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Value {
        self.of_two(&format!("arith.{name}"), left, right, span)
    }

    fn of_two(&mut self, name: &str, left: &Value, right: &Value, span: Span) -> Value {
        let ty = type_name(left.scalar);
        let operation = format!("{name} {}, {} : {ty}", left.name, right.name);
        self.emit(span, left.scalar, operation)
    }

    fn with_overflow(
        &mut self,
        op: BinaryOp,
        stem: &str,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Written<Value> {
        let sign = if left.scalar.is_signed() { 's' } else { 'u' };
        let ty = type_name(left.scalar);
        let pair = format!("!llvm.struct<({ty}, i1)>");
        let (a, b) = (&left.name, &right.name);
        let both = self.text.emit(
            span,
            &format!("\"llvm.intr.{sign}{stem}.with.overflow\"({a}, {b}) : ({ty}, {ty}) -> {pair}"),
        );
        let mut member = |scalar, index| {
            self.emit(
                span,
                scalar,
                format!("llvm.extractvalue {both}[{index}] : {pair}"),
            )
        };
        let (answer, overflows) = (member(left.scalar, 0), member(ScalarType::Bool, 1));
        self.check(&overflows, None, Fault::Overflow(op), span)?;
        Ok(answer)
    }

    /// A zero divisor fails on every tier, `MIN / -1` on the checked one; on the other one it is
    /// `MIN`, and `MIN % -1` is 0, as by 1.
    fn division(
        &mut self,
        op: BinaryOp,
        stem: &str,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Written<Value> {
        let scalar = left.scalar;
        let zero = self.constant(span, scalar, 0);
        let by_zero = self.compare(BinaryOp::Eq, right, &zero, span)?;
        self.check(&by_zero, None, Fault::ZeroDivisor(op), span)?;
        if !scalar.is_signed() {
            return Ok(self.integers(&format!("{stem}ui"), left, right, span));
        }
        let minimum = self.constant(span, scalar, 1 << (8 * scalar.bytes() - 1));
        let minus_one = self.constant(span, scalar, -1);
        let at_minimum = self.compare(BinaryOp::Eq, left, &minimum, span)?;
        let by_minus_one = self.compare(BinaryOp::Eq, right, &minus_one, span)?;
        let overflows = self.integers("andi", &at_minimum, &by_minus_one, span);
        let mut divisor = right.clone();
        match self.tier {
            Tier::Checked => self.check(&overflows, None, Fault::Overflow(op), span)?,
            Tier::Wrapping => {
                let one = self.constant(span, scalar, 1);
                divisor = self.select(&overflows, &one, right, span);
            }
        }
        Ok(self.integers(&format!("{stem}si"), left, &divisor, span))
    }

    pub(crate) fn select(&mut self, which: &Value, yes: &Value, no: &Value, span: Span) -> Value {
        let (which, ty) = (&which.name, type_name(yes.scalar));
        let operation = format!("arith.select {which}, {}, {} : {ty}", yes.name, no.name);
        self.emit(span, yes.scalar, operation)
    }

    /// A float's sign flips; of an integer it is `0 - x`.
    pub(crate) fn negate(&mut self, operand: &Value, span: Span) -> Written<Value> {
        match operand.scalar.class() {
            ScalarClass::Float => {
                let ty = type_name(operand.scalar);
                let operation = format!("arith.negf {} : {ty}", operand.name);
                Ok(self.emit(span, operand.scalar, operation))
            }
            ScalarClass::Signed => {
                let zero = self.constant(span, operand.scalar, 0);
                self.arithmetic(BinaryOp::Sub, &zero, operand, span)
            }
            ScalarClass::Unsigned | ScalarClass::Bool | ScalarClass::Char => {
                refused(span, format!("a `-` of `{}`", operand.scalar))
            }
        }
    }

    /// A comparison, to a `bool`. A NaN is unequal to all, and in no order.
    pub(crate) fn compare(
        &mut self,
        op: BinaryOp,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Written<Value> {
        let scalar = left.scalar;
        if right.scalar != scalar {
            return refused(span, format!("`{op}` of two types"));
        }
        let names = match op {
            BinaryOp::Eq => ["oeq", "eq", "eq"],
            BinaryOp::Ne => ["une", "ne", "ne"],
            BinaryOp::Lt => ["olt", "slt", "ult"],
            BinaryOp::Le => ["ole", "sle", "ule"],
            BinaryOp::Gt => ["ogt", "sgt", "ugt"],
            BinaryOp::Ge => ["oge", "sge", "uge"],
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::MatMul
            | BinaryOp::And
            | BinaryOp::Or => return refused(span, format!("`{op}` where a comparison stands")),
        };
        let (operation, name) = match scalar.class() {
            ScalarClass::Float => ("cmpf", names[0]),
            ScalarClass::Signed => ("cmpi", names[1]),
            ScalarClass::Unsigned | ScalarClass::Bool | ScalarClass::Char => ("cmpi", names[2]),
        };
        let (a, b, ty) = (&left.name, &right.name, type_name(scalar));
        let operation = format!("arith.{operation} {name}, {a}, {b} : {ty}");
        Ok(self.emit(span, ScalarType::Bool, operation))
    }

    /// A function of a float (numerics, §Mathematics): its `math` operation.
    pub(crate) fn math(
        &mut self,
        function: MathFunction,
        operand: &Value,
        span: Span,
    ) -> Written<Value> {
        let scalar = operand.scalar;
        if !scalar.is_float() {
            return refused(span, format!("`{}` of `{scalar}`", function.name()));
        }
        let name = match function {
            MathFunction::Exp => "exp",
            MathFunction::Log => "log",
            MathFunction::Sqrt => "sqrt",
            MathFunction::Sin => "sin",
            MathFunction::Cos => "cos",
            MathFunction::Tanh => "tanh",
            MathFunction::Abs => "absf",
            MathFunction::Sign => return self.sign(operand, span),
        };
        let operation = format!("math.{name} {} : {}", operand.name, type_name(scalar));
        Ok(self.emit(span, scalar, operation))
    }

    /// `(x > 0) - (x < 0)`, so a NaN gives 0.
    fn sign(&mut self, operand: &Value, span: Span) -> Written<Value> {
        let zero = self.float(span, operand.scalar, 0.0);
        let above = self.compare(BinaryOp::Gt, operand, &zero, span)?;
        let below = self.compare(BinaryOp::Lt, operand, &zero, span)?;
        let above = self.convert("arith.uitofp", &above, operand.scalar, span);
        let below = self.convert("arith.uitofp", &below, operand.scalar, span);
        self.arithmetic(BinaryOp::Sub, &above, &below, span)
    }

    pub(crate) fn power(&mut self, base: &Value, exponent: &Value, span: Span) -> Written<Value> {
        if !base.scalar.is_float() || exponent.scalar != base.scalar {
            return refused(span, "a power of other than floats of one type");
        }
        Ok(self.of_two("math.powf", base, exponent, span))
    }
}
