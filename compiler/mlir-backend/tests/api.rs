//! The public API, held to a list: a change here is a change for every user.

use expect_test::expect;

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
