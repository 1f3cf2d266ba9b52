use std::collections::BTreeMap;

use neuro_hir::{
    HirBlock, HirExpr, HirExprKind, HirLocal, HirNode, HirPattern, HirStatement, HirStatementKind,
    LocalId,
};

use super::effects::{keeps_its_place, may_act, may_write, traverses};
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
        let mut takers = match (block.statements.get_mut(statement), &mut block.value) {
            (Some(statement), _) => Takers::of_statement(statement),
            (None, Some(value)) => Takers::of_value(value),
            (None, None) => Takers::default(),
        };
        end = statement;
        while let Some(before) = end.checked_sub(1) {
            let Some(root) = takers.take(&mut block.statements[before], locals, uses) else {
                break;
            };
            plan[before] = Some(Absorbed { statement, root });
            end = before;
        }
    }
    plan
}

/// The roots of a statement, which take bindings before it.
#[derive(Default)]
struct Takers {
    roots: Vec<Taker>,
    /// Whether scalar code of the statement, or of a binding that was taken, may be noticed.
    acts: bool,
    /// Nothing is taken.
    closed: bool,
}

struct Taker {
    /// How often it reads each local as an operand.
    reads: Reads,
    traverses: bool,
}

type Reads = BTreeMap<LocalId, usize>;

impl Takers {
    fn of_statement(statement: &mut HirStatement) -> Takers {
        let mut takers = Takers::within(HirNode::from(&*statement));
        parts::of_statement(statement, &mut |part| takers.add(part));
        takers
    }

    fn of_value(value: &mut HirExpr) -> Takers {
        let mut takers = Takers::within(HirNode::from(&*value));
        parts::of_expr(value, &mut |part| takers.add(part));
        takers
    }

    /// A binding moves past what its statement evaluates before: nothing there may write.
    fn within(node: HirNode<'_>) -> Takers {
        Takers {
            roots: Vec::new(),
            acts: may_act(node),
            closed: may_write(node),
        }
    }

    fn add(&mut self, part: Part<'_>) {
        if let Part::Root(root) = part {
            self.closed |= keeps_its_place(operation_of(root));
            let mut reads = Reads::new();
            add_reads(root, &mut reads);
            let traverses = traverses(HirNode::from(&*root));
            self.roots.push(Taker { reads, traverses });
        }
    }

    /// The root that takes the binding, whose own reads are then added to it.
    fn take(
        &mut self,
        statement: &mut HirStatement,
        locals: &[HirLocal],
        uses: &BTreeMap<LocalId, usize>,
    ) -> Option<usize> {
        if self.closed || may_write(HirNode::from(&*statement)) {
            return None;
        }
        let acts = may_act(HirNode::from(&*statement));
        let traverses = traverses(HirNode::from(&*statement));
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
        let root = self.roots.iter().position(|Taker { reads, .. }| {
            let all_here = |id: &LocalId| reads.get(id).copied().unwrap_or(0) == used(id);
            ids.iter().all(all_here) && ids.iter().any(|id| used(id) > 0)
        })?;
        // What a function that is called does comes where it stands: before the scalar code after
        // it, although an operation's scalars are all evaluated before its body.
        let mut roots = self.roots.iter().enumerate();
        let passes_a_traversal = roots.any(|(at, other)| at != root && other.traverses);
        if traverses && (acts || self.acts) || (traverses || acts) && passes_a_traversal {
            return None;
        }
        add_reads(value, &mut self.roots[root].reads);
        self.roots[root].traverses |= traverses;
        self.acts |= acts;
        Some(root)
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
