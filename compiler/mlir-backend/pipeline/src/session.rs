use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;

use melior::Context;
use melior::diagnostic::{Diagnostic, DiagnosticSeverity};
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use melior::ir::operation::OperationLike;
use melior::utility::{register_all_dialects, register_all_llvm_translations, register_all_passes};
use shared_types::Span;

use crate::dump::Dump;
use crate::location::location_span;
use crate::{Failure, MlirError};

/// One compile: an MLIR context of its own whose diagnostics are kept instead of printed. Several
/// may run at once in several threads; what MLIR registers globally is registered once.
pub struct Session {
    context: Context,
    errors: Rc<RefCell<Vec<Reported>>>,
    pub(crate) dump: Option<Dump>,
}

/// The message of a diagnostic, its notes included, and the source it speaks of.
type Reported = (String, Option<Span>);

/// What the builders make directly; passes and the parser load what else they need.
const DIALECTS: &[&str] = &[
    "affine",
    "arith",
    "bufferization",
    "func",
    "linalg",
    "llvm",
    "math",
    "memref",
    "scf",
    "tensor",
];

impl Session {
    /// `name` names the compile's folder among the dumps.
    pub fn new(name: &str) -> Result<Self, MlirError> {
        register_all_passes();
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        // A pool of threads for each compile costs more than it gives at this size of module.
        let context = Context::new_with_registry(&registry, false);
        register_all_llvm_translations(&context);
        for dialect in DIALECTS {
            context.get_or_load_dialect(dialect);
        }
        let errors = Rc::new(RefCell::new(Vec::new()));
        let sink = Rc::clone(&errors);
        context.attach_diagnostic_handler(move |diagnostic| {
            if matches!(diagnostic.severity(), DiagnosticSeverity::Error) {
                let span = location_span(diagnostic.location());
                sink.borrow_mut().push((with_notes(&diagnostic), span));
            }
            true
        });
        Ok(Session {
            context,
            errors,
            dump: Dump::from_environment(name)?,
        })
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Whether an error was reported since the last [`Session::take_failure`].
    pub fn has_errors(&self) -> bool {
        !self.errors.borrow().is_empty()
    }

    /// What was reported so far, or `otherwise` where a stage failed without a word.
    pub fn take_failure(&self, otherwise: &str) -> Failure {
        let errors = self.errors.take();
        let Some(&(_, first)) = errors.first() else {
            return Failure::new(otherwise);
        };
        let span = errors.iter().find_map(|&(_, span)| span).or(first);
        let messages: Vec<String> = errors.into_iter().map(|(message, _)| message).collect();
        Failure {
            message: messages.join("; "),
            span,
        }
    }

    /// Writes the module as it is after a step, where `NEURO_MLIR_DUMP` asks for it.
    pub fn dump_after(&self, step: &str, module: &Module<'_>) -> Result<(), MlirError> {
        match &self.dump {
            Some(dump) => dump.after(step, &module.as_operation().to_string()),
            None => Ok(()),
        }
    }

    /// Runs MLIR's verifier over a module that a builder made.
    pub fn verify(&self, module: &Module<'_>) -> Result<(), MlirError> {
        if module.as_operation().verify() && !self.has_errors() {
            return Ok(());
        }
        let failure = self.take_failure("the verifier refused it");
        Err(MlirError::ModuleVerificationFailed(failure))
    }
}

fn with_notes(diagnostic: &Diagnostic<'_>) -> String {
    let notes = (0..diagnostic.note_count()).filter_map(|index| diagnostic.note(index).ok());
    notes.fold(text_of(diagnostic), |text, note| {
        format!("{text} ({})", text_of(&note))
    })
}

/// MLIR's text, up to what is no UTF-8 in it.
fn text_of(diagnostic: &Diagnostic<'_>) -> String {
    let mut text = String::new();
    match write!(text, "{diagnostic}") {
        Ok(()) => text,
        Err(_) => text + "…",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_are_kept() {
        let session = Session::new("test").unwrap();
        let text = "module { func.func @f() -> i32 { return } }";
        assert!(Module::parse(session.context(), text).is_none());
        let failure = session.take_failure("silence");
        assert!(failure.message.contains("operands"), "{failure}");
        assert!(!session.has_errors());
        assert_eq!(session.take_failure("silence").message, "silence");
    }
}
