//! Bodies that call functions of Rust's, through function values.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use half::{bf16, f16};
use runtime::{Argument, Callback, FunctionSignature, Jit, Parameter, RuntimeError, Signature};
use shared_types::ScalarType::{self, Bool, F32, I8, I32, I64};
use tensor::{Scalar, Tensor};

/// The extremes of every scalar type, and what a narrow one loses where it is extended wrongly.
fn extremes() -> Vec<Scalar> {
    let mut scalars = vec![Scalar::Bool(false), Scalar::Bool(true)];
    for scalar in ScalarType::ALL {
        if let Some((lowest, highest)) = scalar.integer_range() {
            for value in [lowest, 0, 1, highest / 2, highest - 1, highest] {
                scalars.push(Scalar::from_bits(scalar, value as u64).unwrap());
            }
        }
    }
    for value in [-0.0, 1.5, f32::MIN_POSITIVE, f32::MAX, f32::NEG_INFINITY] {
        scalars.extend([Scalar::F32(value), Scalar::F64(value.into())]);
        let halves = [
            Scalar::F16(f16::from_f32(value)),
            Scalar::Bf16(bf16::from_f32(value)),
        ];
        scalars.extend(halves);
    }
    let smallest = [
        Scalar::F32(f32::from_bits(1)),
        Scalar::F64(f64::from_bits(1)),
    ];
    let halves = [
        Scalar::F16(f16::from_bits(1)),
        Scalar::Bf16(bf16::from_bits(1)),
    ];
    scalars.extend(smallest.into_iter().chain(halves));
    scalars.extend(['\0', 'ß', char::MAX].map(Scalar::from));
    scalars
}

/// The type of a scalar, with what an argument of it has.
fn passed(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::I8 => "i8 signext",
        ScalarType::I16 => "i16 signext",
        ScalarType::U8 => "i8 zeroext",
        ScalarType::U16 => "i16 zeroext",
        ScalarType::Bool => "i1 zeroext",
        ScalarType::I32 | ScalarType::U32 | ScalarType::Char => "i32",
        ScalarType::I64 | ScalarType::U64 => "i64",
        ScalarType::F16 => "half",
        ScalarType::Bf16 => "bfloat",
        ScalarType::F32 => "float",
        ScalarType::F64 => "double",
    }
}

fn plain(scalar: ScalarType) -> &'static str {
    passed(scalar).split(' ').next().unwrap_or_default()
}

fn function(parameters: &[ScalarType], result: ScalarType) -> FunctionSignature {
    FunctionSignature {
        parameters: parameters.to_vec(),
        result,
    }
}

/// A body `f` that calls one function with its scalars, and stores the answer.
fn one_call(called: &FunctionSignature) -> Jit {
    let FunctionSignature { parameters, result } = called;
    let join = |part: &dyn Fn(usize, ScalarType) -> String| {
        let parts = parameters.iter().enumerate();
        parts
            .map(|(index, &scalar)| part(index, scalar))
            .collect::<String>()
    };
    let taken = join(&|index, scalar| format!(", {} %x{index}", plain(scalar)));
    let given = join(&|index, scalar| format!(", {} %x{index}", passed(scalar)));
    let result = plain(*result);
    let ir = format!(
        "define void @f(ptr %code, ptr %environment{taken}, ptr %r0, ptr %r1, i64 %r2) {{
           %answer = call {result} %code(ptr %environment{given})
           store {result} %answer, ptr %r1
           ret void
         }}"
    );
    let mut all = vec![Parameter::Function(called.clone())];
    all.extend(parameters.iter().map(|&scalar| Parameter::Scalar(scalar)));
    all.push(Parameter::Result(called.result, vec![]));
    load(&ir, all).unwrap()
}

fn load(ir: &str, parameters: Vec<Parameter>) -> Result<Jit, RuntimeError> {
    let symbol = "f".to_string();
    Jit::load(ir, &[Signature { symbol, parameters }])
}

