use std::fmt::{self, Write as _};
use std::io::Write as _;

use frontend::{Diagnostic, Note};
use interpreter::{Failure, Panic};
use mlir_backend::MlirError;
use shared_types::{SourceMap, Span};

/// Why a command did not succeed, and with it the exit status (the surface, §Commands).
#[derive(Debug)]
pub enum Fault {
    /// The program's panic; status 1.
    Panic(Box<Panic>),
    /// The program could not run to its end; status 1.
    Failed(Message),
    /// Nobody reads the output any more; status 1, and nobody to tell.
    OutputClosed,
    /// The source is wrong; status 2.
    Source(Vec<Diagnostic>),
    /// The arguments are wrong, or ask for what is not built yet; status 2.
    Wrong(Message),
    /// A fault of this compiler; status 3.
    Internal(Message),
}

/// What to say, and the place in the source that it is about.
#[derive(Debug)]
pub struct Message {
    pub span: Option<Span>,
    pub text: String,
    /// What else there is to know, where there is a place.
    pub notes: Vec<Note>,
}

const HOW_TO_REPORT: &str = "This is a fault of neuro-mlir, not of the program. Please report it: \
     send its maintainers this message, the command and the source file.";

impl Fault {
    pub fn failed(span: Option<Span>, text: impl Into<String>) -> Fault {
        Fault::Failed(Message::new(span, text))
    }

    pub fn wrong(span: Option<Span>, text: impl Into<String>) -> Fault {
        Fault::Wrong(Message::new(span, text))
    }

    pub fn internal(span: Option<Span>, text: impl Into<String>) -> Fault {
        Fault::Internal(Message::new(span, text))
    }

    /// What a backend's error is of a program that the front end took.
    pub fn of_backend(error: &MlirError) -> Fault {
        let message = error.to_string();
        match error {
            MlirError::UnsupportedType { .. }
            | MlirError::NameTaken { .. }
            | MlirError::InvalidGpuChip { .. }
            | MlirError::GpuBodiesNotLowered(_)
            | MlirError::KernelBodiesNotLowered(_) => Fault::wrong(error.span(), message),
            MlirError::GpuSerializationFailed(_) => Fault::failed(error.span(), message),
            _ => Fault::internal(error.span(), message),
        }
    }

    /// Says on standard error what happened, and gives the exit status.
    pub fn report(&self, sources: &SourceMap) -> u8 {
        // Whoever closed standard error does not want to know.
        let _ = std::io::stderr().write_all(self.text(sources).as_bytes());
        self.status()
    }

    pub(crate) fn status(&self) -> u8 {
        match self {
            Fault::Panic(_) | Fault::Failed(_) | Fault::OutputClosed => 1,
            Fault::Source(_) | Fault::Wrong(_) => 2,
            Fault::Internal(_) => 3,
        }
    }

    pub(crate) fn text(&self, sources: &SourceMap) -> String {
        match self {
            Fault::Panic(panic) => format!("{}: {panic}\n", sources.locate(panic.span)),
            Fault::Failed(message) | Fault::Wrong(message) => message.render(sources),
            Fault::OutputClosed => String::new(),
            Fault::Source(diagnostics) => {
                let each = diagnostics
                    .iter()
                    .map(|diagnostic| diagnostic.render(sources));
                each.collect()
            }
            Fault::Internal(Message { span, text, .. }) => {
                let text = format!("internal error: {text}");
                let mut rendered = Message::new(*span, text).render(sources);
                let _ = writeln!(rendered, "{HOW_TO_REPORT}");
                rendered
            }
        }
    }
}

impl Message {
    fn new(span: Option<Span>, text: impl Into<String>) -> Message {
        Message {
            span,
            text: text.into(),
            notes: Vec::new(),
        }
    }

    fn render(&self, sources: &SourceMap) -> String {
        let Some(span) = self.span else {
            return format!("error: {}\n", self.text);
        };
        let diagnostic = Diagnostic {
            notes: self.notes.clone(),
            ..Diagnostic::new(span, &self.text)
        };
        diagnostic.render(sources)
    }
}

/// What the interpreter's failure is: a host's own comes back as it went in.
impl From<Failure> for Fault {
    fn from(failure: Failure) -> Fault {
        match failure {
            Failure::Panic(panic) => Fault::Panic(panic),
            Failure::Host(error) => match error.downcast::<Fault>() {
                Ok(fault) => *fault,
                Err(error) => Fault::internal(None, error.to_string()),
            },
            Failure::Internal { span, message } => Fault::internal(Some(span), message),
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        match fault {
            Fault::Panic(panic) => Failure::Panic(panic),
            fault => Failure::Host(Box::new(fault)),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(&SourceMap::default()).trim_end())
    }
}

impl std::error::Error for Fault {}
