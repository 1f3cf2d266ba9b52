//! Errors are values, one variant a stage, with the source that they are about.

use ast_types::BinaryOp::Add;
use mlir_backend::{MlirError, lower_for_link, lower_program, translate_to_llvm_ir};
use neuro_hir::build::{binary, operation, program};
use neuro_hir::{HirFunction, HirType, TensorType, Tier};
use shared_types::{FileId, ScalarType::F32, Span};

/// A module is verified before its text is returned.
#[test]
fn a_name_that_stands_twice_fails_the_verifier() {
    let ty = HirType::from(TensorType::new(F32, &[2]));
    let double = |start| HirFunction {
        span: Span::new(FileId(3), start, start + 6),
        ..operation("double", [ty.clone()], |[a]| binary(Add, a.clone(), a))
    };
    let program = program(Tier::Checked, [double(10), double(50)]);
    let errors = [
        lower_program(&program).unwrap_err(),
        translate_to_llvm_ir(&program).unwrap_err(),
        lower_for_link(&program).unwrap_err(),
    ];
    for error in errors {
        assert!(
            matches!(error, MlirError::ModuleVerificationFailed(_)),
            "{error}"
        );
        assert_eq!(error.span(), Some(Span::new(FileId(3), 50, 56)));
        assert!(error.to_string().contains("double"), "{error}");
    }
}
