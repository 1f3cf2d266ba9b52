//! The mathematics stays calls that the optimizer may not replace (numerics, §Mathematics).

use mlir_backend::lower_for_link;
use neuro_hir::build::{float, math, operation, pow, program};
use neuro_hir::{HirType, MathFunction, TensorType, Tier};
use shared_types::ScalarType::F32;

#[test]
fn calls_of_mathematics_are_not_builtin() {
    let ty = || HirType::from(TensorType::new(F32, &[8]));
    let library = ["exp", "log", "sin", "cos", "tanh"];
    let mut functions: Vec<_> = MathFunction::ALL
        .into_iter()
        .filter(|function| library.contains(&function.name()))
        .map(|function| operation(function.name(), [ty()], |[a]| math(function, a)))
        .collect();
    functions.push(operation("pow", [ty()], |[a]| pow(a, float(2.0, F32))));
    let ir = lower_for_link(&program(Tier::Wrapping, functions))
        .unwrap()
        .llvm_ir;
    let attributes = ir
        .lines()
        .find_map(|line| {
            line.strip_prefix("attributes ")?
                .strip_suffix(" = { nobuiltin }")
        })
        .unwrap_or_else(|| panic!("no attributes of a builtin's call:\n{ir}"));
    for name in library.into_iter().chain(["pow"]) {
        let call = ir
            .lines()
            .find(|line| line.contains(&format!("call float @llvm.{name}.f32")))
            .unwrap_or_else(|| panic!("no call of {name}:\n{ir}"));
        assert!(call.ends_with(attributes), "{call}");
    }
}
