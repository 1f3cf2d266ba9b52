use shared_types::{ScalarType, Span};

use crate::{BinaryOp, Block, Name, TensorShape, Type, UnaryOp};

/// An expression and its place.
///
/// It knows its height, so that a parser can bound it: who walks the tree recurses as deep.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    height: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Number(Number),
    Bool(bool),
    Char(char),
    String(String),
    Name(String),
    /// `Tensor::scalar`, `Tensor::<f32, [2]>::zeros`, `Device::GPU`, `Layer::new`.
    Path {
        owner: Name,
        generics: Option<TensorShape>,
        member: Name,
    },
    Tuple(Vec<Expr>),
    /// `[a, b]`
    Array(Vec<Expr>),
    StructLiteral {
        name: Name,
        fields: Vec<FieldValue>,
    },
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Cast {
        operand: Box<Expr>,
        ty: Type,
    },
    Borrow {
        mutable: bool,
        operand: Box<Expr>,
    },
    /// `a..b`, `a..=b`, `..`
    Range {
        start: Option<Box<Expr>>,
        end: Option<Box<Expr>>,
        inclusive: bool,
    },
    Call {
        callee: Box<Expr>,
        arguments: Vec<Argument>,
    },
    MethodCall {
        receiver: Box<Expr>,
        method: Name,
        arguments: Vec<Argument>,
    },
    /// `point.x`
    Field {
        operand: Box<Expr>,
        field: Name,
    },
    /// `pair.0`
    TupleMember {
        operand: Box<Expr>,
        index: usize,
    },
    Index {
        operand: Box<Expr>,
        entries: Vec<Expr>,
    },
    /// `if`, its `elif`s in order, and `else`.
    If {
        branches: Vec<(Expr, Block)>,
        otherwise: Option<Block>,
    },
    Block(Block),
    Closure(Box<Closure>),
}

/// A number as written. A float keeps its digits: who knows its type rounds them, once.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    Integer {
        value: u128,
        suffix: Option<ScalarType>,
    },
    /// Digits as Rust's `f64` reads them.
    Float {
        digits: String,
        suffix: Option<ScalarType>,
    },
}

/// An argument of a call; `axis: 1` has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub name: Option<Name>,
    pub value: Expr,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FieldValue {
    pub name: Name,
    pub value: Expr,
}

/// `|x: f32| -> f32 { … }`, or `|x: f32| …`
#[derive(Clone, Debug, PartialEq)]
pub struct Closure {
    pub parameters: Vec<ClosureParameter>,
    pub result: Option<Type>,
    pub body: Expr,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ClosureParameter {
    pub name: Name,
    pub ty: Option<Type>,
}

impl Expr {
    pub fn new(kind: ExprKind, span: Span) -> Self {
        let height = kind.height();
        Expr { kind, span, height }
    }

    /// The levels of expressions below this one; 0 for a leaf.
    pub fn height(&self) -> u32 {
        self.height
    }
}

impl ExprKind {
    fn height(&self) -> u32 {
        match self {
            ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::String(_)
            | ExprKind::Name(_)
            | ExprKind::Path { .. } => 0,
            ExprKind::Tuple(members) | ExprKind::Array(members) => above(members),
            ExprKind::StructLiteral { fields, .. } => above(fields.iter().map(|f| &f.value)),
            ExprKind::Unary { operand, .. }
            | ExprKind::Cast { operand, .. }
            | ExprKind::Borrow { operand, .. }
            | ExprKind::Field { operand, .. }
            | ExprKind::TupleMember { operand, .. } => 1 + operand.height,
            ExprKind::Binary { left, right, .. } => 1 + left.height.max(right.height),
            ExprKind::Range { start, end, .. } => above(start.iter().chain(end).map(|e| &**e)),
            ExprKind::Call { callee, arguments } => above_call(callee, arguments),
            ExprKind::MethodCall {
                receiver,
                arguments,
                ..
            } => above_call(receiver, arguments),
            ExprKind::Index { operand, entries } => above(entries).max(1 + operand.height),
            // An `elif` nests in the branch before it once it is lowered.
            ExprKind::If {
                branches,
                otherwise,
            } => {
                let branch = |(at, (condition, body)): (usize, &(Expr, Block))| {
                    at as u32 + body.height().max(1 + condition.height)
                };
                let highest = branches.iter().enumerate().map(branch).max().unwrap_or(0);
                let elifs = branches.len().saturating_sub(1) as u32;
                let last = otherwise.as_ref().map_or(0, |body| elifs + body.height());
                highest.max(last)
            }
            ExprKind::Block(block) => block.height(),
            ExprKind::Closure(closure) => 1 + closure.body.height,
        }
    }
}

/// The height of what holds `children`.
fn above<'a>(children: impl IntoIterator<Item = &'a Expr>) -> u32 {
    1 + children.into_iter().map(Expr::height).max().unwrap_or(0)
}

fn above_call(callee: &Expr, arguments: &[Argument]) -> u32 {
    above(arguments.iter().map(|argument| &argument.value)).max(1 + callee.height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Statement, StatementKind};

    fn leaf() -> Expr {
        Expr::new(ExprKind::Bool(true), Span::default())
    }

    fn block(value: Expr) -> Block {
        Block {
            statements: Vec::new(),
            value: Some(Box::new(value)),
            span: Span::default(),
        }
    }

    #[test]
    fn height_is_the_longest_way_down() {
        let not = |operand| {
            let kind = ExprKind::Unary {
                op: UnaryOp::Not,
                operand: Box::new(operand),
            };
            Expr::new(kind, Span::default())
        };
        assert_eq!(leaf().height(), 0);
        let pair = ExprKind::Tuple(vec![leaf(), not(not(leaf()))]);
        assert_eq!(Expr::new(pair, Span::default()).height(), 3);
        assert_eq!(block(not(leaf())).height(), 2);
    }

    #[test]
    fn every_elif_is_a_level() {
        let chain = |branches: usize| {
            let kind = ExprKind::If {
                branches: (0..branches).map(|_| (leaf(), block(leaf()))).collect(),
                otherwise: Some(block(leaf())),
            };
            Expr::new(kind, Span::default()).height()
        };
        assert_eq!(chain(10) - chain(3), 7);
    }

    #[test]
    fn statements_count_in_their_block() {
        let mut outer = block(leaf());
        let kind = StatementKind::Loop(block(leaf()));
        outer.statements.push(Statement {
            kind,
            span: Span::default(),
        });
        assert_eq!(outer.height(), 2);
    }
}
