//! Compound assignment: the `&mut` target's own buffer takes each element's new value (backend
//! specification, §The other operations).

use melior::ir::Value;
use neuro_hir::TensorType;

use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::buffers::to_buffer;
use crate::check::Checks;
use crate::element::Arithmetic;
use crate::elementwise::{self, Operand};
use crate::generic::{Generic, Iterator};
use crate::types::buffer_type;
use crate::unlowered::Unlowered;

/// `target[i] = target[i] op value[i]`, with `value` broadcast to the target.
pub(crate) fn assign<'c: 'b, 'b>(
    at: At<'c, 'b>,
    checks: &mut Checks<'c, 'b>,
    arithmetic: &Arithmetic,
    (target, tensor): (Value<'c, 'b>, &TensorType),
    value: Operand<'c, 'b>,
) -> Built<()> {
    let span = arithmetic.span;
    let rank = tensor.rank();
    let input = match &value {
        _ if value.element() != Some(arithmetic.scalar) => {
            return Unlowered::refused("the value's element type is not the target's", span);
        }
        Operand::Scalar(value, _) => (*value, IndexMap::scalar(rank)),
        Operand::Tensor(value, ty) => {
            let Some(map) = IndexMap::broadcast(ty, tensor) else {
                return Unlowered::refused("the value does not broadcast to the target", span);
            };
            let buffer = to_buffer(at, *value, buffer_type(at.context, ty, span)?)?;
            (buffer, map)
        }
    };
    let number = checks.operation(elementwise::space(tensor), span)?;
    let checked = arithmetic.is_checked(checks);
    let dimensions: Vec<usize> = (0..rank).collect();
    let generic = Generic {
        iterators: vec![Iterator::Parallel; rank],
        inputs: vec![input],
        output: (target, IndexMap::identity(rank)),
    };
    generic.append_in_place(at, |at, elements| {
        let point = if checked {
            checks.point(at, number, &dimensions, span)?
        } else {
            Checks::unchecked()
        };
        arithmetic.build(at, checks, point, elements[1], elements[0])
    })
}
