//! The conversions of `f16` that a static library brings, on every half and about every middle
//! between two.

use half::f16;
use runtime::{Argument, Jit, Parameter, Signature};
use tensor::{Element, Tensor};

/// Converts each element by a function of half.ll.
fn convert<A: Element, R: Element>(function: &str, from: &str, to: &str, values: &[A]) -> Vec<R> {
    let conversions = include_str!("../src/half.ll");
    let ir = format!(
        "{conversions}
define void @f(ptr %a0, ptr %a, i64 %a2, i64 %count, i64 %a4, ptr %r0, ptr %r, i64 %r2, i64 %r3, i64 %r4) {{
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %work ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %work, label %done
work:
  %from = getelementptr {from}, ptr %a, i64 %i
  %value = load {from}, ptr %from
  %converted = call {to} @{function}({from} %value) nobuiltin
  %to = getelementptr {to}, ptr %r, i64 %i
  store {to} %converted, ptr %to
  %next = add i64 %i, 1
  br label %head
done:
  ret void
}}"
    );
    let shape = [values.len() as u64];
    let signature = Signature {
        symbol: "f".into(),
        parameters: vec![
            Parameter::Operand(A::SCALAR, shape.to_vec()),
            Parameter::Result(R::SCALAR, shape.to_vec()),
        ],
    };
    let jit = Jit::load(&ir, &[signature]).unwrap();
    let values = Tensor::from_slice(&shape, values).unwrap();
    let mut result = Tensor::zeros(R::SCALAR, &shape).unwrap();
    let mut arguments = [Argument::Operand(&values), Argument::Result(&mut result)];
    jit.call("f", &mut arguments).unwrap();
    result.as_slice::<R>().unwrap().to_vec()
}

fn halves() -> Vec<f16> {
    (0..=u16::MAX).map(f16::from_bits).collect()
}

#[test]
fn every_half_widens_exactly() {
    let wide: Vec<f32> = convert("__extendhfsf2", "half", "float", &halves());
    for (half, wide) in halves().into_iter().zip(wide) {
        let expected = half.to_f32();
        assert_eq!(expected.is_nan(), wide.is_nan(), "{half:?}");
        assert!(
            wide.is_nan() || expected.to_bits() == wide.to_bits(),
            "{half:?}: {wide:e}"
        );
    }
}

#[test]
fn a_float_rounds_once_to_nearest_even() {
    let mut values = vec![f32::NAN, f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1)];
    for half in halves().into_iter().filter(|half| half.is_finite()) {
        let next = f16::from_bits(half.to_bits() + 1);
        // Beyond the largest half, as if there were one more.
        let next = match next.is_finite() {
            true => next.to_f32(),
            false => 65536f32.copysign(half.to_f32()),
        };
        let middle = (half.to_f32() + next) / 2.0;
        values.extend([half.to_f32(), middle, middle.next_up(), middle.next_down()]);
    }
    // One of each sign and exponent.
    values.extend((0..512).map(|bits| f32::from_bits(bits << 23 | 0x2a_aaaa)));
    let rounded: Vec<f16> = convert("__truncsfhf2", "float", "half", &values);
    for (value, half) in values.into_iter().zip(rounded) {
        let expected = f16::from_f32(value);
        assert_eq!(expected.is_nan(), half.is_nan(), "{value:e}");
        assert!(
            half.is_nan() || expected.to_bits() == half.to_bits(),
            "{value:e}: {half:?}"
        );
    }
}
