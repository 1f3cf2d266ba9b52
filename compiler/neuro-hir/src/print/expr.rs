use ast_types::UnaryOp;
use shared_types::Literal;

use super::names::Names;
use super::{Piece, Pieces, list, tensor, wrap};
use crate::{
    Callee, GridIndex, HirBlock, HirClosure, HirExpr, HirExprKind, HirPattern, HirStatement,
    HirStatementKind, HirType,
};

pub(super) fn block(block: &HirBlock) -> Pieces<'_> {
    if block.statements.is_empty() && block.value.is_none() {
        return vec!["{}".into()];
    }
    let mut pieces = vec!["{".into(), Piece::Indent];
    for statement in &block.statements {
        pieces.extend([Piece::Line, Piece::Statement(statement)]);
    }
    if let Some(value) = &block.value {
        pieces.extend([Piece::Line, Piece::Expr(value)]);
    }
    pieces.extend([Piece::Outdent, Piece::Line, "}".into()]);
    pieces
}

pub(super) fn statement<'a>(statement: &'a HirStatement, names: &Names<'a>) -> Pieces<'a> {
    match &statement.kind {
        HirStatementKind::Bind { pattern, value } => {
            let pattern = match pattern {
                HirPattern::Local(id) if names.mutable(*id) => names.declared(*id),
                HirPattern::Local(id) => format!("val {}", names.declared(*id)),
                HirPattern::Tuple(ids) => format!("val ({})", names.list(ids.iter().copied())),
            };
            vec![format!("{pattern} = ").into(), Piece::Expr(value)]
        }
        HirStatementKind::Assign { place, value } => {
            vec![Piece::Expr(place), " = ".into(), Piece::Expr(value)]
        }
        HirStatementKind::CompoundAssign { op, place, value } => {
            let op = format!(" {op}= ");
            vec![Piece::Expr(place), op.into(), Piece::Expr(value)]
        }
        HirStatementKind::Expr(expr) => vec![Piece::Expr(expr), ";".into()],
        HirStatementKind::While { condition, body } => vec![
            "while ".into(),
            Piece::Expr(condition),
            " ".into(),
            Piece::Block(body),
        ],
        HirStatementKind::Loop { body } => vec!["loop ".into(), Piece::Block(body)],
        HirStatementKind::For {
            local,
            start,
            end,
            inclusive,
            body,
        } => vec![
            format!("for {} in ", names.declared(*local)).into(),
            Piece::Operand(start),
            if *inclusive { "..=" } else { ".." }.into(),
            Piece::Operand(end),
            " ".into(),
            Piece::Block(body),
        ],
        HirStatementKind::Break => vec!["break".into()],
        HirStatementKind::Continue => vec!["continue".into()],
        HirStatementKind::Return(None) => vec!["return".into()],
        HirStatementKind::Return(Some(value)) => vec!["return ".into(), Piece::Expr(value)],
    }
}

pub(super) fn expr<'a>(expr: &'a HirExpr, names: &Names<'a>) -> Pieces<'a> {
    match &expr.kind {
        HirExprKind::Literal(value) => vec![literal(value, &expr.ty).into()],
        HirExprKind::Local(id) => vec![names.get(*id).into()],
        HirExprKind::Constant(name) | HirExprKind::Function(name) => {
            vec![format!("::{name}").into()]
        }
        HirExprKind::Closure(closure) => self::closure(closure, names),
        HirExprKind::Unary { op, operand } => unary(*op, operand),
        HirExprKind::Binary { op, left, right } => vec![
            Piece::Operand(left),
            format!(" {op} ").into(),
            Piece::Operand(right),
        ],
        HirExprKind::Cast(operand) => {
            vec![Piece::Operand(operand), format!(" as {}", expr.ty).into()]
        }
        HirExprKind::Math { function, operand } => {
            vec![
                Piece::Operand(operand),
                format!(".{}()", function.name()).into(),
            ]
        }
        HirExprKind::Pow { base, exponent } => vec![
            Piece::Operand(base),
            ".pow(".into(),
            Piece::Expr(exponent),
            ")".into(),
        ],
        HirExprKind::Call { callee, arguments } => {
            let mut pieces = match callee {
                Callee::Function(name) => vec![name.as_str().into()],
                Callee::Method { owner, name } => vec![format!("{owner}::{name}").into()],
                Callee::Value(value) => vec!["(".into(), Piece::Expr(value), ")".into()],
            };
            pieces.extend(wrap("(", list(arguments), ")"));
            pieces
        }
        HirExprKind::Borrow { mutable, operand } => {
            let sigil = if *mutable { "&mut " } else { "&" };
            vec![sigil.into(), Piece::Operand(operand)]
        }
        HirExprKind::Block(block) => vec![Piece::Block(block)],
        HirExprKind::If {
            condition,
            then,
            otherwise,
        } => {
            let mut pieces = vec![
                "if ".into(),
                Piece::Expr(condition),
                " ".into(),
                Piece::Block(then),
            ];
            if let Some(otherwise) = otherwise {
                pieces.extend([" else ".into(), Piece::Block(otherwise)]);
            }
            pieces
        }
        HirExprKind::Tuple(members) => wrap(
            "(",
            list(members),
            if members.len() == 1 { ",)" } else { ")" },
        ),
        HirExprKind::TupleMember { operand, index } => {
            vec![Piece::Operand(operand), format!(".{index}").into()]
        }
        HirExprKind::Struct(values) => wrap(format!("{} {{ ", expr.ty), list(values), " }"),
        HirExprKind::Field { operand, name } => {
            vec![Piece::Operand(operand), format!(".{name}").into()]
        }
        HirExprKind::Print(values) => wrap("print(", list(values), ")"),
        HirExprKind::GridIndex { of, axis } => vec![grid_index(*of, *axis).into()],
        HirExprKind::CheckedPosition {
            position,
            axis,
            extent,
        } => vec![
            "checked(".into(),
            Piece::Expr(position),
            format!(", axis: {axis}, extent: {extent})").into(),
        ],
        HirExprKind::Tensor(op) => tensor::operation(op, &expr.ty),
    }
}

