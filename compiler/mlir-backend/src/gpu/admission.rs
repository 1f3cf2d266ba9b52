//! Which bodies may become kernels, by what stands in them (backend specification, §GPU kernels).

use mlir_pipeline::NotLowered;
use neuro_hir::{FunctionTarget, HirFunction, HirNode, HirType};
use shared_types::{ScalarType, Span};

/// Why a function is not lowered for a GPU, if that shows already.
pub(crate) fn refusal(function: &HirFunction) -> Option<NotLowered> {
    let strict = matches!(function.target, FunctionTarget::Gpu { .. });
    let refused = |(reason, span): (String, Span)| NotLowered {
        name: function.name.clone(),
        span,
        reason,
    };
    let locals = function.locals.iter();
    let types = locals.map(|local| (&local.ty, local.span));
    let result = std::iter::once((&function.result, function.span));
    let signature = types
        .chain(result)
        .find_map(|(ty, span)| of_type(ty, span, strict));
    let inside = || {
        let nodes = HirNode::from(&function.body).descendants();
        nodes.into_iter().find_map(|node| match node {
            HirNode::Expr(expr) => of_type(&expr.ty, expr.span, strict),
            HirNode::Statement(_) | HirNode::Block(_) => None,
        })
    };
    signature.or_else(inside).map(refused)
}

fn of_type(ty: &HirType, span: Span, strict: bool) -> Option<(String, Span)> {
    if let HirType::Tuple(members) = ty {
        return members
            .iter()
            .find_map(|member| of_type(member, span, strict));
    }
    let tensor = ty.as_tensor()?;
    let reason = match tensor.scalar() {
        Some(scalar) if scalar.is_half() => "no kernel computes half precision",
        Some(ScalarType::Bool) => "no kernel works on `bool` elements",
        _ if strict && tensor.rank() == 0 => {
            "a tensor of rank 0 has no axis to launch threads over"
        }
        _ => return None,
    };
    Some((format!("`{ty}`: {reason}"), span))
}
