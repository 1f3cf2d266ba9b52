use std::collections::{HashMap, HashSet};

use crate::{HirFunction, HirLocal, LocalId};

/// The locals of a function, each by a name of its own.
#[derive(Default)]
pub(super) struct Names<'a> {
    locals: &'a [HirLocal],
    names: Vec<String>,
}

impl<'a> Names<'a> {
    /// The first local of a name keeps it, the others are numbered: `x`, `x#1`, `x#2`.
    pub(super) fn of(function: &'a HirFunction) -> Self {
        let mut taken = HashSet::new();
        let mut counts = HashMap::new();
        let unique = |local: &'a HirLocal| {
            let count = counts.entry(&local.name).or_insert(0);
            loop {
                let name = match *count {
                    0 => local.name.clone(),
                    n => format!("{}#{n}", local.name),
                };
                *count += 1;
                if taken.insert(name.clone()) {
                    return name;
                }
            }
        };
        Names {
            locals: &function.locals,
            names: function.locals.iter().map(unique).collect(),
        }
    }

    /// The name of a local, or its number where the function does not have it.
    pub(super) fn get(&self, id: LocalId) -> String {
        match self.names.get(id.0 as usize) {
            Some(name) => name.clone(),
            None => format!("#{}", id.0),
        }
    }

    /// `name: type`.
    pub(super) fn typed(&self, id: LocalId) -> String {
        match self.locals.get(id.0 as usize) {
            Some(local) => format!("{}: {}", self.get(id), local.ty),
            None => self.get(id),
        }
    }

    /// `name: type`, or `mut name: type`.
    pub(super) fn declared(&self, id: LocalId) -> String {
        format!(
            "{}{}",
            if self.mutable(id) { "mut " } else { "" },
            self.typed(id)
        )
    }

    pub(super) fn mutable(&self, id: LocalId) -> bool {
        self.locals
            .get(id.0 as usize)
            .is_some_and(|local| local.mutable)
    }

    /// The declared locals with commas between.
    pub(super) fn list(&self, ids: impl IntoIterator<Item = LocalId>) -> String {
        let names: Vec<_> = ids.into_iter().map(|id| self.declared(id)).collect();
        names.join(", ")
    }
}
