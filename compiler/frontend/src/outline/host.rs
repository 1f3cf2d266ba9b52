use std::collections::BTreeMap;

use neuro_hir::{
    HirBlock, HirExpr, HirFunction, HirItem, HirLocal, HirStatement, HirStatementKind, LocalId,
};

use super::Program;
use super::absorb::{Absorbed, plan, uses};
use super::operation::{Operation, Outlined};
use super::parts::{self, Part};
use super::run::{is_root, placeholder};

/// The body of a host function as its operations are taken out.
pub(super) struct Host<'p> {
    program: &'p mut Program,
    prefix: String,
    next_name: usize,
    locals: Vec<HirLocal>,
    uses: BTreeMap<LocalId, usize>,
    made: &'p mut Vec<HirItem>,
}

/// Bindings on their way to the roots of a statement, by the root's number.
type Bindings = BTreeMap<usize, Vec<HirStatement>>;

impl<'p> Host<'p> {
    pub fn new(
        program: &'p mut Program,
        prefix: &str,
        function: &HirFunction,
        made: &'p mut Vec<HirItem>,
    ) -> Self {
        Host {
            program,
            prefix: prefix.to_string(),
            next_name: 0,
            locals: function.locals.clone(),
            uses: uses(&function.body),
            made,
        }
    }

    pub fn body(mut self, function: &mut HirFunction) {
        self.block(&mut function.body);
    }

    fn block(&mut self, block: &mut HirBlock) {
        let plan = plan(block, &self.locals, &self.uses);
        let mut waiting: BTreeMap<usize, Bindings> = BTreeMap::new();
        let statements = std::mem::take(&mut block.statements);
        let value_at = statements.len();
        for (at, mut statement) in statements.into_iter().enumerate() {
            if let Some(Absorbed {
                statement: to,
                root,
            }) = plan[at]
            {
                let bindings = waiting.entry(to).or_default();
                bindings.entry(root).or_default().push(statement);
                continue;
            }
            self.statement(&mut statement, waiting.remove(&at).unwrap_or_default());
            block.statements.push(statement);
        }
        if let Some(value) = &mut block.value {
            self.expr(value, waiting.remove(&value_at).unwrap_or_default());
        }
    }

    fn statement(&mut self, statement: &mut HirStatement, mut bindings: Bindings) {
        let mut root = 0;
        if let HirStatementKind::CompoundAssign { op, place, value } = &mut statement.kind
            && place.ty.as_tensor().is_some()
        {
            // The value is the first root where it is one.
            let mut taken = Vec::new();
            if is_root(value) {
                taken = bindings.remove(&root).unwrap_or_default();
                root += 1;
            }
            let assignment = (
                *op,
                std::mem::replace(place, placeholder()),
                std::mem::replace(value, placeholder()),
            );
            let (name, target) = (self.made_name(), self.program.target.clone());
            let operation = Operation::new(&self.locals, taken);
            let outlined = operation.compound_assign(name, target, assignment, statement.span);
            statement.kind = HirStatementKind::Expr(self.keep(outlined));
        }
        parts::of_statement(statement, &mut |part| {
            self.part(part, &mut root, &mut bindings)
        });
    }

    fn expr(&mut self, expr: &mut HirExpr, mut bindings: Bindings) {
        let mut root = 0;
        parts::of_expr(expr, &mut |part| self.part(part, &mut root, &mut bindings));
    }

    fn part(&mut self, part: Part<'_>, root: &mut usize, bindings: &mut Bindings) {
        match part {
            Part::Root(expr) => {
                let bindings = bindings.remove(root).unwrap_or_default();
                *root += 1;
                self.outline(expr, bindings);
            }
            Part::Later(expr) => self.expr(expr, Bindings::new()),
            Part::Block(block) => self.block(block),
        }
    }

    fn outline(&mut self, expr: &mut HirExpr, bindings: Vec<HirStatement>) {
        let root = std::mem::replace(expr, placeholder());
        let (name, target) = (self.made_name(), self.program.target.clone());
        let outlined = Operation::new(&self.locals, bindings).value(name, target, root);
        *expr = self.keep(outlined);
    }

    /// The call, its function being kept for the program.
    fn keep(&mut self, outlined: Outlined) -> HirExpr {
        self.made.push(HirItem::Function(outlined.function));
        outlined.call
    }

    fn made_name(&mut self) -> String {
        self.program.made_name(&self.prefix, &mut self.next_name)
    }
}
