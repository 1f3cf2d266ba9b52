//! The wiring of melior itself, without HIR (backend specification, §Entry points).

use melior::ir::Module;
use mlir_pipeline::Session;

/// A verified `func.func @neuro_smoke` with an `arith.addi` body, as text.
pub(crate) fn smoke_module() -> String {
    let session = Session::new("smoke").unwrap();
    let text = "func.func @neuro_smoke(%a: i32, %b: i32) -> i32 {
        %sum = arith.addi %a, %b : i32
        return %sum : i32
    }";
    let module = Module::parse(session.context(), text).unwrap();
    session.verify(&module).unwrap();
    module.as_operation().to_string()
}

#[test]
fn melior_is_wired() {
    let text = smoke_module();
    assert!(text.contains("func.func @neuro_smoke"), "{text}");
    assert!(text.contains("arith.addi"), "{text}");
}
