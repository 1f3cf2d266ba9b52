use interpreter::{Panic, PanicKind};
use neuro_hir::{HirFunction, HirNode, HirStatementKind, HirType};
use shared_types::Span;
use tensor::{Tensor, TensorError};

/// The panic of a body for which `error` says that it has no memory: at the operation where the
/// interpreter has none, or where the result is made if each operation has its own.
pub fn out_of_memory(function: &HirFunction, error: TensorError) -> Panic {
    let whole = || Panic::new(result_span(function), PanicKind::Memory(error));
    first_without(function).unwrap_or_else(whole)
}

/// The panic of the first operation, in the order of evaluation, whose result has no memory.
pub fn first_without(function: &HirFunction) -> Option<Panic> {
    let (span, error) = within(HirNode::from(&function.body))?;
    Some(Panic::new(span, PanicKind::Memory(error)))
}

fn within(node: HirNode<'_>) -> Option<(Span, TensorError)> {
    let mut first = None;
    node.for_each_child(|child| first = first.take().or_else(|| within(child)));
    let (HirNode::Expr(expr), None) = (node, &first) else {
        return first;
    };
    // What a place names is there already.
    if expr.place().is_some() {
        return None;
    }
    let parts = match &expr.ty {
        HirType::Tuple(members) => members,
        ty => std::slice::from_ref(ty),
    };
    let error = parts.iter().find_map(unavailable)?;
    Some((expr.span, error))
}

/// Why no tensor of the type can be had.
fn unavailable(ty: &HirType) -> Option<TensorError> {
    let HirType::Tensor(tensor) = ty else {
        return None;
    };
    let shape = tensor.static_extents()?;
    Tensor::zeros(tensor.scalar()?, &shape).err()
}

/// The operation that gives a function's result.
fn result_span(function: &HirFunction) -> Span {
    if let Some(value) = &function.body.value {
        return value.span;
    }
    match function.body.statements.last() {
        Some(last) => match &last.kind {
            HirStatementKind::Return(Some(value)) => value.span,
            _ => last.span,
        },
        None => function.span,
    }
}
