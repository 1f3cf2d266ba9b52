use neuro_hir::{HirExpr, HirType, Storage};

use super::body::Body;
use crate::Diagnostic;
use crate::faults::Checked;

impl Body<'_, '_> {
    /// The value in the place may be replaced.
    pub fn require_writable(&mut self, place: &HirExpr) -> Checked<()> {
        self.require(place, place.storage())
    }

    /// What the place names may be changed: behind its reference, where it is one.
    pub fn require_referent_writable(&mut self, place: &HirExpr) -> Checked<()> {
        self.require(place, place.referent_storage())
    }

    /// `&mut` takes what may be changed, or a value just made.
    pub fn require_borrowable(&mut self, operand: &HirExpr) -> Checked<()> {
        let is_reference = matches!(operand.ty, HirType::Reference { .. });
        match operand.storage() {
            Storage::Temporary if !is_reference => Ok(()),
            Storage::Temporary | Storage::Local(_) | Storage::Reference { .. } => {
                self.require_referent_writable(operand)
            }
        }
    }

    fn require(&mut self, place: &HirExpr, storage: Storage) -> Checked<()> {
        let fault = match storage {
            Storage::Local(id) if self.is_captured(id) => {
                let message = format!(
                    "`{}` is a copy that the closure captured",
                    self.local(id).name
                );
                Diagnostic::new(place.span, message)
            }
            Storage::Local(id) if !self.local(id).mutable => {
                let local = self.local(id);
                let message = format!("`{}` cannot be changed", local.name);
                Diagnostic::new(place.span, message).note(
                    local.span,
                    "it is bound here; a `mut` binding can be changed",
                )
            }
            Storage::Local(_) | Storage::Reference { mutable: true } => return Ok(()),
            Storage::Reference { mutable: false } => {
                Diagnostic::new(place.span, "this is behind a `&`, and cannot be changed")
                    .help("take it as `&mut`")
            }
            Storage::Temporary => Diagnostic::new(place.span, "this cannot be assigned to")
                .label("expected a binding, a field or an element"),
        };
        Err(self.items.report(fault))
    }
}
