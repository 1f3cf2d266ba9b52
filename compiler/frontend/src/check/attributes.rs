use ast_types::{Argument, Attribute, Expr, ExprKind, Function, Number};
use neuro_hir::{FunctionTarget, HirLocal, HirType};

use super::items::Items;
use crate::Diagnostic;
use crate::faults::Checked;

/// The most threads that a block has on any target.
const MOST_THREADS: u64 = 1024;

impl Items<'_> {
    /// Where a function runs, as its attribute says.
    pub fn target(
        &mut self,
        function: &Function,
        parameters: &[HirLocal],
        result: &HirType,
    ) -> Checked<FunctionTarget> {
        let attribute = match &function.attributes[..] {
            [] => return Ok(FunctionTarget::Host),
            [attribute] => attribute,
            [_, second, ..] => {
                return Err(self.report(Diagnostic::new(second.span, "one attribute a function")));
            }
        };
        match attribute.name.text.as_str() {
            "gpu" => self.gpu(attribute),
            "kernel" => {
                let target = self.kernel(attribute)?;
                self.check_kernel(function, parameters, result)?;
                Ok(target)
            }
            other => {
                let fault = Diagnostic::new(attribute.span, format!("no attribute `@{other}`"))
                    .label("expected `@gpu` or `@kernel`");
                Err(self.report(fault))
            }
        }
    }

    fn gpu(&mut self, attribute: &Attribute) -> Checked<FunctionTarget> {
        let expected = "expected `@gpu` or `@gpu(fallback: true)`";
        let fallback = match &attribute.arguments[..] {
            [] => Some(false),
            [argument] if is_named(argument, "fallback") => match argument.value.kind {
                ExprKind::Bool(fallback) => Some(fallback),
                _ => None,
            },
            _ => None,
        };
        let Some(fallback) = fallback else {
            let fault = Diagnostic::new(attribute.span, "malformed `@gpu`").label(expected);
            return Err(self.report(fault));
        };
        Ok(FunctionTarget::Gpu { fallback })
    }

    fn kernel(&mut self, attribute: &Attribute) -> Checked<FunctionTarget> {
        let extents = match &attribute.arguments[..] {
            [argument] if is_named(argument, "threads") => match &argument.value.kind {
                ExprKind::Array(extents) => extents.iter().map(extent).collect(),
                _ => None,
            },
            _ => None,
        };
        let Some(threads): Option<Vec<u64>> = extents else {
            let fault = Diagnostic::new(attribute.span, "malformed `@kernel`")
                .label("expected `@kernel(threads: [16, 16])`");
            return Err(self.report(fault));
        };
        let product = threads
            .iter()
            .try_fold(1u64, |n, &extent| n.checked_mul(extent));
        let fits = product.is_some_and(|product| (1..=MOST_THREADS).contains(&product));
        if !(1..=3).contains(&threads.len()) || !fits {
            let message = "a block has 1 to 3 extents and 1 to 1,024 threads";
            return Err(self.report(Diagnostic::new(attribute.span, message)));
        }
        Ok(FunctionTarget::Kernel {
            threads: threads.into_iter().map(|extent| extent as u32).collect(),
        })
    }

    fn check_kernel(
        &mut self,
        function: &Function,
        parameters: &[HirLocal],
        result: &HirType,
    ) -> Checked<()> {
        if *result != HirType::Void {
            return Err(self.report(Diagnostic::new(function.header, "a kernel returns nothing")));
        }
        let gives_grid = |ty: &HirType| match ty {
            HirType::Reference { mutable, .. } => *mutable && ty.as_tensor().is_some(),
            HirType::Void
            | HirType::Scalar(_)
            | HirType::Tensor(_)
            | HirType::Tuple(_)
            | HirType::Function(_)
            | HirType::String
            | HirType::Nominal(_) => false,
        };
        if !parameters.iter().any(|parameter| gives_grid(&parameter.ty)) {
            let fault = Diagnostic::new(function.header, "a kernel without a `&mut` tensor")
                .help("its extents say how many threads there are");
            return Err(self.report(fault));
        }
        Ok(())
    }
}

fn is_named(argument: &Argument, name: &str) -> bool {
    argument
        .name
        .as_ref()
        .is_some_and(|given| given.text == name)
}

fn extent(expr: &Expr) -> Option<u64> {
    match expr.kind {
        ExprKind::Number(Number::Integer {
            value,
            suffix: None,
        }) => value.try_into().ok(),
        _ => None,
    }
}
