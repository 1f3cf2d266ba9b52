use std::collections::{BTreeMap, BTreeSet};

use ast_types::{Const, ItemKind, Module, Name, Struct, TypeAlias};
use neuro_hir::{FunctionTarget, HirConst, HirField, HirLocal, HirType};
use shared_types::{Literal, ScalarType, Span};

use crate::Diagnostic;
use crate::faults::{Failed, Faults};

/// Names that the language has itself.
const BUILT_IN: [&str; 7] = [
    "Tensor",
    "Device",
    "string",
    "print",
    "einsum",
    "thread_id",
    "block_id",
];

/// What the module declares. Types and constants refer to each other in any order, so each is
/// resolved where it is first asked for.
pub(super) struct Items<'a> {
    pub aliases: BTreeMap<&'a str, (&'a TypeAlias, Lazy<HirType>)>,
    pub constants: BTreeMap<&'a str, (&'a Const, Lazy<Constant>)>,
    /// Constants as they are resolved: each after those that it needs.
    pub resolved_constants: Vec<HirConst>,
    pub structs: BTreeMap<&'a str, &'a Struct>,
    pub fields: BTreeMap<&'a str, Vec<HirField>>,
    /// A function, or a method by `Owner.name`; `None` where its signature has a fault.
    pub signatures: BTreeMap<String, Option<Signature>>,
    pub declared_functions: BTreeSet<&'a str>,
    /// How deep in aliases and constants the resolution is.
    pub depth: u32,
    pub faults: Faults,
}

/// Something that is resolved once.
pub(super) enum Lazy<T> {
    Unresolved,
    InProgress,
    Done(T),
    Failed,
}

/// A constant's type, and its value where it is a scalar known here.
#[derive(Clone)]
pub(super) struct Constant {
    pub ty: HirType,
    pub value: Option<Literal>,
}

#[derive(Clone)]
pub(super) struct Signature {
    /// The name in HIR, which differs from the written one for a function of an `impl` without
    /// `self`.
    pub name: String,
    pub target: FunctionTarget,
    /// The receiver is the first one.
    pub parameters: Vec<HirLocal>,
    pub has_receiver: bool,
    pub result: HirType,
    pub span: Span,
}

impl<'a> Items<'a> {
    /// The names of the module, each declared once.
    pub fn collect(module: &'a Module) -> Self {
        let mut items = Items {
            aliases: BTreeMap::new(),
            constants: BTreeMap::new(),
            resolved_constants: Vec::new(),
            structs: BTreeMap::new(),
            fields: BTreeMap::new(),
            signatures: BTreeMap::new(),
            declared_functions: BTreeSet::new(),
            depth: 0,
            faults: Faults::default(),
        };
        let mut types = BTreeMap::new();
        let mut values = BTreeMap::new();
        for item in &module.items {
            match &item.kind {
                ItemKind::TypeAlias(alias) => {
                    items.declare(&mut types, &alias.name);
                    let lazy = (alias, Lazy::Unresolved);
                    items.aliases.entry(&alias.name.text).or_insert(lazy);
                }
                ItemKind::Struct(item) => {
                    items.declare(&mut types, &item.name);
                    items.structs.entry(&item.name.text).or_insert(item);
                }
                ItemKind::Const(item) => {
                    items.declare(&mut values, &item.name);
                    let lazy = (item, Lazy::Unresolved);
                    items.constants.entry(&item.name.text).or_insert(lazy);
                }
                ItemKind::Function(function) => {
                    items.declare(&mut values, &function.name);
                    items.declared_functions.insert(&function.name.text);
                }
                ItemKind::Impl(_) => {}
            }
        }
        items
    }

    fn declare(&mut self, known: &mut BTreeMap<&'a str, Span>, name: &'a Name) {
        if BUILT_IN.contains(&name.text.as_str()) || name.text.parse::<ScalarType>().is_ok() {
            let message = format!("`{name}` is a name of the language");
            self.report(Diagnostic::new(name.span, message));
        }
        if let Some(&first) = known.get(name.text.as_str()) {
            self.twice(name, first);
        }
        known.entry(&name.text).or_insert(name.span);
    }

    pub fn twice(&mut self, name: &Name, first: Span) {
        let message = format!("`{name}` is declared twice");
        self.report(Diagnostic::new(name.span, message).note(first, "the first one is here"));
    }

    pub fn report(&mut self, fault: Diagnostic) -> Failed {
        self.faults.report(fault)
    }

    pub fn function(&self, name: &str) -> Option<Signature> {
        self.signatures.get(name).cloned().flatten()
    }

    pub fn method(&self, owner: &str, name: &str) -> Option<Signature> {
        self.function(&method_key(owner, name))
    }

    pub fn fields(&self, name: &str) -> Option<Vec<HirField>> {
        self.fields.get(name).cloned()
    }
}

pub(super) fn method_key(owner: &str, name: &str) -> String {
    format!("{owner}.{name}")
}
