//! What well-formed HIR is. Each module states its rules:
//!
//! - `depth`: how deep a body and a type may nest. It comes first, and alone: what follows, and
//!   every other stage, may recurse over what it lets through.
//! - `items`: names, structs, constants, signatures, kernels.
//! - `types`: where a type may stand.
//! - `flow`: locals are bound before they are read, bodies and branches give their value or do
//!   not end, `break` and `continue` stand in loops, and what is written may be.
//! - `statement`, `expr`, `literal`, `tensor`,
//!   `traversal`: each node's type follows from those of its parts.
//!
//! Two rules hold throughout:
//!
//! - Types agree by [`crate::HirType::agrees`]: axis names do not count. Where a value moves (a binding,
//!   an argument, a result) the types agree, and nothing is borrowed, read or cast silently; only
//!   a `&mut` may stand for a `&`.
//! - An operand of an operator, a condition and an index may stand behind references: the scalar
//!   or the tensor is read through them.

mod depth;
mod expr;
mod flow;
mod items;
mod literal;
mod statement;
mod tensor;
mod traversal;
mod types;

#[cfg(test)]
mod tests;

use std::fmt;

use shared_types::Span;

use crate::{FunctionTarget, HirLocal, HirNode, HirProgram, LocalId};
use items::Items;

pub use depth::MAX_DEPTH;

/// A rule that a program breaks, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HirError {
    pub span: Span,
    pub message: String,
}

impl HirError {
    fn new(span: Span, message: impl Into<String>) -> Self {
        HirError {
            span,
            message: message.into(),
        }
    }
}

impl fmt::Display for HirError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for HirError {}

impl HirProgram {
    /// Checks the rules of a well-formed program, and gives every breach of one.
    ///
    /// A program of any size and depth gets an answer; one that passes nests at most
    /// [`MAX_DEPTH`] deep.
    pub fn verify(&self) -> Result<(), Vec<HirError>> {
        let mut errors = Vec::new();
        depth::check(self, &mut errors);
        if errors.is_empty() {
            let items = Items::new(self, &mut errors);
            items::check(self, &items, &mut errors);
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }
}

/// What an expression may refer to.
struct Scope<'a> {
    items: &'a Items<'a>,
    locals: &'a [HirLocal],
    target: &'a FunctionTarget,
}

impl<'a> Scope<'a> {
    fn local(&self, id: LocalId) -> Result<&'a HirLocal, String> {
        self.locals.get(id.0 as usize).ok_or_else(|| {
            format!(
                "there is no local {}: the function has {}",
                id.0,
                self.locals.len()
            )
        })
    }

    /// Every statement and expression at and below `node`, each by itself.
    fn check(&self, node: HirNode<'_>, errors: &mut Vec<HirError>) {
        for node in node.descendants() {
            let (span, outcome) = match node {
                HirNode::Block(_) => continue,
                HirNode::Statement(statement) => (statement.span, self.statement(statement)),
                HirNode::Expr(expr) => (expr.span, self.expr(expr)),
            };
            if let Err(message) = outcome {
                errors.push(HirError::new(span, message));
            }
        }
    }
}
