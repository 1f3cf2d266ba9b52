//! Each rule with cases that hold it and cases that break it.

mod depth;
mod expr;
mod flow;
mod items;
mod statement;
mod tensor;
mod types;

use ast_types::{BinaryOp, UnaryOp};
use shared_types::{Literal, ScalarType, Span};

use super::MAX_DEPTH;
use crate::build::{self, FunctionBuilder, binary, borrow, float, integer, local, unary};
use crate::*;
use ScalarType::{Bool, Char, F16, F32, F64, I8, I32, I64, U8};

const VALID: &str = "";

fn program(function: HirFunction) -> HirProgram {
    build::program(Tier::Checked, [function])
}

/// The program breaks these rules, in this order, and no others.
#[track_caller]
fn assert_errors(program: &HirProgram, expected: &[&str]) {
    let errors = program.verify().err().unwrap_or_default();
    let messages: Vec<_> = errors.iter().map(HirError::to_string).collect();
    assert_eq!(messages, expected, "{program}");
}

/// Each expression, evaluated in a host function of [`parameters`], breaks the rule beside it.
#[track_caller]
fn assert_exprs(cases: impl IntoIterator<Item = (HirExpr, &'static str)>) {
    assert_statements(
        cases
            .into_iter()
            .map(|(expr, expected)| (HirStatementKind::Expr(expr), expected)),
    );
}

/// Each statement, in a host function of [`parameters`], breaks the rule beside it.
#[track_caller]
fn assert_statements(cases: impl IntoIterator<Item = (HirStatementKind, &'static str)>) {
    for (statement, expected) in cases {
        let expected: &[&str] = match expected {
            VALID => &[],
            _ => &[expected],
        };
        assert_errors(&program(host([statement])), expected);
    }
}

/// A host function of [`parameters`].
fn host(statements: impl IntoIterator<Item = HirStatementKind>) -> HirFunction {
    let mut function = FunctionBuilder::new("f", FunctionTarget::Host);
    for (name, ty) in parameters() {
        function.parameter(name, ty);
    }
    statements
        .into_iter()
        .for_each(|statement| function.push(statement));
    function.finish(None)
}

/// What the cases read, by [`p`].
fn parameters() -> Vec<(&'static str, HirType)> {
    let unknown = TensorType::with_extents(F32, [Extent::Dynamic, Extent::Static(3)]);
    let pair = HirType::Tuple(vec![I32.into(), F32.into()]);
    vec![
        ("b", Bool.into()),
        ("c", Char.into()),
        ("i", I32.into()),
        ("j", I64.into()),
        ("u", U8.into()),
        ("h", F16.into()),
        ("x", F32.into()),
        ("s", HirType::String),
        ("rx", HirType::reference(false, F32.into())),
        ("pair", pair),
        ("f32f32", function([F32.into()], F32)),
        ("f32f32f32", function([F32.into(), F32.into()], F32)),
        ("owned", tensor(F32, &[2, 3])),
        ("t23", reference(F32, &[2, 3])),
        ("t34", reference(F32, &[3, 4])),
        ("t3", reference(F32, &[3])),
        ("t0", reference(F32, &[])),
        ("t03", reference(F32, &[0, 3])),
        ("i23", reference(I32, &[2, 3])),
        ("u23", reference(U8, &[2, 3])),
        ("b23", reference(Bool, &[2, 3])),
        ("c23", reference(Char, &[2, 3])),
        ("t?3", HirType::reference(false, unknown.into())),
        ("m23", HirType::reference(true, tensor(F32, &[2, 3]))),
    ]
}

/// A parameter by name.
fn p(name: &str) -> HirExpr {
    let found = parameters()
        .into_iter()
        .enumerate()
        .find(|(_, (n, _))| *n == name);
    let (index, (_, ty)) = found.expect("a parameter's name");
    local(LocalId(index as u32), ty)
}

fn tensor(element: ScalarType, extents: &[u64]) -> HirType {
    TensorType::new(element, extents).into()
}

fn reference(element: ScalarType, extents: &[u64]) -> HirType {
    HirType::reference(false, tensor(element, extents))
}

fn function<const N: usize>(parameters: [HirType; N], result: impl Into<HirType>) -> HirType {
    HirType::Function(Box::new(FunctionType {
        parameters: parameters.into(),
        result: result.into(),
    }))
}

fn boolean(value: bool) -> HirExpr {
    build::expr(HirExprKind::Literal(Literal::Bool(value)), Bool)
}

fn boxed(name: &str) -> Box<HirExpr> {
    Box::new(p(name))
}

/// The same expression, stated to have another type.
fn stated(mut expr: HirExpr, ty: impl Into<HirType>) -> HirExpr {
    expr.ty = ty.into();
    expr
}
