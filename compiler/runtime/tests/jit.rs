//! The JIT over IR written by hand, shaped as the backend's.

use codegen::CodegenError;
use half::{bf16, f16};
use runtime::{Argument, Jit, Parameter, RuntimeError, Signature};
use shared_types::ScalarType;
use tensor::{Element, Scalar, Tensor, TensorError};

/// The parameters of a memref of some rank, named `name0`, `name1`, …
fn memref(name: &str, rank: usize) -> String {
    let words = (0..3 + 2 * rank).map(|index| {
        let ty = if index < 2 { "ptr" } else { "i64" };
        format!("{ty} %{name}{index}")
    });
    words.collect::<Vec<_>>().join(", ")
}

/// `f`: `body` makes `%r` from `%a` and `%b` for each element of two vectors.
fn element_wise(from: &str, to: &str, body: &str) -> String {
    format!(
        "define void @f({}, {}, {}) {{
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %work ]
  %more = icmp slt i64 %i, %a3
  br i1 %more, label %work, label %done
work:
  %pa = getelementptr {from}, ptr %a1, i64 %i
  %a = load {from}, ptr %pa
  %pb = getelementptr {from}, ptr %b1, i64 %i
  %b = load {from}, ptr %pb
  {body}
  %pr = getelementptr {to}, ptr %r1, i64 %i
  store {to} %r, ptr %pr
  %next = add i64 %i, 1
  br label %head
done:
  ret void
}}
declare float @expf(float)",
        memref("a", 1),
        memref("b", 1),
        memref("r", 1)
    )
}

fn signature(parameters: Vec<Parameter>) -> [Signature; 1] {
    [Signature {
        symbol: "f".into(),
        parameters,
    }]
}

/// Runs an [`element_wise`] body.
fn run<A: Element, R: Element>(from: &str, to: &str, body: &str, a: &[A], b: &[A]) -> Vec<R> {
    let shape = vec![a.len() as u64];
    let signature = signature(vec![
        Parameter::Operand(A::SCALAR, shape.clone()),
        Parameter::Operand(A::SCALAR, shape.clone()),
        Parameter::Result(R::SCALAR, shape.clone()),
    ]);
    let jit = Jit::load(&element_wise(from, to, body), &signature).unwrap();
    let a = Tensor::from_slice(&shape, a).unwrap();
    let b = Tensor::from_slice(&shape, b).unwrap();
    let mut result = Tensor::zeros(R::SCALAR, &shape).unwrap();
    let mut arguments = [
        Argument::Operand(&a),
        Argument::Operand(&b),
        Argument::Result(&mut result),
    ];
    jit.call("f", &mut arguments).unwrap();
    result.as_slice::<R>().unwrap().to_vec()
}

#[test]
fn a_multiply_and_an_add_round_twice() {
    let a = [1.0f32 + 2f32.powi(-12); 67];
    let b = [-(1.0f32 + 2f32.powi(-11)); 67];
    assert_ne!(a[0].mul_add(a[0], b[0]), 0.0, "fused, it is not zero");
    let body = "%p = fmul float %a, %a\n  %r = fadd float %p, %b";
    assert_eq!(run::<f32, f32>("float", "float", body, &a, &b), [0.0; 67]);
}

#[test]
fn subnormals_are_kept() {
    let a = [f32::from_bits(1); 33];
    let body = "%r = fadd float %a, %b";
    let sums = run::<f32, f32>("float", "float", body, &a, &a);
    assert_eq!(sums, [f32::from_bits(2); 33]);
}

#[test]
fn halves_widen_and_round_as_they_should() {
    let bits: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let wide: Vec<f32> = run("half", "float", "%r = fpext half %a to float", &bits, &bits);
    for (half, wide) in bits.iter().zip(wide) {
        assert!(half.is_nan() || half.to_f32().to_bits() == wide.to_bits());
    }
    // Each value, and what lies about the middle between it and the next.
    let near: Vec<f32> = bits
        .iter()
        .filter(|half| half.is_finite())
        .flat_map(|half| {
            let next = f16::from_bits(half.to_bits() + 1);
            let middle = (half.to_f32() + next.to_f32()) / 2.0;
            [half.to_f32(), middle, middle.next_up(), middle.next_down()]
        })
        .filter(|value| !value.is_nan())
        .collect();
    let body = "%r = fptrunc float %a to half";
    let rounded: Vec<f16> = run("float", "half", body, &near, &near);
    for (value, half) in near.iter().zip(rounded) {
        assert_eq!(f16::from_f32(*value).to_bits(), half.to_bits(), "{value:e}");
    }
    let bits: Vec<bf16> = (0..=u16::MAX).map(bf16::from_bits).collect();
    let body = "%r = fpext bfloat %a to float";
    let wide: Vec<f32> = run("bfloat", "float", body, &bits, &bits);
    for (half, wide) in bits.iter().zip(wide) {
        assert!(half.is_nan() || half.to_f32().to_bits() == wide.to_bits());
    }
}

