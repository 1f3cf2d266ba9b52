use std::collections::{BTreeMap, BTreeSet};

use neuro_hir::{
    HirExpr, HirExprKind, HirFunction, HirLocal, HirPattern, HirStatementKind, HirType, LocalId,
    TensorType,
};
use shared_types::{Literal, ScalarType};

use super::absorb::read_local;
use super::run::{Operand, for_each_leaf, is_operation, is_root, operation_of, placeholder};

/// Whether the whole body is a run of bindings to tensor operations, closed by one: what they
/// take are parameters, earlier bindings and literals.
pub(super) fn is_run(function: &mut HirFunction, literals: &BTreeMap<String, Literal>) -> bool {
    let parameters_fit = function
        .parameters()
        .iter()
        .all(|p| may_be_parameter(&p.ty));
    let assigns = assigned_parameter(function).is_some();
    if !parameters_fit || !assigns && !may_be_result(&function.result) {
        return false;
    }
    let mut known: BTreeSet<LocalId> = (0..function.parameter_count as u32).map(LocalId).collect();
    let locals = std::mem::take(&mut function.locals);
    let mut roots = Vec::new();
    let mut assigned = None;
    let mut fits = true;
    let is_last_value = function.body.value.is_some();
    let count = function.body.statements.len();
    for (at, statement) in function.body.statements.iter_mut().enumerate() {
        match &mut statement.kind {
            HirStatementKind::Bind { pattern, value } => roots.push((bound(pattern), value)),
            HirStatementKind::Return(Some(value)) if !is_last_value && at + 1 == count => {
                fits &= is_operation(value);
                roots.push((Vec::new(), value));
            }
            HirStatementKind::CompoundAssign { value, .. } if assigns && at + 1 == count => {
                match is_root(value) {
                    true => roots.push((Vec::new(), value)),
                    false => assigned = Some(value),
                }
            }
            _ => fits = false,
        }
    }
    match &mut function.body.value {
        Some(value) => {
            fits &= is_operation(value);
            roots.push((Vec::new(), value));
        }
        None if assigns => {}
        None => fits &= matches!(roots.last(), Some((bound, _)) if bound.is_empty()),
    }
    for (bound, root) in roots {
        fits = fits && is_root(root) && bound.iter().all(|id| !locals[id.0 as usize].mutable);
        if !fits {
            break;
        }
        for_each_leaf(operation_of(root), false, &mut |leaf, operand| {
            fits &= leaf_fits(leaf, operand, &known, literals);
        });
        known.extend(bound);
    }
    if let Some(value) = assigned {
        fits &= leaf_fits(value, Operand::Tensor, &known, literals);
    }
    function.locals = locals;
    fits
}

/// The compound assignment of a `&mut` tensor parameter that the body ends in: which statement it
/// is, and its value.
pub(super) fn assigned_parameter(function: &HirFunction) -> Option<(usize, &HirExpr)> {
    let body = &function.body;
    let (last, before) = body.statements.split_last()?;
    let HirStatementKind::CompoundAssign { place, value, .. } = &last.kind else {
        return None;
    };
    let HirExprKind::Local(LocalId(id)) = place.kind else {
        return None;
    };
    let parameter = function.parameters().get(id as usize)?;
    let is_target = matches!(parameter.ty, HirType::Reference { mutable: true, .. })
        && parameter.ty.as_tensor().is_some();
    (is_target && body.value.is_none()).then_some((before.len(), value))
}

/// Numbers, `bool`, static tensors of them, owned or borrowed, and functions of numbers and bools (backend
/// specification, §Linking into a compile).
pub(super) fn may_be_parameter(ty: &HirType) -> bool {
    match ty {
        HirType::Scalar(scalar) => scalar.is_element(),
        HirType::Tensor(tensor) => is_operand(tensor),
        HirType::Reference { target, .. } => target.as_tensor().is_some_and(is_operand),
        HirType::Function(signature) => signature.element_types().is_some(),
        HirType::Void | HirType::Tuple(_) | HirType::String | HirType::Nominal(_) => false,
    }
}

pub(super) fn is_operand(tensor: &TensorType) -> bool {
    tensor.scalar().is_some_and(ScalarType::is_element) && tensor.elements().is_some()
}

fn may_be_result(ty: &HirType) -> bool {
    match ty {
        HirType::Tensor(_) => true,
        HirType::Tuple(members) => members.iter().all(|m| matches!(m, HirType::Tensor(_))),
        HirType::Void
        | HirType::Scalar(_)
        | HirType::Reference { .. }
        | HirType::Function(_)
        | HirType::String
        | HirType::Nominal(_) => false,
    }
}

fn leaf_fits(
    leaf: &HirExpr,
    operand: Operand,
    known: &BTreeSet<LocalId>,
    literals: &BTreeMap<String, Literal>,
) -> bool {
    // Only its caller could check a position.
    if let Operand::Position { .. } = operand {
        return false;
    }
    if let HirExprKind::Literal(_) = leaf.kind {
        return true;
    }
    if let HirExprKind::Constant(name) = &leaf.kind {
        return literals.contains_key(name);
    }
    read_local(leaf).is_some_and(|id| known.contains(&id))
}

fn bound(pattern: &HirPattern) -> Vec<LocalId> {
    match pattern {
        HirPattern::Local(id) => vec![*id],
        HirPattern::Tuple(ids) => ids.clone(),
    }
}

/// Constants become literals, and a binding to the one element of an operation binds the tensor
/// of rank 0 itself: the body is tensors throughout.
pub(super) fn normalize(function: &mut HirFunction, literals: &BTreeMap<String, Literal>) {
    let locals = &mut function.locals;
    let finish_leaf = |leaf: &mut HirExpr, locals: &[HirLocal]| {
        if let HirExprKind::Constant(name) = &leaf.kind
            && let Some(value) = literals.get(name)
        {
            leaf.kind = HirExprKind::Literal(value.clone());
        }
        if let HirExprKind::Local(id) = leaf.kind {
            leaf.ty = locals[id.0 as usize].ty.clone();
        }
    };
    let finish = |root: &mut HirExpr, locals: &[HirLocal]| {
        for_each_leaf(operation_of(root), false, &mut |leaf, _| {
            finish_leaf(leaf, locals);
        });
    };
    for statement in &mut function.body.statements {
        match &mut statement.kind {
            HirStatementKind::Bind { pattern, value } => {
                finish(value, locals);
                if !is_operation(value) {
                    bind_tensor(pattern, value, locals);
                }
            }
            HirStatementKind::CompoundAssign { value, .. } if is_root(value) => {
                finish(value, locals);
                *value = take_operation(value);
            }
            HirStatementKind::CompoundAssign { value, .. } => finish_leaf(value, locals),
            HirStatementKind::Return(Some(value)) => finish(value, locals),
            _ => {}
        }
    }
    if let Some(value) = &mut function.body.value {
        finish(value, locals);
    }
}

/// `val m = t.sum()` binds the tensor of rank 0.
pub(super) fn bind_tensor(pattern: &HirPattern, value: &mut HirExpr, locals: &mut [HirLocal]) {
    let tensor = take_operation(value);
    if let HirPattern::Local(id) = pattern {
        locals[id.0 as usize].ty = tensor.ty.clone();
    }
    *value = tensor;
}

fn take_operation(root: &mut HirExpr) -> HirExpr {
    std::mem::replace(operation_of(root), placeholder())
}
