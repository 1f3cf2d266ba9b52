//! The function of a traversal, found where the program is compiled.

use neuro_hir::{
    Callee as Called, FunctionTarget, HirBlock, HirClosure, HirExpr, HirExprKind, HirFunction,
    HirItem, HirLocal, HirNode, HirProgram, LocalId,
};
use shared_types::{ScalarType, Span};

use crate::body::{Written, computed, refused};

/// A closure or a named function over scalars.
pub(crate) struct Callee<'p> {
    /// The function whose locals its body has.
    pub owner: &'p HirFunction,
    pub parameters: Vec<LocalId>,
    /// What it reads from outside.
    pub captures: Vec<LocalId>,
    pub body: &'p HirBlock,
    pub result: ScalarType,
    /// Where it is made or named.
    pub span: Span,
}

impl<'p> Callee<'p> {
    /// What an expression in `function` is: a closure, a function's name, or a parameter that one
    /// call of `function` passes, the only one in the program.
    pub(crate) fn of(
        program: &'p HirProgram,
        function: &'p HirFunction,
        expr: &'p HirExpr,
    ) -> Written<Callee<'p>> {
        let HirExprKind::Local(LocalId(index)) = expr.kind else {
            return Callee::written(program, function, expr);
        };
        let mut uses = uses(program, &function.name);
        let index = index as usize;
        match (uses.next(), uses.next()) {
            (Some(Some((caller, arguments))), None) if index < arguments.len() => {
                Callee::written(program, caller, &arguments[index])
            }
            _ => refused(expr.span, "a function that is known when it runs only"),
        }
    }

    fn written(
        program: &'p HirProgram,
        owner: &'p HirFunction,
        expr: &'p HirExpr,
    ) -> Written<Callee<'p>> {
        let span = expr.span;
        match &expr.kind {
            HirExprKind::Closure(HirClosure {
                parameters,
                captures,
                signature,
                body,
            }) => Ok(Callee {
                owner,
                parameters: parameters.clone(),
                captures: captures.clone(),
                body,
                result: computed(&signature.result, span)?,
                span,
            }),
            HirExprKind::Function(name) => Callee::named(program, name, span),
            _ => refused(span, "a function that is known when it runs only"),
        }
    }

    /// A function of the program, by its name at `span`.
    pub(crate) fn named(program: &'p HirProgram, name: &str, span: Span) -> Written<Callee<'p>> {
        match program.function(name) {
            Some(named) if named.target == FunctionTarget::Host => Ok(Callee {
                owner: named,
                parameters: (0..named.parameters().len() as u32).map(LocalId).collect(),
                captures: Vec::new(),
                body: &named.body,
                result: computed(&named.result, span)?,
                span,
            }),
            _ => refused(span, format!("`{name}`, which is no scalar function")),
        }
    }

    /// A local of its body, and its type.
    pub(crate) fn local(&self, local: LocalId) -> Written<(&'p HirLocal, ScalarType)> {
        match self.owner.locals.get(local.0 as usize) {
            Some(local) => Ok((local, computed(&local.ty, self.span)?)),
            None => refused(self.span, "a local that is not there"),
        }
    }
}

/// A call: who calls, and the arguments.
type Call<'p> = (&'p HirFunction, &'p [HirExpr]);

/// Where a function is named: each call, and `None` where it is a value, which anyone may call.
fn uses<'p>(program: &'p HirProgram, name: &'p str) -> impl Iterator<Item = Option<Call<'p>>> {
    let functions = program.items.iter().flat_map(|item| match item {
        HirItem::Function(function) => std::slice::from_ref(function),
        HirItem::Impl(block) => &block.methods,
        HirItem::Struct(_) | HirItem::Const(_) => &[],
    });
    functions.flat_map(move |caller| {
        let nodes = HirNode::from(&caller.body).descendants();
        nodes.filter_map(move |node| match node {
            HirNode::Expr(HirExpr {
                kind:
                    HirExprKind::Call {
                        callee: Called::Function(called),
                        arguments,
                    },
                ..
            }) if called == name => Some(Some((caller, &arguments[..]))),
            HirNode::Expr(HirExpr {
                kind: HirExprKind::Function(value),
                ..
            }) if value == name => Some(None),
            HirNode::Expr(_) | HirNode::Statement(_) | HirNode::Block(_) => None,
        })
    })
}
