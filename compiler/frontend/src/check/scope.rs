use std::collections::HashMap;

use neuro_hir::LocalId;

/// What the names of a body mean, innermost last.
#[derive(Default)]
pub(super) struct Scope {
    names: Vec<String>,
    meanings: HashMap<String, Vec<Binding>>,
}

/// A name's meaning in a body.
#[derive(Clone, Copy)]
pub(super) enum Binding {
    Local(LocalId),
    /// Its value has a fault, which is reported: its uses are not.
    Unknown,
}

impl Scope {
    pub fn declare(&mut self, name: String, binding: Binding) {
        self.meanings.entry(name.clone()).or_default().push(binding);
        self.names.push(name);
    }

    /// How many names are visible, hidden ones included.
    pub fn depth(&self) -> usize {
        self.names.len()
    }

    /// Ends what was declared since the scope had this depth.
    pub fn leave(&mut self, depth: usize) {
        for name in self.names.drain(depth..) {
            if let Some(meanings) = self.meanings.get_mut(&name) {
                meanings.pop();
            }
        }
    }

    pub fn lookup(&self, name: &str) -> Option<Binding> {
        self.meanings.get(name)?.last().copied()
    }
}