#[test]
fn the_c_library_is_there() {
    let values: Vec<f32> = (0..100).map(|index| index as f32 / 10.0 - 5.0).collect();
    let body = "%r = call float @expf(float %a)";
    let found = run::<f32, f32>("float", "float", body, &values, &values);
    let expected: Vec<f32> = values.iter().map(|&x| tensor::cmath::expf(x)).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_scalar_type_passes() {
    for (scalar, ty) in [
        (Scalar::I8(-5), "i8"),
        (Scalar::I16(-500), "i16"),
        (Scalar::I32(-50_000), "i32"),
        (Scalar::I64(i64::MIN), "i64"),
        (Scalar::U8(250), "i8"),
        (Scalar::U16(65_000), "i16"),
        (Scalar::U32(u32::MAX), "i32"),
        (Scalar::U64(u64::MAX), "i64"),
        (Scalar::F16(f16::from_f32(-1.5)), "half"),
        (Scalar::Bf16(bf16::from_f32(3.0)), "bfloat"),
        (Scalar::F32(-0.0), "float"),
        (Scalar::F64(f64::MIN_POSITIVE), "double"),
        (Scalar::Bool(true), "i1"),
        (Scalar::Char('ß'), "i32"),
    ] {
        let ir = format!(
            "define void @f({ty} %x, {}) {{ store {ty} %x, ptr %r1 ret void }}",
            memref("r", 0)
        );
        let parameters = vec![
            Parameter::Scalar(scalar.ty()),
            Parameter::Result(scalar.ty(), vec![]),
        ];
        let jit = Jit::load(&ir, &signature(parameters)).unwrap();
        let mut result = Tensor::zeros(scalar.ty(), &[]).unwrap();
        let mut arguments = [Argument::Scalar(scalar), Argument::Result(&mut result)];
        jit.call("f", &mut arguments).unwrap();
        assert_eq!(result.get(0).unwrap().bits(), scalar.bits(), "{ty}");
    }
}

#[test]
fn a_call_has_as_many_words_as_it_needs() {
    // Eight tensors of rank 6: 120 words. The body adds the last stride but one of each, which is 7.
    let names = ["a", "b", "c", "d", "e", "g", "h"];
    let operands: Vec<String> = names.iter().map(|name| memref(name, 6)).collect();
    let sums: Vec<String> = (1..names.len())
        .map(|index| {
            let before = if index == 1 {
                "%a13".to_string()
            } else {
                format!("%s{}", index - 1)
            };
            format!("%s{index} = add i64 {before}, %{}13\n", names[index])
        })
        .collect();
    let ir = format!(
        "define void @f({}, {}) {{\n{}store i64 %s6, ptr %r1\nret void\n}}",
        operands.join(", "),
        memref("r", 6),
        sums.concat(),
    );
    let shape = vec![1, 2, 1, 2, 1, 7];
    let mut parameters = vec![Parameter::Operand(ScalarType::I8, shape.clone()); names.len()];
    parameters.push(Parameter::Result(ScalarType::I64, shape.clone()));
    let jit = Jit::load(&ir, &signature(parameters)).unwrap();
    let operand = Tensor::zeros(ScalarType::I8, &shape).unwrap();
    let mut result = Tensor::zeros(ScalarType::I64, &shape).unwrap();
    let mut arguments: Vec<Argument> = names.iter().map(|_| Argument::Operand(&operand)).collect();
    arguments.push(Argument::Result(&mut result));
    jit.call("f", &mut arguments).unwrap();
    assert_eq!(result.get(0).unwrap(), Scalar::I64(49));
}

#[test]
fn the_status_word_is_lowered_in_place() {
    let ir = format!(
        "define void @f({}) {{ %o = atomicrmw umin ptr %s1, i64 4097 seq_cst ret void }}",
        memref("s", 0)
    );
    let jit = Jit::load(&ir, &signature(vec![Parameter::Status])).unwrap();
    let mut status = u64::MAX;
    jit.call("f", &mut [Argument::Status(&mut status)]).unwrap();
    assert_eq!(status, 4097);
}

#[test]
fn four_threads_load_and_call() {
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let a = [thread as f32; 9];
                let body = "%r = fadd float %a, %b";
                let found = run::<f32, f32>("float", "float", body, &a, &a);
                assert_eq!(found, [2.0 * thread as f32; 9]);
            });
        }
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    let vector = |extent| Parameter::Operand(ScalarType::F32, vec![extent]);
    let result = Parameter::Result(ScalarType::F32, vec![4]);
    let ir = element_wise("float", "float", "%r = fadd float %a, %b");
    let jit = Jit::load(&ir, &signature(vec![vector(4), vector(4), result])).unwrap();

    let four = Tensor::zeros(ScalarType::F32, &[4]).unwrap();
    let five = Tensor::zeros(ScalarType::F32, &[5]).unwrap();
    let ints = Tensor::zeros(ScalarType::I32, &[4]).unwrap();
    let mut out = four.clone();
    let (a, b) = (Argument::Operand(&four), Argument::Operand(&four));
    let short = jit.call("f", &mut [a, b]).unwrap_err();
    assert_eq!(short.to_string(), "`f` takes 3 arguments, 2 were given");
    for wrong in [
        Argument::Operand(&five),
        Argument::Operand(&ints),
        Argument::Scalar(Scalar::F32(0.0)),
        Argument::Status(&mut 0),
    ] {
        let mut arguments = [Argument::Operand(&four), wrong, Argument::Result(&mut out)];
        let error = jit.call("f", &mut arguments).unwrap_err();
        assert!(
            matches!(error, RuntimeError::Argument { index: 1, .. }),
            "{error}"
        );
    }
    let mut last = [
        Argument::Operand(&four),
        Argument::Operand(&four),
        Argument::Operand(&four),
    ];
    let error = jit.call("f", &mut last).unwrap_err();
    assert_eq!(
        error.to_string(),
        "argument 2 of `f` is a Tensor<f32, [4]> to write, a Tensor<f32, [4]> to read was given"
    );
    let error = jit.call("g", &mut []).unwrap_err();
    assert_eq!(error.to_string(), "no body has the symbol `g`");
}