/// Runs what [`one_call`] made.
fn answer(
    jit: &Jit,
    called: &FunctionSignature,
    callback: &Callback<'_>,
    scalars: &[Scalar],
) -> Result<Scalar, RuntimeError> {
    let mut result = Tensor::zeros(called.result, &[]).unwrap();
    let mut arguments = vec![Argument::Function(callback)];
    arguments.extend(scalars.iter().copied().map(Argument::Scalar));
    arguments.push(Argument::Result(&mut result));
    jit.call("f", &mut arguments)?;
    Ok(result.get(0).unwrap())
}

#[test]
fn every_scalar_passes_there_and_back() {
    for scalar in ScalarType::ALL {
        let called = function(&[scalar], scalar);
        let jit = one_call(&called);
        for value in extremes().into_iter().filter(|value| value.ty() == scalar) {
            let callback = |arguments: &[Scalar]| {
                assert_eq!(arguments.len(), 1);
                assert_eq!(arguments[0].ty(), scalar);
                assert_eq!(arguments[0].bits(), value.bits(), "{value:?}");
                Some(arguments[0])
            };
            let found = answer(&jit, &called, &callback, &[value]).unwrap();
            assert_eq!(found.bits(), value.bits(), "{value:?}");
        }
    }
}

#[test]
fn arguments_beyond_the_registers_pass() {
    let values: Vec<Scalar> = extremes();
    let types: Vec<ScalarType> = values.iter().map(|value| value.ty()).collect();
    let called = function(&types, I64);
    let callback = |arguments: &[Scalar]| {
        let bits = |scalars: &[Scalar]| scalars.iter().map(|s| s.bits()).collect::<Vec<_>>();
        assert_eq!(bits(arguments), bits(&values));
        Some(Scalar::I64(arguments.len() as i64))
    };
    let found = answer(&one_call(&called), &called, &callback, &values).unwrap();
    assert_eq!(found, Scalar::I64(values.len() as i64));
}

#[test]
fn a_function_of_nothing_is_called() {
    let called = function(&[], Bool);
    let found = answer(
        &one_call(&called),
        &called,
        &|_| Some(Scalar::Bool(true)),
        &[],
    );
    assert_eq!(found, Ok(Scalar::Bool(true)));
}

/// Calls `g(1)`, `h(2)`, `g(3)`, and stores the answers; `g` and `h` are of one signature.
fn three_calls() -> Jit {
    let ir = "define void @f(ptr %g, ptr %eg, ptr %h, ptr %eh, ptr %r0, ptr %r, i64, i64, i64) {
        %a = call i8 %g(ptr %eg, i32 1)
        store i8 %a, ptr %r
        %b = call i8 %h(ptr %eh, i32 2)
        %second = getelementptr i8, ptr %r, i64 1
        store i8 %b, ptr %second
        %c = call i8 %g(ptr %eg, i32 3)
        %third = getelementptr i8, ptr %r, i64 2
        store i8 %c, ptr %third
        ret void
    }";
    let called = Parameter::Function(function(&[I32], I8));
    load(
        ir,
        vec![called.clone(), called, Parameter::Result(I8, vec![3])],
    )
    .unwrap()
}

/// What [`three_calls`] leaves in its result, which starts as ones.
fn three_answers(g: &Callback<'_>, h: &Callback<'_>) -> (Result<(), RuntimeError>, Vec<i8>) {
    let mut result = Tensor::from_slice(&[3], &[1i8; 3]).unwrap();
    let outcome = three_calls().call(
        "f",
        &mut [
            Argument::Function(g),
            Argument::Function(h),
            Argument::Result(&mut result),
        ],
    );
    (outcome, result.as_slice::<i8>().unwrap().to_vec())
}

fn negated(arguments: &[Scalar]) -> Option<Scalar> {
    Some(Scalar::I8(-(arguments[0].as_integer()? as i8)))
}

#[test]
fn each_function_has_its_own_environment() {
    let ten = 10;
    let tenfold = |arguments: &[Scalar]| Some(Scalar::I8(arguments[0].as_integer()? as i8 * ten));
    let (outcome, answers) = three_answers(&negated, &tenfold);
    assert_eq!((outcome, answers), (Ok(()), vec![-1, 20, -3]));
}

