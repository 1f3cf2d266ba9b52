//! Programs as deep as the front end lets through, on the small stack of a test's thread.

use ast_types::BinaryOp::Add;
use mlir_backend::lower_for_link;
use neuro_hir::build::{binary, operation, program};
use neuro_hir::{HirType, TensorType, Tier};
use shared_types::ScalarType::F32;

#[test]
fn a_deep_expression_lowers() {
    let ty = HirType::from(TensorType::new(F32, &[4]));
    let f = operation("f", [ty], |[a]| {
        (0..1000).fold(a.clone(), |sum, _| binary(Add, sum, a.clone()))
    });
    let linked = lower_for_link(&program(Tier::Wrapping, [f])).unwrap();
    assert_eq!(linked.bodies.len(), 1);
    assert!(
        !linked.llvm_ir.contains("malloc"),
        "a chain fuses into one loop"
    );
}
