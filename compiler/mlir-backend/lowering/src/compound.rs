//! Compound assignment: the `&mut` target's own buffer takes each element's new value (backend
//! specification, §The other operations).

use melior::ir::Value;
use melior::ir::attribute::Attribute;
use neuro_hir::TensorType;

use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::check::Checks;
use crate::element::Arithmetic;
use crate::elementwise::{self, Operand};
use crate::generic::{Generic, Iterator};
use crate::types::buffer_type;
use crate::unlowered::Unlowered;

/// The elements of a parameter's buffer, as they are before the assignment.
pub(crate) fn read<'c: 'b, 'b>(
    at: At<'c, 'b>,
    buffer: Value<'c, 'b>,
    ty: melior::ir::Type<'c>,
) -> Built<Value<'c, 'b>> {
    let operation = at
        .operation("bufferization.to_tensor")
        .add_attributes(&[at.named("restrict", Attribute::unit(at.context))])
        .add_operands(&[buffer])
        .add_results(&[ty]);
    at.value(operation)
}

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
            let buffer = at
                .operation("bufferization.to_buffer")
                .add_attributes(&[at.named("read_only", Attribute::unit(at.context))])
                .add_operands(&[*value])
                .add_results(&[buffer_type(at.context, ty, span)?]);
            (at.value(buffer)?, map)
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
