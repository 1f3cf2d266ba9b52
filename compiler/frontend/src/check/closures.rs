use ast_types::Closure;
use neuro_hir::{FunctionType, HirBlock, HirClosure, HirExpr, HirExprKind, HirLocal, HirType};
use shared_types::Span;

use super::body::Body;
use crate::Diagnostic;
use crate::faults::Checked;

impl Body<'_, '_> {
    /// A closure; types that it does not write come from the function type that is expected.
    pub fn closure(
        &mut self,
        closure: &Closure,
        expected: Option<&HirType>,
        span: Span,
    ) -> Checked<HirExpr> {
        let wanted = match expected {
            Some(HirType::Function(wanted))
                if wanted.parameters.len() == closure.parameters.len() =>
            {
                Some(&**wanted)
            }
            _ => None,
        };
        let mut types = Vec::new();
        for (at, parameter) in closure.parameters.iter().enumerate() {
            types.push(match (&parameter.ty, wanted) {
                (Some(ty), _) => self.items.resolve(ty)?,
                (None, Some(wanted)) => wanted.parameters[at].clone(),
                (None, None) => {
                    let name = &parameter.name;
                    let fault = Diagnostic::new(name.span, format!("`{name}` has no type"))
                        .help(format!("write one: `{name}: f32`"));
                    return Err(self.items.report(fault));
                }
            });
        }
        let result = match &closure.result {
            Some(ty) => Some(self.items.result(Some(ty))?),
            None => wanted
                .map(|wanted| wanted.result.clone())
                .filter(|result| *result != HirType::Void),
        };
        self.enter_frame(result.clone());
        let checked = self.scoped(|body| {
            let mut parameters = Vec::new();
            for (parameter, ty) in closure.parameters.iter().zip(&types) {
                parameters.push(body.declare(HirLocal {
                    name: parameter.name.text.clone(),
                    ty: ty.clone(),
                    mutable: false,
                    span: parameter.name.span,
                }));
            }
            Ok((parameters, body.closure_body(closure, result.as_ref())?))
        });
        let captures = self
            .frames
            .pop()
            .map(|frame| frame.captures)
            .unwrap_or_default();
        let (parameters, body) = checked?;
        let signature = FunctionType {
            parameters: types,
            result: result.unwrap_or_else(|| body.ty().clone()),
        };
        let ty = HirType::Function(Box::new(signature.clone()));
        let closure = HirClosure {
            parameters,
            captures,
            signature,
            body,
        };
        let kind = HirExprKind::Closure(closure);
        Ok(HirExpr { kind, ty, span })
    }

    fn closure_body(&mut self, closure: &Closure, result: Option<&HirType>) -> Checked<HirBlock> {
        let body = &closure.body;
        if let (ast_types::ExprKind::Block(block), Some(result)) = (&body.kind, result) {
            return self.result_block(block, result);
        }
        let value = match result {
            Some(result) => self.expr_of(body, result)?,
            None => self.expr(body, None)?,
        };
        if let HirExprKind::Block(block) = value.kind {
            return Ok(block);
        }
        Ok(HirBlock {
            statements: Vec::new(),
            span: value.span,
            value: Some(Box::new(value)),
        })
    }
}