#[test]
fn a_module_that_is_not_as_declared_is_refused() {
    let load = |ir: &str, parameters| Jit::load(ir, &signature(parameters)).err().unwrap();
    let scalar = |ty| vec![Parameter::Scalar(ty)];
    let takes_i32 = "define void @f(i32 %x) { ret void }";
    for error in [
        load(takes_i32, vec![]),
        load(takes_i32, scalar(ScalarType::F32)),
        load(takes_i32, scalar(ScalarType::I64)),
        load(takes_i32, vec![Parameter::Status]),
        load("define i32 @f() { ret i32 0 }", vec![]),
        load(
            "define void @f(<4 x i32> %x) { ret void }",
            scalar(ScalarType::I32),
        ),
    ] {
        assert!(
            matches!(error, RuntimeError::Codegen(CodegenError::Signature { .. })),
            "{error}"
        );
    }
    for error in [
        load("define void @g() { ret void }", vec![]),
        load("declare void @f()", vec![]),
    ] {
        let unknown = CodegenError::UnknownSymbol("f".into());
        assert_eq!(error, RuntimeError::Codegen(unknown));
    }
    for error in [load("nonsense", vec![]), load("\0", vec![])] {
        assert!(
            matches!(error, RuntimeError::Codegen(CodegenError::Parse(_))),
            "{error}"
        );
    }
}

#[test]
fn a_symbol_that_nobody_has_is_an_error() {
    let ir = "declare void @no_such_function_anywhere()
              define void @f() { call void @no_such_function_anywhere() ret void }";
    let error = Jit::load(ir, &signature(vec![])).err().unwrap();
    assert!(
        matches!(error, RuntimeError::Codegen(CodegenError::Load(_))),
        "{error}"
    );
    assert!(
        error.to_string().contains("no_such_function_anywhere"),
        "{error}"
    );
}

#[test]
fn what_the_code_generator_refuses_is_an_error() {
    let ir =
        "define void @f() { call void asm sideeffect \"no such instruction\", \"\"() ret void }";
    let error = Jit::load(ir, &signature(vec![])).err().unwrap();
    assert!(
        matches!(error, RuntimeError::Codegen(CodegenError::Compile(_))),
        "{error}"
    );
}

#[test]
fn memory_that_a_body_cannot_have_is_an_error() {
    let body = |bytes: u64| {
        let ir = format!(
            "declare ptr @malloc(i64)
             declare void @free(ptr)
             define void @f() {{
               %p = call ptr @malloc(i64 {bytes})
               store volatile i8 1, ptr %p
               call void @free(ptr %p)
               ret void
             }}"
        );
        Jit::load(&ir, &signature(vec![])).unwrap()
    };
    body(100).call("f", &mut []).unwrap();
    for bytes in [1 << 50, 1 << 63, u64::MAX] {
        let error = body(bytes).call("f", &mut []).unwrap_err();
        assert!(
            matches!(error, RuntimeError::Tensor(TensorError::OutOfMemory { .. })),
            "{error}"
        );
    }
}
