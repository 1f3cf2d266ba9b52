use shared_types::ScalarType;
use tensor::{Scalar, Tensor};

use super::OperationError;
use super::cast::{literal_float, literal_integer};
use super::error::WRONG_TYPE;
use super::shape::{self, Walk};

/// What a slice takes of one axis.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SliceEntry {
    /// One position, inside the axis, which is dropped.
    Position(u64),
    /// `extent` positions from `start` up, or the same from the last down.
    Range {
        start: u64,
        extent: u64,
        reversed: bool,
    },
}

/// A fresh tensor of the elements that `entries` take, one an axis.
pub(crate) fn slice(operand: &Tensor, entries: &[SliceEntry]) -> Result<Tensor, OperationError> {
    if entries.len() != operand.rank() {
        return Err(WRONG_TYPE);
    }
    let mut start = 0isize;
    let mut shape = Vec::new();
    let mut strides = Vec::new();
    let own = shape::strides(operand.shape());
    for ((entry, &whole), &stride) in entries.iter().zip(operand.shape()).zip(&own) {
        match *entry {
            SliceEntry::Position(position) if position < whole => {
                start += position as isize * stride;
            }
            SliceEntry::Range {
                start: first,
                extent,
                reversed,
            } if first.checked_add(extent).is_some_and(|end| end <= whole) => {
                let last = (first + extent).saturating_sub(1);
                let (from, stride) = if reversed {
                    (last, -stride)
                } else {
                    (first, stride)
                };
                // Of nothing there is no first position.
                if extent > 0 {
                    start += from as isize * stride.abs();
                }
                shape.push(extent);
                strides.push(stride);
            }
            SliceEntry::Position(_) | SliceEntry::Range { .. } => return Err(WRONG_TYPE),
        }
    }
    gather(operand, &shape, start, strides)
}

/// Axis `k` of the result is axis `axes[k]` of the operand.
pub(crate) fn permute(operand: &Tensor, axes: &[usize]) -> Result<Tensor, OperationError> {
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..operand.rank()) {
        return Err(WRONG_TYPE);
    }
    let own = shape::strides(operand.shape());
    let shape: Vec<u64> = axes.iter().map(|&axis| operand.shape()[axis]).collect();
    let strides = axes.iter().map(|&axis| own[axis]).collect();
    gather(operand, &shape, 0, strides)
}

/// The elements at these places of the operand, unchanged.
fn gather(
    operand: &Tensor,
    shape: &[u64],
    start: isize,
    strides: Vec<isize>,
) -> Result<Tensor, OperationError> {
    let size = operand.scalar_type().bytes();
    let mut result = Tensor::zeros(operand.scalar_type(), shape)?;
    let mut walk = Walk::new(shape, vec![start], &[strides]);
    let bytes = operand.bytes();
    for element in result.bytes_mut()?.chunks_exact_mut(size) {
        let at = walk.offset(0) * size;
        element.copy_from_slice(&bytes[at..at + size]);
        walk.step();
    }
    Ok(result)
}

/// Every element is 0 or 1.
pub(crate) fn filled(
    scalar: ScalarType,
    shape: &[u64],
    one: bool,
) -> Result<Tensor, OperationError> {
    let mut result = Tensor::zeros(scalar, shape)?;
    if one {
        let one = one_of(scalar)?;
        for position in 0..result.len() {
            result.set(position, one)?;
        }
    }
    Ok(result)
}

/// Ones where the row equals the column.
pub(crate) fn identity(scalar: ScalarType, shape: &[u64]) -> Result<Tensor, OperationError> {
    let &[rows, columns] = shape else {
        return Err(WRONG_TYPE);
    };
    let one = one_of(scalar)?;
    let mut result = Tensor::zeros(scalar, shape)?;
    for at in 0..rows.min(columns) {
        result.set((at * columns + at) as usize, one)?;
    }
    Ok(result)
}

fn one_of(scalar: ScalarType) -> Result<Scalar, OperationError> {
    if scalar.is_float() {
        literal_float(1.0, scalar)
    } else if scalar == ScalarType::Bool {
        Ok(Scalar::Bool(true))
    } else if scalar.is_integer() {
        literal_integer(1, scalar)
    } else {
        Err(WRONG_TYPE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(shape: &[u64]) -> Tensor {
        let elements: Vec<i16> = (0..shape.iter().product::<u64>() as i16).collect();
        Tensor::from_slice(shape, &elements).unwrap()
    }

    fn elements(tensor: &Tensor) -> &[i16] {
        tensor.as_slice().unwrap()
    }

    fn range(start: u64, extent: u64) -> SliceEntry {
        SliceEntry::Range {
            start,
            extent,
            reversed: false,
        }
    }

    #[test]
    fn slices_take_positions_and_ranges() {
        let operand = counting(&[3, 4]);
        let row = slice(&operand, &[SliceEntry::Position(1), range(0, 4)]).unwrap();
        assert_eq!((row.shape(), elements(&row)), (&[4][..], &[4, 5, 6, 7][..]));
        let block = slice(&operand, &[range(1, 2), range(2, 2)]).unwrap();
        assert_eq!(
            (block.shape(), elements(&block)),
            (&[2, 2][..], &[6, 7, 10, 11][..])
        );
        let reversed = SliceEntry::Range {
            start: 0,
            extent: 3,
            reversed: true,
        };
        let column = slice(&operand, &[reversed, SliceEntry::Position(0)]).unwrap();
        assert_eq!(elements(&column), [8, 4, 0]);
        let nothing = slice(&operand, &[range(3, 0), range(4, 0)]).unwrap();
        assert_eq!(nothing.shape(), [0, 0]);
        let one = slice(
            &operand,
            &[SliceEntry::Position(2), SliceEntry::Position(3)],
        )
        .unwrap();
        assert_eq!((one.rank(), elements(&one)), (0, &[11][..]));
        assert!(slice(&operand, &[range(2, 2), range(0, 4)]).is_err());
        assert!(slice(&operand, &[range(0, 3)]).is_err());
    }

    #[test]
    fn permutations_move_axes() {
        let operand = counting(&[2, 3]);
        let transposed = permute(&operand, &[1, 0]).unwrap();
        assert_eq!(
            (transposed.shape(), elements(&transposed)),
            (&[3, 2][..], &[0, 3, 1, 4, 2, 5][..])
        );
        let turned = permute(&counting(&[2, 3, 4]), &[2, 0, 1]).unwrap();
        assert_eq!(turned.shape(), [4, 2, 3]);
        // [3, 1, 2] of the result is [1, 2, 3] of the operand.
        assert_eq!(elements(&turned)[(3 * 2 + 1) * 3 + 2], (3 + 2) * 4 + 3);
        assert!(permute(&operand, &[0, 0]).is_err());
    }

    #[test]
    fn fills() {
        let ones = filled(ScalarType::F16, &[2], true).unwrap();
        assert_eq!(ones.get(1), Ok(Scalar::F16(half::f16::ONE)));
        assert_eq!(
            filled(ScalarType::Bool, &[1], true).unwrap().get(0),
            Ok(Scalar::Bool(true))
        );
        assert_eq!(
            filled(ScalarType::F64, &[1], false).unwrap().get(0),
            Ok(Scalar::F64(0.0))
        );
        let wide = identity(ScalarType::I16, &[2, 3]).unwrap();
        assert_eq!(elements(&wide), [1, 0, 0, 0, 1, 0]);
        assert!(identity(ScalarType::I16, &[2]).is_err());
        assert!(filled(ScalarType::Char, &[1], true).is_err());
    }
}
