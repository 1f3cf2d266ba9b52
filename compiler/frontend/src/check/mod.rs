//! From the surface tree to typed HIR, one function a function: names, types, shapes.
//!
//! `items` holds what is declared, `body` checks what runs; each kind of expression has a file.
//! Tensor operations stay where they are written: `outline` takes them out later.

mod arguments;
mod attributes;
mod body;
mod calls;
mod closures;
mod conditions;
mod constants;
mod expressions;
mod folding;
mod items;
mod leaves;
mod literals;
mod methods;
mod operators;
mod places;
mod scope;
mod signatures;
mod statements;
mod structs;
mod tensors;
mod types;

use ast_types::{Function, ItemKind, Module};
use neuro_hir::{HirConst, HirFunction, HirImpl, HirItem, HirProgram, HirStruct, Tier};

use crate::faults::{Checked, Faults};
use body::Body;
use items::{Items, Signature};

/// Checks a module. The program is whole only where no fault is found.
pub(crate) fn check(module: &Module, tier: Tier) -> (HirProgram, Faults) {
    let mut items = Items::collect(module);
    items.resolve_aliases(module);
    items.check_structs();
    items.resolve_signatures(module);
    let mut program = HirProgram {
        tier,
        items: Vec::new(),
    };
    for item in &module.items {
        let span = item.span;
        match &item.kind {
            ItemKind::Function(function) => {
                let signature = items.function(&function.name.text);
                let checked = check_function(&mut items, function, signature);
                program.items.extend(checked.map(HirItem::Function));
            }
            ItemKind::Struct(item) => {
                let name = item.name.text.clone();
                let fields = items.fields(&name).unwrap_or_default();
                program
                    .items
                    .push(HirItem::Struct(HirStruct { name, fields, span }));
            }
            ItemKind::Impl(block) => {
                let owner = block.owner.text.clone();
                let mut methods = Vec::new();
                for function in &block.functions {
                    let signature = items.method(&owner, &function.name.text);
                    let Ok(checked) = check_function(&mut items, function, signature) else {
                        continue;
                    };
                    match function.receiver {
                        Some(_) => methods.push(checked),
                        None => program.items.push(HirItem::Function(checked)),
                    }
                }
                program.items.push(HirItem::Impl(HirImpl {
                    owner,
                    methods,
                    span,
                }));
            }
            // Constants may stand anywhere, but a program has each before its uses.
            ItemKind::Const(_) | ItemKind::TypeAlias(_) => {}
        }
    }
    let constants = items.take_constants(module);
    program
        .items
        .splice(0..0, constants.into_iter().map(constant));
    (program, items.faults)
}

fn constant(constant: HirConst) -> HirItem {
    HirItem::Const(constant)
}

fn check_function(
    items: &mut Items<'_>,
    function: &Function,
    signature: Option<Signature>,
) -> Checked<HirFunction> {
    let signature = signature.ok_or(crate::faults::Failed)?;
    Body::new(items, &signature).function(function, signature)
}
