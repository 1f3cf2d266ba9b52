//! What of a program a library for C does not have.

use mlir_backend::internal::{GpuLinked, Refusal};
use neuro_hir::{Callee, FunctionTarget, HirExprKind, HirFunction, HirItem, HirNode, HirProgram};
use shared_types::SourceMap;

use crate::output::note;

/// Notes on standard error each function of the source that the library lacks, and why; and each
/// operation that was not lowered for the GPU.
pub fn report(program: &HirProgram, gpu: &GpuLinked, sources: &SourceMap) {
    let report_one = |name: &str, function: &HirFunction| {
        let on_gpu = gpu.bodies.iter().any(|body| body.function == function.name);
        if let Some(reason) = reason(program, function).filter(|_| !on_gpu) {
            let place = sources.locate(function.span);
            note(&format_args!(
                "{place}: note: `{name}` is not in the library: {reason}"
            ));
        }
    };
    for item in &program.items {
        match item {
            HirItem::Function(function) => report_one(&function.name, function),
            HirItem::Impl(block) => {
                for method in &block.methods {
                    let name = format!("{}.{}", block.owner, method.name);
                    report_one(&name, method);
                }
            }
            HirItem::Struct(_) | HirItem::Const(_) => {}
        }
    }
    report_refused(&gpu.refused, "GPU ", sources);
}

/// Notes on standard error each operation that was not lowered, and why.
pub fn report_refused(refused: &[Refusal], kind: &str, sources: &SourceMap) {
    for Refusal { function, .. } in refused {
        let (place, name) = (sources.locate(function.span), &function.name);
        let reason = &function.reason;
        note(&format_args!(
            "{place}: note: `{name}` has no {kind}body: {reason}"
        ));
    }
}

fn reason(program: &HirProgram, function: &HirFunction) -> Option<String> {
    match function.target {
        FunctionTarget::HostOperation
        | FunctionTarget::FollowsOperands
        | FunctionTarget::Gpu { fallback: true } => None,
        FunctionTarget::Gpu { fallback: false } => {
            Some("it is a `@gpu` function without `fallback: true`".to_string())
        }
        FunctionTarget::Kernel { .. } => Some("it is a kernel".to_string()),
        FunctionTarget::Host => Some(match &operations(program, function)[..] {
            [] => "its body has no tensor operation".to_string(),
            operations => format!(
                "its body has other code than tensor operations; these are there as {}",
                operations.join(", ")
            ),
        }),
    }
}

/// The operations that a function's body calls.
fn operations(program: &HirProgram, function: &HirFunction) -> Vec<String> {
    let mut names = Vec::new();
    for node in HirNode::from(&function.body).descendants() {
        if let HirNode::Expr(expr) = node
            && let HirExprKind::Call { callee, .. } = &expr.kind
            && let Callee::Function(name) = callee
            && let Some(called) = program.function(name)
            && called.target.is_outlined()
        {
            let name = format!("`{name}`");
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}
