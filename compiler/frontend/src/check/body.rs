use ast_types::Function;
use neuro_hir::{
    FunctionTarget, GridIndex, HirExpr, HirExprKind, HirFunction, HirLocal, HirType, LocalId,
};
use shared_types::{ScalarType, Span};

use super::items::{Items, Signature};
use super::scope::{Binding, Scope};
use crate::Diagnostic;
use crate::faults::{Checked, Failed};

/// The body of one function as it is checked.
pub(super) struct Body<'i, 'a> {
    pub items: &'i mut Items<'a>,
    is_kernel: bool,
    pub only_gpu: bool,
    locals: Vec<HirLocal>,
    scope: Scope,
    /// The function, then the closures around.
    pub frames: Vec<Frame>,
}

/// A function or a closure.
pub(super) struct Frame {
    /// The result; `None` where a closure's body gives it.
    pub result: Option<HirType>,
    /// A local before this one is outside.
    first_local: u32,
    pub captures: Vec<LocalId>,
    /// The loops around.
    pub loops: u32,
}

impl<'i, 'a> Body<'i, 'a> {
    pub fn new(items: &'i mut Items<'a>, signature: &Signature) -> Self {
        let mut body = Body {
            items,
            is_kernel: matches!(signature.target, FunctionTarget::Kernel { .. }),
            only_gpu: matches!(signature.target, FunctionTarget::Gpu { fallback: false }),
            locals: Vec::new(),
            scope: Scope::default(),
            frames: Vec::new(),
        };
        body.enter_frame(Some(signature.result.clone()));
        for parameter in &signature.parameters {
            body.declare(parameter.clone());
        }
        body
    }

    pub fn function(mut self, function: &Function, signature: Signature) -> Checked<HirFunction> {
        let body = self.result_block(&function.body, &signature.result)?;
        Ok(HirFunction {
            name: signature.name,
            target: signature.target,
            locals: self.locals,
            parameter_count: signature.parameters.len(),
            result: signature.result,
            body,
            span: signature.span,
        })
    }

    pub fn fault(&mut self, span: Span, message: impl Into<String>) -> Failed {
        self.items.report(Diagnostic::new(span, message))
    }

    pub fn enter_frame(&mut self, result: Option<HirType>) {
        self.frames.push(Frame {
            result,
            first_local: self.locals.len() as u32,
            captures: Vec::new(),
            loops: 0,
        });
    }

    /// A local without a name in the source.
    pub fn new_local(&mut self, name: &str, ty: HirType, mutable: bool, span: Span) -> LocalId {
        self.locals.push(HirLocal {
            name: name.to_string(),
            ty,
            mutable,
            span,
        });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// A local that is visible from here to the end of its block.
    pub fn declare(&mut self, local: HirLocal) -> LocalId {
        let HirLocal {
            name,
            ty,
            mutable,
            span,
        } = local;
        let id = self.new_local(&name, ty, mutable, span);
        self.scope.declare(name, Binding::Local(id));
        id
    }

    /// A name whose value has a fault.
    pub fn declare_unknown(&mut self, name: &str) {
        self.scope.declare(name.to_string(), Binding::Unknown);
    }

    /// Runs `check` in a scope of its own.
    pub fn scoped<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.scope.depth();
        let result = check(self);
        self.scope.leave(outer);
        result
    }

    pub fn local(&self, id: LocalId) -> &HirLocal {
        &self.locals[id.0 as usize]
    }

    /// The local of a name, `Err` where its value has a fault. `_` names nothing.
    pub fn lookup(&self, name: &str) -> Option<Checked<LocalId>> {
        if name == "_" {
            return None;
        }
        self.scope.lookup(name).map(|binding| match binding {
            Binding::Local(id) => Ok(id),
            Binding::Unknown => Err(Failed),
        })
    }

    pub fn read_local(&self, id: LocalId, span: Span) -> HirExpr {
        HirExpr {
            kind: HirExprKind::Local(id),
            ty: self.local(id).ty.clone(),
            span,
        }
    }

    /// Whether the innermost closure does not bind the local itself.
    pub fn is_captured(&self, id: LocalId) -> bool {
        let frame = self.frames.last();
        self.frames.len() > 1 && frame.is_some_and(|frame| id.0 < frame.first_local)
    }

    /// Notes a local from outside in each closure around: a capture is a copied scalar.
    pub fn capture(&mut self, id: LocalId, span: Span) -> Checked<()> {
        let HirLocal { name, ty, .. } = self.local(id).clone();
        let closures = self.frames.iter_mut().skip(1);
        let mut outside = closures.filter(|frame| id.0 < frame.first_local).peekable();
        if outside.peek().is_some() && !matches!(ty, HirType::Scalar(_)) {
            let message = format!("a closure captures scalars only: `{name}` is a `{ty}`");
            return Err(self.fault(span, message));
        }
        for frame in outside {
            if !frame.captures.contains(&id) {
                frame.captures.push(id);
            }
        }
        Ok(())
    }

    /// `thread_id.x` and the like; `None` for another name.
    pub fn grid_index(
        &mut self,
        name: &str,
        field: &ast_types::Name,
        span: Span,
    ) -> Option<Checked<HirExpr>> {
        let of = match name {
            "thread_id" => GridIndex::Thread,
            "block_id" => GridIndex::Block,
            _ => return None,
        };
        if !self.is_kernel {
            return Some(Err(
                self.fault(span, format!("`{name}` stands in a kernel only"))
            ));
        }
        let Some(axis) = ["x", "y", "z"].iter().position(|axis| *axis == field.text) else {
            let message = format!("`{name}` has `x`, `y` and `z`, no `{field}`");
            return Some(Err(self.fault(field.span, message)));
        };
        let kind = HirExprKind::GridIndex { of, axis };
        let ty = ScalarType::I64.into();
        Some(Ok(HirExpr { kind, ty, span }))
    }
}
