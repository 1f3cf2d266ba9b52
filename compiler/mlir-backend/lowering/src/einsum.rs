//! `einsum`: the contraction's shape with any number of operands and letters, adding in its
//! letters' order (numerics, §Matrix product `@` and `einsum`).

use melior::ir::Value;
use neuro_hir::{Einsum, TensorType};
use shared_types::Span;

use crate::at::{At, Built};
use crate::check::{Checks, IterationSpace};
use crate::contraction::{Contraction, contract};
use crate::unlowered::Unlowered;

pub(crate) fn einsum<'c: 'b, 'b>(
    at: At<'c, 'b>,
    checks: &mut Checks<'c, 'b>,
    einsum: &Einsum,
    operands: &[(Value<'c, 'b>, TensorType)],
    result: &TensorType,
    span: Span,
) -> Built<Value<'c, 'b>> {
    if einsum.inputs.len() != operands.len() {
        return Unlowered::refused("letters for another number of operands", span);
    }
    let contracted = einsum.contracted();
    let letters: Vec<char> = einsum.output.iter().chain(&contracted).copied().collect();
    let mut extents = vec![None; letters.len()];
    let mut inputs = Vec::new();
    for ((value, tensor), subscripts) in operands.iter().zip(&einsum.inputs) {
        let Some(shape) = tensor
            .static_extents()
            .filter(|e| e.len() == subscripts.len())
        else {
            return Unlowered::refused("an operand that its letters do not describe", span);
        };
        if tensor.scalar() != result.scalar() {
            return Unlowered::refused("the operands' element types differ", span);
        }
        let mut dimensions = Vec::new();
        for (letter, extent) in subscripts.iter().zip(shape) {
            let Some(dimension) = letters.iter().position(|known| known == letter) else {
                return Unlowered::refused(format!("the letter `{letter}` is unknown"), span);
            };
            if *extents[dimension].get_or_insert(extent) != extent {
                return Unlowered::refused(format!("two extents for `{letter}`"), span);
            }
            dimensions.push(dimension);
        }
        inputs.push((*value, dimensions));
    }
    let extents: Option<Vec<u64>> = extents.into_iter().collect();
    let Some((shape, folded)) = extents.as_deref().and_then(|extents| {
        let split = extents.split_at_checked(einsum.output.len())?;
        (result.static_extents().as_deref() == Some(split.0)).then_some(split)
    }) else {
        return Unlowered::refused("a result that the letters do not describe", span);
    };
    let space = IterationSpace {
        result: shape.to_vec(),
        folded: folded.to_vec(),
    };
    contract(at, checks, Contraction { inputs, space }, result, span)
}
