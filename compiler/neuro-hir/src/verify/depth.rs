use shared_types::Span;

use super::{HirError, types};
use crate::{HirExprKind, HirFunction, HirItem, HirNode, HirProgram, HirType};

/// How many nodes deep a body, and how many levels deep a type, may nest. A body's nodes are its
/// blocks, statements and expressions.
pub const MAX_DEPTH: usize = 4096;

/// A body or a type that nests deeper than [`MAX_DEPTH`] is refused.
pub(super) fn check(program: &HirProgram, errors: &mut Vec<HirError>) {
    for item in &program.items {
        match item {
            HirItem::Function(function) => check_function(function, errors),
            HirItem::Impl(block) => {
                for method in &block.methods {
                    check_function(method, errors);
                }
            }
            HirItem::Struct(item) => {
                for field in &item.fields {
                    check_type(&field.ty, item.span, errors);
                }
            }
            HirItem::Const(item) => check_body((&item.value).into(), item.span, errors),
        }
    }
}

fn check_function(function: &HirFunction, errors: &mut Vec<HirError>) {
    for local in &function.locals {
        check_type(&local.ty, local.span, errors);
    }
    check_type(&function.result, function.span, errors);
    check_body((&function.body).into(), function.span, errors);
}

fn check_body(body: HirNode<'_>, span: Span, errors: &mut Vec<HirError>) {
    let mut pending = vec![(body, 1)];
    while let Some((node, depth)) = pending.pop() {
        if depth > MAX_DEPTH {
            return errors.push(too_deep("the body", span));
        }
        if let HirNode::Expr(expr) = node {
            check_type(&expr.ty, expr.span, errors);
            if let HirExprKind::Closure(closure) = &expr.kind {
                let signature = &closure.signature;
                for ty in signature.parameters.iter().chain([&signature.result]) {
                    check_type(ty, expr.span, errors);
                }
            }
        }
        node.for_each_child(|child| pending.push((child, depth + 1)));
    }
}

fn check_type(ty: &HirType, span: Span, errors: &mut Vec<HirError>) {
    let mut pending = vec![(ty, 1)];
    while let Some((ty, depth)) = pending.pop() {
        if depth > MAX_DEPTH {
            return errors.push(too_deep("a type", span));
        }
        types::for_each_part(ty, |part, _| pending.push((part, depth + 1)));
    }
}

fn too_deep(what: &str, span: Span) -> HirError {
    HirError::new(span, format!("{what} nests deeper than {MAX_DEPTH} levels"))
}
