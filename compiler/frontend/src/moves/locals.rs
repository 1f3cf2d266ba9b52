use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

use neuro_hir::LocalId;

/// What is known of some locals. A copy shares everything until it changes, and then copies a page
/// of it: a branch costs what it changes, however much is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Locals<V> {
    pages: Rc<BTreeMap<u32, Rc<Page<V>>>>,
}

type Page<V> = BTreeMap<LocalId, V>;

const LOCALS_A_PAGE: u32 = 64;

impl<V> Default for Locals<V> {
    fn default() -> Self {
        Locals {
            pages: Rc::default(),
        }
    }
}

impl<V: Clone> Locals<V> {
    pub fn get(&self, local: LocalId) -> Option<&V> {
        self.pages.get(&number(local))?.get(&local)
    }

    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.pages.values().flat_map(|page| page.values())
    }

    /// What is known of the local, to be changed.
    pub fn entry(&mut self, local: LocalId) -> Entry<'_, LocalId, V> {
        let page = Rc::make_mut(&mut self.pages).entry(number(local));
        Rc::make_mut(page.or_default()).entry(local)
    }

    pub fn remove(&mut self, local: LocalId) -> Option<V> {
        self.get(local)?;
        let pages = Rc::make_mut(&mut self.pages);
        let page = Rc::make_mut(pages.get_mut(&number(local))?);
        let removed = page.remove(&local);
        if page.is_empty() {
            pages.remove(&number(local));
        }
        removed
    }

    /// Adds what the other ones have; `both` joins what the two have of one local.
    pub fn join(&mut self, other: &Locals<V>, both: impl Fn(&mut V, &V)) {
        if Rc::ptr_eq(&self.pages, &other.pages) {
            return;
        }
        let pages = Rc::make_mut(&mut self.pages);
        for (&number, more) in other.pages.iter() {
            let page = match pages.entry(number) {
                Entry::Vacant(entry) => {
                    entry.insert(more.clone());
                    continue;
                }
                Entry::Occupied(entry) => entry.into_mut(),
            };
            if Rc::ptr_eq(page, more) {
                continue;
            }
            let page = Rc::make_mut(page);
            for (&local, value) in more.iter() {
                match page.entry(local) {
                    Entry::Vacant(entry) => {
                        entry.insert(value.clone());
                    }
                    Entry::Occupied(mut entry) => both(entry.get_mut(), value),
                }
            }
        }
    }
}

fn number(local: LocalId) -> u32 {
    local.0 / LOCALS_A_PAGE
}
