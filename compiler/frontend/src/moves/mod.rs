//! Moves and borrows, as far as tensors need them (surface, "Moves").
//!
//! - An owned tensor, or what holds one, is consumed by a use, and not used again.
//! - A reference is not used once what it refers to was moved, or changed by another way.
//! - What a call or an operator takes as `&mut` it takes no second time.

mod flow;
mod locals;
mod state;
mod uses;

use std::collections::BTreeMap;

use neuro_hir::{HirFunction, HirItem, HirProgram, HirType};

use crate::faults::Faults;
use flow::Flow;

/// Reports the faults of every function.
pub(crate) fn check(program: &HirProgram, faults: &mut Faults) {
    let mut types = Types::default();
    for item in &program.items {
        if let HirItem::Struct(item) = item {
            let fields = item.fields.iter().map(|field| field.ty.clone()).collect();
            types.fields.insert(item.name.clone(), fields);
        }
    }
    let mut check = |function: &HirFunction| Flow::new(function, &mut types, faults).function();
    for item in &program.items {
        match item {
            HirItem::Function(function) => check(function),
            HirItem::Impl(block) => block.methods.iter().for_each(&mut check),
            HirItem::Struct(_) | HirItem::Const(_) => {}
        }
    }
}

/// Which types are consumed by a use.
#[derive(Default)]
struct Types {
    fields: BTreeMap<String, Vec<HirType>>,
    known: BTreeMap<String, bool>,
}

impl Types {
    fn moves(&mut self, ty: &HirType) -> bool {
        match ty {
            HirType::Tensor(_) => true,
            HirType::Tuple(members) => members.iter().any(|member| self.moves(member)),
            HirType::Nominal(name) => {
                if let Some(&known) = self.known.get(name) {
                    return known;
                }
                let fields = self.fields.get(name).cloned().unwrap_or_default();
                let moves = fields.iter().any(|field| self.moves(field));
                self.known.insert(name.clone(), moves);
                moves
            }
            HirType::Void
            | HirType::Scalar(_)
            | HirType::Reference { .. }
            | HirType::Function(_)
            | HirType::String => false,
        }
    }
}
