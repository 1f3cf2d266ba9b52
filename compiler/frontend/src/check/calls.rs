use ast_types::{Argument, Expr, ExprKind, Name};
use neuro_hir::{Callee, FunctionTarget, FunctionType, HirExpr, HirExprKind, HirType};
use shared_types::Span;

use super::body::Body;
use super::items::Signature;
use super::operators::borrowed;
use crate::Diagnostic;
use crate::faults::{Checked, Failed};

impl Body<'_, '_> {
    pub fn call(
        &mut self,
        callee: &Expr,
        arguments: &[Argument],
        expected: Option<&HirType>,
        span: Span,
    ) -> Checked<HirExpr> {
        match &callee.kind {
            ExprKind::Path {
                owner,
                generics,
                member,
            } => {
                if owner.text == "Tensor" || self.items.aliases.contains_key(owner.text.as_str()) {
                    let generics = generics.as_ref();
                    return self.constructor(owner, generics, member, arguments, expected, span);
                }
                if generics.is_some() {
                    let message = format!("`{owner}` takes no types");
                    return Err(self.fault(owner.span, message));
                }
                self.associated(owner, member, arguments, span)
            }
            ExprKind::Name(name) if self.lookup(name).is_none() => {
                self.call_by_name(name, arguments, callee.span, span)
            }
            _ => {
                let callee = self.expr(callee, None)?;
                let HirType::Function(function) = callee.ty.referent() else {
                    let message = format!("a `{}` cannot be called", callee.ty);
                    return Err(self.fault(callee.span, message));
                };
                let FunctionType { parameters, result } = (**function).clone();
                let arguments =
                    self.typed_arguments("the function", &parameters, arguments, span)?;
                Ok(call(
                    Callee::Value(Box::new(callee)),
                    arguments,
                    result,
                    span,
                ))
            }
        }
    }

    fn call_by_name(
        &mut self,
        name: &str,
        arguments: &[Argument],
        name_span: Span,
        span: Span,
    ) -> Checked<HirExpr> {
        match name {
            "print" => return self.print(arguments, span),
            "einsum" => return self.einsum(arguments, span),
            _ => {}
        }
        if !self.items.declared_functions.contains(name) {
            self.check_all(arguments);
            let message = format!("there is no function `{name}`");
            return Err(self.fault(name_span, message));
        }
        let signature = self.items.function(name).ok_or(Failed)?;
        self.call_function(&format!("`{name}`"), &signature, arguments, span)
    }

    /// `Layer::new(…)`: a function of an `impl` without `self`.
    fn associated(
        &mut self,
        owner: &Name,
        member: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        match self.items.method(&owner.text, &member.text) {
            Some(signature) if !signature.has_receiver => {
                let what = format!("`{owner}::{member}`");
                self.call_function(&what, &signature, arguments, span)
            }
            Some(_) => {
                let message = format!("`{member}` is a method: call it on a `{owner}`");
                Err(self.fault(member.span, message))
            }
            None => {
                self.check_all(arguments);
                let message = format!("there is no `{owner}::{member}`");
                Err(self.fault(owner.span.to(member.span), message))
            }
        }
    }

    fn call_function(
        &mut self,
        what: &str,
        signature: &Signature,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let types: Vec<HirType> = signature.parameters.iter().map(|p| p.ty.clone()).collect();
        let arguments = self.typed_arguments(what, &types, arguments, span)?;
        let callee = Callee::Function(signature.name.clone());
        Ok(call(callee, arguments, signature.result.clone(), span))
    }

    pub fn call_method(
        &mut self,
        receiver: HirExpr,
        method: &Name,
        arguments: &[Argument],
        span: Span,
    ) -> Checked<HirExpr> {
        let HirType::Nominal(owner) = receiver.ty.referent().clone() else {
            let message = format!("a `{}` has no method `{method}`", receiver.ty);
            return Err(self.fault(method.span, message));
        };
        let signature = match self.items.method(&owner, &method.text) {
            Some(signature) if signature.has_receiver => signature,
            Some(_) => {
                let message = format!("`{method}` takes no `self`: call `{owner}::{method}`");
                return Err(self.fault(method.span, message));
            }
            None => {
                self.check_all(arguments);
                let message = format!("`{owner}` has no method `{method}`");
                return Err(self.fault(method.span, message));
            }
        };
        let mut types = signature
            .parameters
            .iter()
            .map(|parameter| parameter.ty.clone());
        let wanted = types.next().ok_or(Failed)?;
        let receiver = self.receiver(receiver, &wanted)?;
        let types: Vec<HirType> = types.collect();
        let rest = self.typed_arguments(&format!("`{method}`"), &types, arguments, span)?;
        let arguments = std::iter::once(receiver).chain(rest).collect();
        let callee = Callee::Method {
            owner,
            name: method.text.clone(),
        };
        Ok(call(callee, arguments, signature.result, span))
    }

