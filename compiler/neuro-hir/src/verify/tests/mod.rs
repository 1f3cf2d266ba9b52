//! One well-formed and one ill-formed case of each rule.

mod depth;

use ast_types::{BinaryOp, UnaryOp};
use shared_types::{Literal, ScalarType};

use super::MAX_DEPTH;
use crate::build::{self, FunctionBuilder};
use crate::*;

fn program(function: HirFunction) -> HirProgram {
    build::program(Tier::Checked, [function])
}

fn boolean(value: bool) -> HirExpr {
    build::expr(HirExprKind::Literal(Literal::Bool(value)), ScalarType::Bool)
}

/// The program breaks these rules, in this order, and no others.
#[track_caller]
fn assert_errors(program: &HirProgram, expected: &[&str]) {
    let errors = program.verify().err().unwrap_or_default();
    let messages: Vec<_> = errors.iter().map(HirError::to_string).collect();
    assert_eq!(messages, expected);
}