/// `expr`, in parentheses unless it is a name, a literal, or ends in brackets or a suffix.
pub(super) fn operand(expr: &HirExpr) -> Pieces<'_> {
    let whole = match &expr.kind {
        HirExprKind::Literal(value) => !is_negative(value),
        HirExprKind::Local(_)
        | HirExprKind::Constant(_)
        | HirExprKind::Function(_)
        | HirExprKind::Math { .. }
        | HirExprKind::Pow { .. }
        | HirExprKind::Call { .. }
        | HirExprKind::Tuple(_)
        | HirExprKind::TupleMember { .. }
        | HirExprKind::Struct(_)
        | HirExprKind::Field { .. }
        | HirExprKind::Print(_)
        | HirExprKind::GridIndex { .. }
        | HirExprKind::CheckedPosition { .. }
        | HirExprKind::Tensor(_) => true,
        HirExprKind::Closure(_)
        | HirExprKind::Unary { .. }
        | HirExprKind::Binary { .. }
        | HirExprKind::Cast(_)
        | HirExprKind::Borrow { .. }
        | HirExprKind::Block(_)
        | HirExprKind::If { .. } => false,
    };
    if whole {
        vec![Piece::Expr(expr)]
    } else {
        vec!["(".into(), Piece::Expr(expr), ")".into()]
    }
}

/// A literal with its type; `-1i32` is a literal, `-(1i32)` its negation.
fn unary(op: UnaryOp, operand: &HirExpr) -> Pieces<'_> {
    if let HirExprKind::Literal(_) = operand.kind {
        vec![format!("{op}(").into(), Piece::Expr(operand), ")".into()]
    } else {
        vec![op.symbol().into(), Piece::Operand(operand)]
    }
}

fn literal(value: &Literal, ty: &HirType) -> String {
    match value {
        Literal::Integer(_) | Literal::Float(_) => format!("{value}{ty}"),
        Literal::Bool(_) | Literal::Char(_) | Literal::String(_) => value.to_string(),
    }
}

fn is_negative(value: &Literal) -> bool {
    match value {
        Literal::Integer(value) => *value < 0,
        Literal::Float(value) => value.is_sign_negative(),
        Literal::Bool(_) | Literal::Char(_) | Literal::String(_) => false,
    }
}

fn closure<'a>(closure: &'a HirClosure, names: &Names<'a>) -> Pieces<'a> {
    let parameters = names.list(closure.parameters.iter().copied());
    let captures: Vec<_> = closure.captures.iter().map(|&id| names.get(id)).collect();
    let result = &closure.signature.result;
    let mut header = format!("|{parameters}| ");
    if !captures.is_empty() {
        header += &format!("[{}] ", captures.join(", "));
    }
    if *result != HirType::Void {
        header += &format!("-> {result} ");
    }
    vec![header.into(), Piece::Block(&closure.body)]
}

fn grid_index(of: GridIndex, axis: usize) -> String {
    let of = match of {
        GridIndex::Thread => "thread_id",
        GridIndex::Block => "block_id",
    };
    match ["x", "y", "z"].get(axis) {
        Some(axis) => format!("{of}.{axis}"),
        None => format!("{of}.{axis}"),
    }
}
