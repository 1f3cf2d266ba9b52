//! `NEURO_MLIR_DUMP`: the stages of a compile as files. A test binary of its own, since it sets a
//! variable of the process.

use ast_types::BinaryOp::Add;
use mlir_backend::lower_for_link;
use neuro_hir::build::{binary, operation, program};
use neuro_hir::{HirProgram, HirType, TensorType, Tier};
use shared_types::ScalarType::F32;

#[test]
fn stages_are_written_or_the_compile_fails() {
    let folder = std::env::temp_dir().join(format!("neuro-dump-{}", std::process::id()));
    let plain = lower_for_link(&sum()).unwrap();
    dump_to(&folder);
    assert_eq!(lower_for_link(&sum()).unwrap(), plain);
    let files = |folder| {
        let mut names: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let compiles = files(folder.clone());
    assert_eq!(compiles, ["000-link"]);
    let stages = files(folder.join("000-link"));
    assert_eq!(stages[0], "00-after-lowering.mlir");
    assert!(
        stages.contains(&"03-after-bufferize.mlir".to_string()),
        "{stages:?}"
    );
    assert_eq!(stages.last().unwrap(), "module.ll");
    std::fs::remove_dir_all(&folder).unwrap();

    std::fs::write(&folder, "no folder").unwrap();
    let error = lower_for_link(&sum()).unwrap_err().to_string();
    std::fs::remove_file(&folder).unwrap();
    assert!(error.contains("NEURO_MLIR_DUMP"), "{error}");
}

fn sum() -> HirProgram {
    let ty = || HirType::from(TensorType::new(F32, &[4]));
    program(
        Tier::Checked,
        [operation("f", [ty(), ty()], |[a, b]| binary(Add, a, b))],
    )
}

fn dump_to(folder: &std::path::Path) {
    // SAFETY: the only test of this binary, so no other thread reads the environment.
    unsafe { std::env::set_var("NEURO_MLIR_DUMP", folder) };
}
