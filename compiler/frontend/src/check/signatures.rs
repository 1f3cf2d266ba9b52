use std::collections::BTreeMap;

use ast_types::{Function, Impl, ItemKind, Module, Receiver};
use neuro_hir::{HirLocal, HirType};
use shared_types::Span;

use super::items::{Items, Signature, method_key};
use crate::Diagnostic;
use crate::faults::Checked;

impl Items<'_> {
    /// The signature of every function and method, before any body is checked.
    pub fn resolve_signatures(&mut self, module: &Module) {
        for item in &module.items {
            match &item.kind {
                ItemKind::Function(function) => {
                    let key = function.name.text.clone();
                    let signature = self.signature(function, None, key.clone()).ok();
                    self.signatures.entry(key).or_insert(signature);
                }
                ItemKind::Impl(block) => self.methods(block),
                ItemKind::Struct(_) | ItemKind::Const(_) | ItemKind::TypeAlias(_) => {}
            }
        }
    }

    fn methods(&mut self, block: &Impl) {
        let owner = &block.owner;
        if !self.structs.contains_key(owner.text.as_str()) {
            let message = format!("there is no struct `{owner}`");
            self.report(Diagnostic::new(owner.span, message));
            return;
        }
        for function in &block.functions {
            let name = &function.name;
            let key = method_key(&owner.text, &name.text);
            if let Some(first) = self.signatures.get(&key) {
                let first = first.as_ref().map_or(owner.span, |first| first.span);
                self.twice(name, first);
                continue;
            }
            if let Some(attribute) = function.attributes.first() {
                let fault = Diagnostic::new(attribute.span, "a method runs on the host");
                self.report(fault);
            }
            // A function of an `impl` without `self` is a free one in HIR.
            let in_hir = match function.receiver {
                Some(_) => name.text.clone(),
                None => self.free_name(&format!("{owner}__{name}")),
            };
            let signature = self.signature(function, Some(&owner.text), in_hir).ok();
            self.signatures.insert(key, signature);
        }
    }

    /// `name`, or the next of its kind that the module does not use.
    fn free_name(&self, name: &str) -> String {
        let taken = |name: &str| {
            self.signatures.contains_key(name)
                || self.constants.contains_key(name)
                || self.declared_functions.contains(name)
        };
        let mut free = name.to_string();
        while taken(&free) {
            free.push('_');
        }
        free
    }

    fn signature(
        &mut self,
        function: &Function,
        owner: Option<&str>,
        name: String,
    ) -> Checked<Signature> {
        let mut parameters = Vec::new();
        let mut spans: BTreeMap<&str, Span> = BTreeMap::new();
        if let (Some(receiver), Some(owner)) = (&function.receiver, owner) {
            parameters.push(self_parameter(receiver, owner));
        } else if let Some(receiver) = &function.receiver {
            let fault = Diagnostic::new(receiver.span, "`self` outside of an `impl`");
            return Err(self.report(fault));
        }
        let mut failed = None;
        for parameter in &function.parameters {
            let name = &parameter.name;
            if let Some(&first) = spans.get(name.text.as_str()) {
                self.twice(name, first);
            }
            spans.insert(&name.text, name.span);
            match self.resolve(&parameter.ty) {
                Ok(ty) => parameters.push(HirLocal {
                    name: name.text.clone(),
                    ty,
                    mutable: false,
                    span: name.span,
                }),
                Err(fault) => failed = Some(fault),
            }
        }
        let result = self.result(function.result.as_ref())?;
        if let Some(fault) = failed {
            return Err(fault);
        }
        let target = self.target(function, &parameters, &result)?;
        Ok(Signature {
            name,
            target,
            parameters,
            has_receiver: function.receiver.is_some(),
            result,
            span: function.header,
        })
    }
}

fn self_parameter(receiver: &Receiver, owner: &str) -> HirLocal {
    let owner = HirType::Nominal(owner.to_string());
    HirLocal {
        name: "self".into(),
        ty: if receiver.borrowed {
            HirType::reference(receiver.mutable, owner)
        } else {
            owner
        },
        mutable: false,
        span: receiver.span,
    }
}
