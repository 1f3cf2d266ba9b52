//! Element-wise mathematics: the `math` operation of each function's name (numerics,
//! §Mathematics).

use melior::dialect::arith::CmpfPredicate;
use melior::ir::{Value, ValueLike};
use neuro_hir::MathFunction;
use shared_types::ScalarType;

use crate::at::{At, Built};

/// `function` of an `f32` or `f64` element.
pub(crate) fn element<'c: 'r, 'r>(
    at: At<'c, 'r>,
    function: MathFunction,
    value: Value<'c, 'r>,
    computed: ScalarType,
) -> Built<Value<'c, 'r>> {
    let name = match function {
        MathFunction::Exp => "math.exp",
        MathFunction::Log => "math.log",
        MathFunction::Sqrt => "math.sqrt",
        MathFunction::Sin => "math.sin",
        MathFunction::Cos => "math.cos",
        MathFunction::Tanh => "math.tanh",
        MathFunction::Abs => "math.absf",
        MathFunction::Sign => return sign(at, value, computed),
    };
    at.emit(name, &[value], value.r#type())
}

pub(crate) fn power<'c: 'r, 'r>(
    at: At<'c, 'r>,
    base: Value<'c, 'r>,
    exponent: Value<'c, 'r>,
) -> Built<Value<'c, 'r>> {
    at.emit("math.powf", &[base, exponent], base.r#type())
}

/// `(x > 0) - (x < 0)`, so a NaN gives 0.
fn sign<'c: 'r, 'r>(
    at: At<'c, 'r>,
    value: Value<'c, 'r>,
    computed: ScalarType,
) -> Built<Value<'c, 'r>> {
    let ty = value.r#type();
    let zero = at.float(computed, 0.0)?;
    let side = |predicate: CmpfPredicate| {
        let on_side = at.compare("arith.cmpf", predicate as i64, value, zero)?;
        at.emit("arith.uitofp", &[on_side], ty)
    };
    let (above, below) = (side(CmpfPredicate::Ogt)?, side(CmpfPredicate::Olt)?);
    at.emit("arith.subf", &[above, below], ty)
}
