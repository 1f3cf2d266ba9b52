//! A square of elements transposed in registers.

use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::{Type, Value};
use mlir_pipeline::rewrite::{Place, Rewritten};

/// Processors interleave vectors of so many bytes, or each such part of longer ones, by one
/// instruction.
const PART_BYTES: usize = 16;

/// The elements of `bytes` each that a part has, of a vector of so many.
pub(super) fn part(lanes: usize, bytes: usize) -> usize {
    lanes.min(PART_BYTES / bytes)
}

/// The columns of a strip as wide as one part, whose rows are parts. Each column has an element of
/// each row, in their order.
pub(super) fn columns<'c, 'a>(
    place: Place<'c, 'a>,
    rows: &[Value<'c, 'a>],
    part: usize,
    element: Type<'c>,
) -> Rewritten<Vec<Value<'c, 'a>>> {
    let lanes = rows.len();
    let shuffle = |left, right, mask: &[i64]| {
        let ty = Type::vector(&[mask.len() as u64], element);
        let mask = DenseI64ArrayAttribute::new(place.context, mask);
        let operation = place
            .operation("vector.shuffle")
            .add_operands(&[left, right])
            .add_attributes(&[place.named("mask", mask)])
            .add_results(&[ty]);
        place.value(operation)
    };
    // The rows that lie `part` apart, side by side.
    let beside = |first: usize| {
        let mut values: Vec<Value> = rows.iter().skip(first).step_by(part).copied().collect();
        let mut width = part as i64;
        while values.len() > 1 {
            let both: Vec<i64> = (0..2 * width).collect();
            let pairs = values.chunks(2);
            let joined = pairs.map(|pair| shuffle(pair[0], pair[1], &both));
            values = joined.collect::<Rewritten<_>>()?;
            width *= 2;
        }
        Ok(values[0])
    };
    let mut vectors: Vec<Value> = (0..part).map(beside).collect::<Rewritten<_>>()?;
    let half = part / 2;
    let interleaved = |from: usize| -> Vec<i64> {
        let parts = (0..lanes).step_by(part);
        let positions = parts.flat_map(|part| part + from..part + from + half);
        let pairs = positions.flat_map(|position| [position, lanes + position]);
        pairs.map(|position| position as i64).collect()
    };
    let (low, high) = (interleaved(0), interleaved(half));
    for _ in 0..part.ilog2() {
        let mut next = Vec::new();
        for index in 0..half {
            let (left, right) = (vectors[index], vectors[index + half]);
            next.push(shuffle(left, right, &low)?);
            next.push(shuffle(left, right, &high)?);
        }
        vectors = next;
    }
    Ok(vectors)
}
