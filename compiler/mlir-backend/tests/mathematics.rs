//! The mathematics is calls of the C library that the optimizer may not replace (numerics,
//! §Mathematics).

use mlir_backend::{lower_for_link, translate_to_llvm_ir};
use neuro_hir::build::{float, math, operation, pow, program};
use neuro_hir::{HirFunction, HirType, MathFunction, TensorType, Tier};
use shared_types::ScalarType::{self, F16, F32, F64};

const LIBRARY: [&str; 5] = ["exp", "log", "sin", "cos", "tanh"];

fn vector(scalar: ScalarType) -> HirType {
    TensorType::new(scalar, &[8]).into()
}

/// Each function of the library on this type, as an operation of its name.
fn functions(scalar: ScalarType) -> Vec<HirFunction> {
    let unary = MathFunction::ALL.into_iter();
    let unary = unary.filter(|function| LIBRARY.contains(&function.name()));
    let mut functions: Vec<_> = unary
        .map(|function| {
            let name = format!("{}_{scalar}", function.name());
            operation(&name, [vector(scalar)], |[a]| math(function, a))
        })
        .collect();
    let name = format!("pow_{scalar}");
    functions.push(operation(&name, [vector(scalar)], |[a]| {
        pow(a, float(2.0, scalar))
    }));
    functions
}

#[test]
fn calls_of_mathematics_are_not_builtin() {
    let all = [F16, F32, F64].into_iter().flat_map(functions);
    let program = program(Tier::Wrapping, all);
    let ir = lower_for_link(&program).unwrap().llvm_ir;
    let attributes = ir
        .lines()
        .find_map(|line| {
            line.strip_prefix("attributes ")?
                .strip_suffix(" = { nobuiltin }")
        })
        .unwrap_or_else(|| panic!("no attributes of a builtin's call:\n{ir}"));
    for name in LIBRARY.into_iter().chain(["pow"]) {
        // A half computes as an `f32`.
        for (callee, count) in [
            (format!("call float @{name}f("), 2),
            (format!("call double @{name}("), 1),
        ] {
            let calls: Vec<&str> = ir.lines().filter(|line| line.contains(&callee)).collect();
            assert_eq!(calls.len(), count, "{callee}\n{ir}");
            assert!(calls.iter().all(|call| call.ends_with(attributes)));
        }
    }
}

/// The name of the C library's function is the program's here: another function.
#[test]
fn a_program_may_have_a_function_of_the_name() {
    let mut functions = functions(F32);
    functions[0].name = "expf".into();
    let ir = translate_to_llvm_ir(&program(Tier::Wrapping, functions)).unwrap();
    assert!(ir.contains("define void @expf(ptr"), "{ir}");
    assert!(ir.contains("call float @llvm.exp.f32("), "{ir}");
    assert!(ir.contains("call float @logf("), "{ir}");
}
