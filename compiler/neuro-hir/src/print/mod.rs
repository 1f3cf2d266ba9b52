//! HIR as text: stable, and different for different programs. Spans are left out, and so are the
//! types that follow from what is printed.
//!
//! It reads as source does, but for what source leaves open: `::name` is a constant or a function
//! as a value, `(f)(x)` calls a function value, `x#1` is the second local of that name, `t.slice`
//! takes a slice where `t[i]` reads an element, and an expression whose value is dropped ends in
//! `;`.

mod expr;
mod item;
mod names;
mod tensor;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use crate::{HirBlock, HirExpr, HirFunction, HirProgram, HirStatement};
use names::Names;

impl fmt::Display for HirProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, item::program(self))
    }
}

impl fmt::Display for HirFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, vec![Piece::Function(self), Piece::Line])
    }
}

/// A part of the text. A node becomes the pieces that it is made of when its turn comes, so
/// however deep it nests, it is written without recursion.
enum Piece<'a> {
    Text(Cow<'a, str>),
    /// The end of a line, and the next one's indentation.
    Line,
    Indent,
    Outdent,
    Function(&'a HirFunction),
    Block(&'a HirBlock),
    Statement(&'a HirStatement),
    Expr(&'a HirExpr),
    /// An expression inside another one: in parentheses where it would not hold together.
    Operand(&'a HirExpr),
}

type Pieces<'a> = Vec<Piece<'a>>;

impl<'a, T: Into<Cow<'a, str>>> From<T> for Piece<'a> {
    fn from(text: T) -> Self {
        Piece::Text(text.into())
    }
}

fn write(f: &mut fmt::Formatter<'_>, mut pending: Pieces<'_>) -> fmt::Result {
    let mut names = Names::default();
    let mut indent = 0;
    let mut at_line_start = true;
    pending.reverse();
    while let Some(piece) = pending.pop() {
        let parts = match piece {
            Piece::Text(text) => {
                if std::mem::take(&mut at_line_start) {
                    write!(f, "{:1$}", "", 4 * indent)?;
                }
                f.write_str(&text)?;
                continue;
            }
            Piece::Line => {
                f.write_str("\n")?;
                at_line_start = true;
                continue;
            }
            Piece::Indent => {
                indent += 1;
                continue;
            }
            Piece::Outdent => {
                indent -= 1;
                continue;
            }
            Piece::Function(function) => {
                names = Names::of(function);
                item::function(function, &names)
            }
            Piece::Block(block) => expr::block(block),
            Piece::Statement(statement) => expr::statement(statement, &names),
            Piece::Expr(expr) => expr::expr(expr, &names),
            Piece::Operand(expr) => expr::operand(expr),
        };
        pending.extend(parts.into_iter().rev());
    }
    Ok(())
}

/// The expressions with commas between.
fn list<'a>(exprs: impl IntoIterator<Item = &'a HirExpr>) -> Pieces<'a> {
    let mut pieces = Vec::new();
    for expr in exprs {
        if !pieces.is_empty() {
            pieces.push(", ".into());
        }
        pieces.push(Piece::Expr(expr));
    }
    pieces
}

/// `open`, the pieces, `close`.
fn wrap<'a>(
    open: impl Into<Cow<'a, str>>,
    pieces: Pieces<'a>,
    close: impl Into<Cow<'a, str>>,
) -> Pieces<'a> {
    let mut wrapped = vec![open.into().into()];
    wrapped.extend(pieces);
    wrapped.push(close.into().into());
    wrapped
}