    /// The receiver as its method takes it: it is borrowed without a sign.
    fn receiver(&mut self, receiver: HirExpr, wanted: &HirType) -> Checked<HirExpr> {
        let HirType::Reference { mutable, .. } = wanted else {
            self.require_type(&receiver, wanted)?;
            return Ok(receiver);
        };
        if let HirType::Reference { .. } = receiver.ty {
            self.require_type(&receiver, wanted)?;
            return Ok(receiver);
        }
        if *mutable {
            self.require_borrowable(&receiver)?;
        }
        Ok(HirExpr {
            ty: wanted.clone(),
            span: receiver.span,
            kind: HirExprKind::Borrow {
                mutable: *mutable,
                operand: Box::new(receiver),
            },
        })
    }

    fn typed_arguments(
        &mut self,
        what: &str,
        types: &[HirType],
        arguments: &[Argument],
        span: Span,
    ) -> Checked<Vec<HirExpr>> {
        let values = self.unnamed(arguments)?;
        if let Err(failed) = self.require_count(what, types.len(), values.len(), span) {
            self.check_all(arguments);
            return Err(failed);
        }
        let checked: Vec<Checked<HirExpr>> = values
            .into_iter()
            .zip(types)
            .map(|(value, ty)| self.expr_of(value, ty))
            .collect();
        checked.into_iter().collect()
    }

    /// Finds the faults of arguments that nothing takes.
    fn check_all(&mut self, arguments: &[Argument]) {
        for argument in arguments {
            let _ = self.expr(&argument.value, None);
        }
    }

    /// A function by name, as a value.
    pub fn function_value(&mut self, name: &str, span: Span) -> Checked<HirExpr> {
        let signature = self.items.function(name).ok_or(Failed)?;
        if let FunctionTarget::Kernel { .. } = signature.target {
            return Err(self.fault(
                span,
                format!("kernel `{name}` is no value: call it by name"),
            ));
        }
        let function = FunctionType {
            parameters: signature.parameters.into_iter().map(|p| p.ty).collect(),
            result: signature.result,
        };
        Ok(HirExpr {
            kind: HirExprKind::Function(name.to_string()),
            ty: HirType::Function(Box::new(function)),
            span,
        })
    }

    /// `print(value, …)`: scalars, strings and tensors; it reads them where they are.
    fn print(&mut self, arguments: &[Argument], span: Span) -> Checked<HirExpr> {
        let arguments = self.unnamed(arguments)?;
        if arguments.is_empty() {
            return Err(self.fault(span, "`print` takes a value"));
        }
        let mut values = Vec::new();
        for argument in arguments {
            let value = self.value(argument, None)?;
            let printable = value.ty.element().is_some() || *value.ty.referent() == HirType::String;
            if !printable {
                let fault =
                    Diagnostic::new(value.span, format!("a `{}` cannot be printed", value.ty))
                        .label("expected a scalar, a string or a tensor");
                return Err(self.items.report(fault));
            }
            values.push(if is_place(&value) {
                borrowed(value)
            } else {
                value
            });
        }
        let kind = HirExprKind::Print(values);
        let ty = HirType::Void;
        Ok(HirExpr { kind, ty, span })
    }
}

/// Whether the expression names something kept in a local.
pub(super) fn is_place(expr: &HirExpr) -> bool {
    matches!(
        expr.kind,
        HirExprKind::Local(_) | HirExprKind::Field { .. } | HirExprKind::TupleMember { .. }
    )
}

fn call(callee: Callee, arguments: Vec<HirExpr>, result: HirType, span: Span) -> HirExpr {
    HirExpr {
        kind: HirExprKind::Call { callee, arguments },
        ty: result,
        span,
    }
}
