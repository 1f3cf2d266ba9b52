use interpreter::{Panic, PanicKind};
use mlir_backend::CheckKind;
use mlir_backend::internal::Body;
use neuro_hir::HirFunction;

use crate::Fault;

/// The status word of a call in which nothing failed.
pub const NOTHING_FAILED: u64 = u64::MAX;

/// What the status word that a body left says of its run.
pub(super) fn passed(function: &HirFunction, body: &Body, status: u64) -> Result<(), Fault> {
    if status == NOTHING_FAILED {
        return Ok(());
    }
    Err(match decode(status, body) {
        Some(panic) => Fault::Panic(Box::new(panic)),
        None => {
            let text = format!("`{}` left the status word {status:#x}", body.symbol);
            Fault::internal(Some(function.span), text)
        }
    })
}

/// The panic that a status word stands for; `None` for a word that the body cannot have written
/// (numerics, §Integer checks).
pub fn decode(word: u64, body: &Body) -> Option<Panic> {
    let check = usize::try_from(word & 0xfff).ok()?.checked_sub(1)?;
    let position = word >> 12 & ((1 << 40) - 1);
    let operation = usize::try_from(word >> 52).ok()?;
    let check = body.checks.get(check)?;
    let space = body.spaces.get(operation)?;
    let operator = check.operator;
    let kind = match check.kind {
        CheckKind::Overflow => PanicKind::Overflow { operator },
        CheckKind::ZeroDivisor => PanicKind::ZeroDivisor { operator },
    };
    let folded: u64 = space.folded.iter().product();
    let element = position.checked_div(folded)?;
    Some(Panic {
        element: Some(unravel(element, &space.result)?),
        ..Panic::new(check.span, kind)
    })
}

/// The index of a row-major position.
pub(super) fn unravel(mut position: u64, extents: &[u64]) -> Option<Vec<u64>> {
    let mut index = vec![0; extents.len()];
    for (at, &extent) in index.iter_mut().zip(extents).rev() {
        *at = position.checked_rem(extent)?;
        position /= extent;
    }
    (position == 0).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ast_types::BinaryOp;
    use mlir_backend::Check;
    use mlir_backend::internal::IterationSpace;
    use shared_types::{FileId, Span};

    fn body() -> Body {
        let span = Span::new(FileId(0), 4, 9);
        let check = |operation, operator, kind| Check {
            operation,
            operator,
            kind,
            span,
        };
        Body {
            function: "f".into(),
            symbol: "__neuro_mlir_f".into(),
            parameters: Vec::new(),
            checks: vec![
                check(0, BinaryOp::Mul, CheckKind::Overflow),
                check(1, BinaryOp::Div, CheckKind::ZeroDivisor),
            ],
            spaces: vec![
                IterationSpace {
                    result: vec![2, 3],
                    folded: vec![5],
                },
                IterationSpace {
                    result: vec![],
                    folded: vec![],
                },
            ],
            contractions: vec![],
            traversals: Vec::new(),
            function_pointers: Vec::new(),
            has_result: true,
        }
    }

    #[test]
    fn a_word_names_the_element() {
        let at = (3 + 2) * 5 + 4;
        let word = at << 12 | 1;
        let panic = decode(word, &body()).unwrap();
        assert_eq!(
            panic.to_string(),
            "panic: integer overflow in `*` at element [1, 2]"
        );
        let panic = decode(1 << 52 | 2, &body()).unwrap();
        assert_eq!(panic.to_string(), "panic: division by zero in `/`");
    }

    #[test]
    fn a_word_that_nobody_writes_is_none() {
        for word in [0, 3, 2 << 52 | 1, 30 << 12 | 1, NOTHING_FAILED] {
            assert_eq!(decode(word, &body()), None, "{word:x}");
        }
    }
}
