use std::collections::BTreeMap;

use ast_types::{Argument, ExprKind};
use neuro_hir::{Axis, Einsum, HirExpr, TensorOp, TensorType};
use shared_types::{ScalarType, Span};

use super::{only_element, tensor_op};
use crate::Diagnostic;
use crate::check::body::Body;
use crate::faults::Checked;

impl Body<'_, '_> {
    /// `einsum("ij,jk->ik", &a, &b)` (numerics, §Matrix product `@` and `einsum`).
    pub fn einsum(&mut self, arguments: &[Argument], span: Span) -> Checked<HirExpr> {
        let arguments = self.unnamed(arguments)?;
        let Some((letters, operands)) = arguments.split_first() else {
            return Err(self.fault(span, "`einsum` takes letters and tensors"));
        };
        let ExprKind::String(text) = &letters.kind else {
            let fault = Diagnostic::new(letters.span, "the letters of an `einsum` are known here")
                .label("expected a string such as `\"ij,jk->ik\"`");
            return Err(self.items.report(fault));
        };
        let (inputs, output) = match read(text) {
            Ok(read) => read,
            Err(message) => return Err(self.fault(letters.span, message)),
        };
        if inputs.len() != operands.len() {
            let message = format!(
                "there are letters for {} tensors, and {} are given",
                inputs.len(),
                operands.len()
            );
            return Err(self.fault(span, message));
        }
        let mut tensors = Vec::new();
        for operand in operands {
            tensors.push(self.operand(operand, None)?);
        }
        let result = self.contraction(&inputs, &output, &tensors, letters.span)?;
        self.items.check_size(&result, span)?;
        let is_scalar = output.is_empty();
        let einsum = TensorOp::Einsum(Einsum {
            inputs,
            output,
            operands: tensors,
        });
        Ok(if is_scalar {
            only_element(einsum, result, span)
        } else {
            tensor_op(einsum, result, span)
        })
    }

    /// The type of the result: a letter has one extent wherever it stands.
    fn contraction(
        &mut self,
        inputs: &[Vec<char>],
        output: &[char],
        operands: &[HirExpr],
        span: Span,
    ) -> Checked<TensorType> {
        let mut axes: BTreeMap<char, Axis> = BTreeMap::new();
        let mut element: Option<ScalarType> = None;
        for (input, operand) in inputs.iter().zip(operands) {
            let tensor = self.static_tensor(operand)?;
            let scalar = tensor.scalar().filter(|scalar| scalar.is_number());
            let Some(scalar) = scalar.filter(|scalar| element.is_none_or(|e| e == *scalar)) else {
                let message = format!("`einsum` takes numbers of one type, not `{tensor}`");
                return Err(self.fault(operand.span, message));
            };
            element = Some(scalar);
            if input.len() != tensor.rank() {
                let message = format!(
                    "`{tensor}` takes {} letters, not {}",
                    tensor.rank(),
                    input.len()
                );
                return Err(self.fault(operand.span, message));
            }
            for (&letter, axis) in input.iter().zip(&tensor.axes) {
                let known = axes.entry(letter).or_insert_with(|| axis.clone());
                if known.extent != axis.extent {
                    let message = format!("`{letter}` has two extents: {known} and {axis}");
                    return Err(self.fault(operand.span, message));
                }
            }
        }
        let mut result = Vec::new();
        for (at, letter) in output.iter().enumerate() {
            let message = match axes.get(letter) {
                Some(_) if output[..at].contains(letter) => {
                    format!("`{letter}` stands twice in the output")
                }
                Some(axis) => {
                    // Two axes of one name would be one too many.
                    let name = axis.name.clone().filter(|name| {
                        !result
                            .iter()
                            .any(|other: &Axis| other.name.as_ref() == Some(name))
                    });
                    let extent = axis.extent;
                    result.push(Axis { name, extent });
                    continue;
                }
                None => format!("`{letter}` stands in no input"),
            };
            return Err(self.fault(span, message));
        }
        let element = element.unwrap_or(ScalarType::F32);
        Ok(TensorType::new(element, &[]).with_axes(result))
    }
}

/// The letters of each operand, and of the result.
fn read(text: &str) -> Result<(Vec<Vec<char>>, Vec<char>), String> {
    let text: String = text.chars().filter(|c| *c != ' ').collect();
    let Some((inputs, output)) = text.split_once("->") else {
        return Err(
            "an `einsum` has an arrow before the letters of its result, as in `\"ij,jk->ik\"`"
                .into(),
        );
    };
    let letters = |text: &str| match text.chars().find(|c| !c.is_ascii_alphabetic()) {
        Some(other) => Err(format!("{other:?} is no letter")),
        None => Ok(text.chars().collect::<Vec<char>>()),
    };
    let inputs = inputs.split(',').map(letters).collect::<Result<_, _>>()?;
    Ok((inputs, letters(output)?))
}
