use crate::Diagnostic;

/// The fault is reported already: whoever can go on without the part does.
#[derive(Debug)]
pub(crate) struct Failed;

pub(crate) type Checked<T> = Result<T, Failed>;

/// The faults of a program, as they are found.
#[derive(Default)]
pub(crate) struct Faults {
    found: Vec<Diagnostic>,
}

impl Faults {
    pub fn report(&mut self, fault: Diagnostic) -> Failed {
        self.found.push(fault);
        Failed
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// In source order, each once.
    pub fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.found
            .sort_by(|a, b| (a.span, &a.message).cmp(&(b.span, &b.message)));
        self.found.dedup();
        self.found
    }
}
