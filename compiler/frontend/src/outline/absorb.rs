use std::collections::BTreeMap;

use neuro_hir::{
    HirBlock, HirExpr, HirExprKind, HirLocal, HirNode, HirPattern, HirStatement, HirStatementKind,
    HirType, LocalId,
};

use super::parts::{self, Part};
use super::run::{Operand, for_each_leaf, is_root, operation_of};

/// Where a binding goes: with a root of a later statement of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Absorbed {
    pub statement: usize,
    pub root: usize,
}

/// How often each local of a function is read.
pub(super) fn uses(body: &HirBlock) -> BTreeMap<LocalId, usize> {
    let mut uses = BTreeMap::new();
    for node in HirNode::from(body).descendants() {
        if let HirNode::Expr(expr) = node {
            if let HirExprKind::Local(id) = expr.kind {
                *uses.entry(id).or_insert(0) += 1;
            }
            if let HirExprKind::Closure(closure) = &expr.kind {
                for &id in &closure.captures {
                    *uses.entry(id).or_insert(0) += 1;
                }
            }
        }
    }
    uses
}

/// The bindings that go with a root: those directly before its statement that only it reads. The
/// block's value is its last statement.
pub(super) fn plan(
    block: &mut HirBlock,
    locals: &[HirLocal],
    uses: &BTreeMap<LocalId, usize>,
) -> Vec<Option<Absorbed>> {
    let count = block.statements.len();
    let mut plan = vec![None; count];
    let mut end = count + usize::from(block.value.is_some());
    while end > 0 {
        let statement = end - 1;
        let mut roots = match (block.statements.get_mut(statement), &mut block.value) {
            (Some(statement), _) => roots_of_statement(statement),
            (None, Some(value)) => roots_of_value(value),
            (None, None) => Vec::new(),
        };
        end = statement;
        while let Some(before) = end.checked_sub(1) {
            let Some(root) = taker(&mut block.statements[before], &mut roots, locals, uses) else {
                break;
            };
            plan[before] = Some(Absorbed { statement, root });
            end = before;
        }
    }
    plan
}

/// How often a root reads each local as an operand.
type Reads = BTreeMap<LocalId, usize>;

/// A binding moves past what its statement evaluates before: nothing there may write.
fn roots_of_statement(statement: &mut HirStatement) -> Vec<Reads> {
    if may_write(HirNode::from(&*statement)) {
        return Vec::new();
    }
    let mut roots = Vec::new();
    parts::of_statement(statement, &mut |part| roots.extend(reads_of(part)));
    roots
}

fn roots_of_value(value: &mut HirExpr) -> Vec<Reads> {
    if may_write(HirNode::from(&*value)) {
        return Vec::new();
    }
    let mut roots = Vec::new();
    parts::of_expr(value, &mut |part| roots.extend(reads_of(part)));
    roots
}

fn reads_of(part: Part<'_>) -> Option<Reads> {
    match part {
        Part::Root(root) => {
            let mut reads = Reads::new();
            add_reads(root, &mut reads);
            Some(reads)
        }
        Part::Later(_) | Part::Block(_) => None,
    }
}

fn add_reads(root: &mut HirExpr, reads: &mut Reads) {
    for_each_leaf(operation_of(root), false, &mut |leaf, operand| {
        if operand == Operand::Tensor
            && let Some(id) = read_local(leaf)
        {
            *reads.entry(id).or_insert(0) += 1;
        }
    });
}

/// The local that an operand is, owned or borrowed.
pub(super) fn read_local(leaf: &HirExpr) -> Option<LocalId> {
    let place = if let HirExprKind::Borrow {
        mutable: false,
        operand,
    } = &leaf.kind
    {
        operand
    } else {
        leaf
    };
    if let HirExprKind::Local(id) = place.kind {
        Some(id)
    } else {
        None
    }
}

/// The root that takes the binding, whose own reads are then added to it.
fn taker(
    statement: &mut HirStatement,
    roots: &mut [Reads],
    locals: &[HirLocal],
    uses: &BTreeMap<LocalId, usize>,
) -> Option<usize> {
    if may_write(HirNode::from(&*statement)) {
        return None;
    }
    let HirStatementKind::Bind { pattern, value } = &mut statement.kind else {
        return None;
    };
    let ids = match pattern {
        HirPattern::Local(id) => std::slice::from_ref(id),
        HirPattern::Tuple(ids) => ids,
    };
    let mutable = ids.iter().any(|id| locals[id.0 as usize].mutable);
    if mutable || !is_root(value) {
        return None;
    }
    let used = |id: &LocalId| uses.get(id).copied().unwrap_or(0);
    let root = roots.iter().position(|reads| {
        let all_here = |id: &LocalId| reads.get(id).copied().unwrap_or(0) == used(id);
        ids.iter().all(all_here) && ids.iter().any(|id| used(id) > 0)
    })?;
    add_reads(value, &mut roots[root]);
    Some(root)
}

/// Whether what stands within a node may change a local: a `&mut` is taken or handed on, or a
/// block assigns. A statement's own assignment comes last, and does not count.
pub(super) fn may_write(node: HirNode<'_>) -> bool {
    let within = match node {
        HirNode::Expr(_) => 0,
        HirNode::Statement(_) | HirNode::Block(_) => 1,
    };
    node.descendants().skip(within).any(|node| match node {
        HirNode::Statement(statement) => matches!(
            statement.kind,
            HirStatementKind::Assign { .. } | HirStatementKind::CompoundAssign { .. }
        ),
        HirNode::Expr(expr) => hands_on_mut(expr),
        HirNode::Block(_) => false,
    })
}

fn hands_on_mut(expr: &HirExpr) -> bool {
    if let HirExprKind::Call { arguments, .. } = &expr.kind {
        let is_mut = |ty: &HirType| matches!(ty, HirType::Reference { mutable: true, .. });
        arguments.iter().any(|argument| is_mut(&argument.ty))
    } else {
        matches!(expr.kind, HirExprKind::Borrow { mutable: true, .. })
    }
}