#[test]
fn nothing_is_called_after_a_stop() {
    let calls = Cell::new(0);
    let counted = |_: &[Scalar]| {
        calls.set(calls.get() + 1);
        Some(Scalar::I8(7))
    };
    let (outcome, answers) = three_answers(&counted, &|_| None);
    let symbol = "f".to_string();
    assert_eq!(outcome, Err(RuntimeError::Stopped { symbol }));
    assert_eq!((calls.get(), answers), (1, vec![7, 0, 0]));
    assert_eq!(
        three_answers(&negated, &negated).0,
        Ok(()),
        "another call is not stopped"
    );
}

#[test]
fn a_panic_waits_for_the_end_of_the_body() {
    let kept = RefCell::new(Vec::new());
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut result = Tensor::from_slice(&[3], &[1i8; 3]).unwrap();
        let last = |arguments: &[Scalar]| {
            kept.borrow_mut().push(arguments[0]);
            match arguments[0] {
                Scalar::I32(1) => std::panic::panic_any("the first"),
                _ => std::panic::panic_any("another"),
            }
        };
        let mut arguments = [
            Argument::Function(&last),
            Argument::Function(&last),
            Argument::Result(&mut result),
        ];
        let _ = three_calls().call("f", &mut arguments);
    }));
    let payload = outcome.unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"the first"));
    assert_eq!(*kept.borrow(), [Scalar::I32(1)]);
}

#[test]
fn an_answer_of_another_type_is_an_error() {
    let (outcome, answers) = three_answers(&negated, &|_| Some(Scalar::F32(2.0)));
    let error = outcome.unwrap_err();
    assert_eq!(
        error.to_string(),
        "a function that `f` called is not as declared: elements of type i8 were expected, they are f32"
    );
    assert_eq!(answers, [-1, 0, 0]);
}

#[test]
fn a_function_may_run_the_body_that_called_it() {
    let called = function(&[I64], I64);
    let jit = one_call(&called);
    fn factorial(jit: &Jit, called: &FunctionSignature, n: i64) -> Option<Scalar> {
        if n <= 1 {
            return Some(Scalar::I64(1));
        }
        let below =
            |arguments: &[Scalar]| factorial(jit, called, arguments[0].as_integer()? as i64);
        let product = answer(jit, called, &below, &[Scalar::I64(n - 1)]).ok()?;
        Some(Scalar::I64(n * product.as_integer()? as i64))
    }
    assert_eq!(
        factorial(&jit, &called, 20),
        Some(Scalar::I64(2_432_902_008_176_640_000))
    );
}

#[test]
fn threads_call_each_their_own() {
    let called = function(&[F32], F32);
    let jit = one_call(&called);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (jit, called) = (&jit, &called);
            scope.spawn(move || {
                let callback = |_: &[Scalar]| Some(Scalar::F32(thread as f32));
                for _ in 0..100 {
                    let found = answer(jit, called, &callback, &[Scalar::F32(0.0)]);
                    assert_eq!(found, Ok(Scalar::F32(thread as f32)));
                }
            });
        }
    });
}

#[test]
fn what_is_no_function_does_not_fit() {
    let called = function(&[I32], I32);
    let jit = one_call(&called);
    let mut result = Tensor::zeros(I32, &[]).unwrap();
    let mut arguments = [
        Argument::Scalar(Scalar::I64(0)),
        Argument::Scalar(Scalar::I32(0)),
        Argument::Result(&mut result),
    ];
    let error = jit.call("f", &mut arguments).unwrap_err();
    let text = "argument 0 of `f` is a function (i32) -> i32, i64 was given";
    assert_eq!(error.to_string(), text);

    let identity = |arguments: &[Scalar]| Some(arguments[0]);
    arguments[0] = Argument::Function(&identity);
    arguments[1] = Argument::Function(&identity);
    let error = jit.call("f", &mut arguments).unwrap_err();
    let text = "argument 1 of `f` is i32, a function was given";
    assert_eq!(error.to_string(), text);

    let ir = "define void @f(ptr %code, i64 %environment) { ret void }";
    assert!(load(ir, vec![Parameter::Function(called)]).is_err());
}
