use ast_types::{ItemKind, Module, Name, TensorShape, Type, TypeExtent, TypeKind};
use neuro_hir::{Axis, Extent, FunctionType, HirType, TensorType};
use shared_types::{Literal, ScalarType, Span};

use super::items::{Items, Lazy};
use crate::Diagnostic;
use crate::faults::{Checked, Failed};

/// A type of more parts than this is refused: aliases of tuples double at each step.
const MOST_PARTS: usize = 1_000;

/// Aliases and constants may refer to others this many times over.
const MOST_REFERENCES: u32 = 500;

impl Items<'_> {
    /// The type of a value.
    pub fn resolve(&mut self, ty: &Type) -> Checked<HirType> {
        match &ty.kind {
            TypeKind::Named(name) => self.named(name, ty.span),
            TypeKind::Tensor(shape) => Ok(self.tensor(shape, ty.span)?.into()),
            TypeKind::Reference { mutable, target } => {
                let target = self.resolve(target)?;
                if let HirType::Reference { .. } = target {
                    return Err(self.report(Diagnostic::new(ty.span, "a reference to a reference")));
                }
                Ok(HirType::reference(*mutable, target))
            }
            TypeKind::Tuple(members) if members.is_empty() => {
                let fault = Diagnostic::new(ty.span, "`()` is the type of no value");
                Err(self.report(fault))
            }
            TypeKind::Tuple(members) => {
                let members = self.resolve_all(members, ty.span)?;
                if members
                    .iter()
                    .any(|member| matches!(member, HirType::Reference { .. }))
                {
                    let fault = Diagnostic::new(ty.span, "a tuple holds no references");
                    return Err(self.report(fault));
                }
                Ok(HirType::Tuple(members))
            }
            TypeKind::Function { parameters, result } => {
                let parameters = self.resolve_all(parameters, ty.span)?;
                let result = self.result(result.as_deref())?;
                let function = FunctionType { parameters, result };
                Ok(HirType::Function(Box::new(function)))
            }
        }
    }

    /// The type of a function's result; none, or `()`, is void.
    pub fn result(&mut self, ty: Option<&Type>) -> Checked<HirType> {
        match ty {
            None => Ok(HirType::Void),
            Some(ty) if matches!(&ty.kind, TypeKind::Tuple(members) if members.is_empty()) => {
                Ok(HirType::Void)
            }
            Some(ty) => self.resolve(ty),
        }
    }

    fn resolve_all(&mut self, types: &[Type], span: Span) -> Checked<Vec<HirType>> {
        let mut resolved = Vec::new();
        let mut parts = 0;
        for ty in types {
            let ty = self.resolve(ty)?;
            parts += size(&ty);
            if parts > MOST_PARTS {
                let message = format!("a type of more than {MOST_PARTS} parts");
                return Err(self.report(Diagnostic::new(span, message)));
            }
            resolved.push(ty);
        }
        Ok(resolved)
    }

    fn named(&mut self, name: &str, span: Span) -> Checked<HirType> {
        if let Ok(scalar) = name.parse::<ScalarType>() {
            return Ok(scalar.into());
        }
        if name == "string" {
            return Ok(HirType::String);
        }
        if self.structs.contains_key(name) {
            return Ok(HirType::Nominal(name.to_string()));
        }
        self.alias(name, span)
    }

    /// Finds the faults of aliases that nothing uses, too.
    pub fn resolve_aliases(&mut self, module: &Module) {
        for item in &module.items {
            if let ItemKind::TypeAlias(alias) = &item.kind {
                // A fault is reported where it is found.
                let _ = self.alias(&alias.name.text, alias.name.span);
            }
        }
    }

    pub fn alias(&mut self, name: &str, span: Span) -> Checked<HirType> {
        let Some((alias, state)) = self.aliases.get_mut(name) else {
            let message = format!("there is no type `{name}`");
            return Err(self.report(Diagnostic::new(span, message)));
        };
        let alias = *alias;
        match std::mem::replace(state, Lazy::InProgress) {
            Lazy::Unresolved => {}
            Lazy::InProgress => {
                let message = format!("type `{name}` refers to itself");
                return Err(self.report(Diagnostic::new(alias.name.span, message)));
            }
            Lazy::Done(ty) => {
                *state = Lazy::Done(ty.clone());
                return Ok(ty);
            }
            Lazy::Failed => {
                *state = Lazy::Failed;
                return Err(Failed);
            }
        }
        let resolved = self.deeper(alias.name.span, |items| items.resolve(&alias.ty));
        if let Some((_, state)) = self.aliases.get_mut(name) {
            *state = match &resolved {
                Ok(ty) => Lazy::Done(ty.clone()),
                Err(Failed) => Lazy::Failed,
            };
        }
        resolved
    }

    /// Follows one more reference from an alias or a constant to another.
    pub fn deeper<T>(
        &mut self,
        span: Span,
        resolve: impl FnOnce(&mut Self) -> Checked<T>,
    ) -> Checked<T> {
        if self.depth == MOST_REFERENCES {
            let message = format!("this needs more than {MOST_REFERENCES} others, one by one");
            return Err(self.report(Diagnostic::new(span, message)));
        }
        self.depth += 1;
        let result = resolve(self);
        self.depth -= 1;
        result
    }

    pub fn tensor(&mut self, shape: &TensorShape, span: Span) -> Checked<TensorType> {
        let element = self.resolve(&shape.element)?;
        let HirType::Scalar(_) = element else {
            let message = format!("a tensor of `{element}`: its elements are scalars");
            return Err(self.report(Diagnostic::new(shape.element.span, message)));
        };
        let mut axes: Vec<Axis> = Vec::new();
        for axis in &shape.axes {
            let extent = match &axis.extent {
                TypeExtent::Literal(extent) => Extent::Static(*extent),
                TypeExtent::Dynamic => Extent::Dynamic,
                TypeExtent::Constant(name) => Extent::Static(self.extent(name)?),
            };
            let name = axis.name.as_ref().map(|name| name.text.clone());
            if name.is_some() && axes.iter().any(|other| other.name == name) {
                let fault = Diagnostic::new(axis.span, "two axes of one name");
                return Err(self.report(fault));
            }
            axes.push(Axis { name, extent });
        }
        let element = Box::new(element);
        let tensor = TensorType { element, axes };
        self.check_size(&tensor, span)?;
        Ok(tensor)
    }

    /// A tensor that a program makes or names holds fewer than 2^63 elements.
    pub fn check_size(&mut self, tensor: &TensorType, span: Span) -> Checked<()> {
        if tensor.static_extents().is_some() && tensor.elements().is_none() {
            let message = format!("`{tensor}` has 2^63 elements or more");
            return Err(self.report(Diagnostic::new(span, message)));
        }
        Ok(())
    }

    /// A constant as an extent.
    fn extent(&mut self, name: &Name) -> Checked<u64> {
        let constant = self.constant(&name.text, name.span)?;
        match constant.value {
            Some(Literal::Integer(value)) if value >= 0 => Ok(value as u64),
            _ => {
                let message = format!("`{name}` is no extent: it is no whole number from 0 up");
                Err(self.report(Diagnostic::new(name.span, message)))
            }
        }
    }
}

/// The parts of a type, itself included.
fn size(ty: &HirType) -> usize {
    match ty {
        HirType::Void | HirType::Scalar(_) | HirType::String | HirType::Nominal(_) => 1,
        HirType::Tensor(tensor) => 1 + tensor.rank(),
        HirType::Reference { target, .. } => 1 + size(target),
        HirType::Tuple(members) => 1 + members.iter().map(size).sum::<usize>(),
        HirType::Function(function) => {
            let parameters = function.parameters.iter().map(size).sum::<usize>();
            1 + parameters + size(&function.result)
        }
    }
}

/// A value of type `found` may stand where `expected` is asked for: axis names do not count, and
/// a `&mut` may stand for a `&`.
pub(super) fn accepts(expected: &HirType, found: &HirType) -> bool {
    match (expected, found) {
        (
            HirType::Reference {
                mutable: false,
                target: expected,
            },
            HirType::Reference { target: found, .. },
        ) => expected.agrees(found),
        (expected, found) => expected.agrees(found),
    }
}
