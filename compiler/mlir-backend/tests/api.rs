//! The public API, held to a list: a change here is a change for every user.

use ast_types::BinaryOp;
use expect_test::expect;
use mlir_backend::{GpuTarget, MlirError};
use neuro_hir::build::{binary, operation, program};
use neuro_hir::{HirType, TensorType, Tier};
use shared_types::ScalarType;

#[test]
fn the_public_api_is_this() {
    let source = include_str!("../src/lib.rs");
    let public = source
        .lines()
        .filter(|line| line.trim_start().starts_with("pub "))
        .map(|line| line.trim_end_matches('{').trim_end())
        .collect::<Vec<_>>()
        .join("\n");
    expect![[r#"
        pub mod internal;
        pub use mlir_lowering::{BodyParameter, Check, CheckKind};
        pub use mlir_pipeline::{Failure, MlirError, NotLowered};
        pub fn lower_program(program: &HirProgram) -> Result<String, MlirError>
        pub fn translate_to_llvm_ir(program: &HirProgram) -> Result<String, MlirError>
        pub fn lower_for_link(program: &HirProgram) -> Result<LinkableBodies, MlirError>
        pub fn lower_for_gpu(
        pub enum GpuTarget
        pub struct LinkableBodies
            pub llvm_ir: String,
            pub bodies: Vec<LinkableBody>,
        pub struct LinkableBody
            pub function: String,
            pub symbol: String,
            pub parameters: Vec<BodyParameter>,
            pub checks: Vec<Check>,"#]]
    .assert_eq(&public);
}

/// The lines of README.md, §In a compiler.
#[test]
fn the_readmes_example_runs() -> Result<(), MlirError> {
    let vector = HirType::from(TensorType::new(ScalarType::F32, &[8]));
    let double = operation("double", [vector], |[a]| {
        binary(BinaryOp::Add, a.clone(), a)
    });
    let hir = program(Tier::Checked, [double]);

    let text: String = mlir_backend::lower_program(&hir)?;
    assert!(text.contains("func.func @double("), "{text}");
    let ir: String = mlir_backend::translate_to_llvm_ir(&hir)?;
    assert!(ir.contains("define void @double("), "{ir}");
    let bodies = mlir_backend::lower_for_link(&hir)?;
    let bodies = bodies.bodies.iter();
    let computes: Vec<String> = bodies
        .map(|body| format!("{} computes {}", body.symbol, body.function))
        .collect();
    assert_eq!(computes, ["__neuro_mlir_double computes double"]);
    let chip = "sm_90".into();
    match mlir_backend::lower_for_gpu(&hir, &GpuTarget::Nvidia { chip }) {
        // Host operations have no kernels.
        Ok(kernels) => assert_eq!(kernels.llvm_ir, ""),
        Err(error) => panic!("{:?}: {error}", error.span()),
    }
    Ok(())
}
