use melior::ir::attribute::ArrayAttribute;
use melior::ir::block::{BlockArgument, BlockLike};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, IntegerType, MemRefType, ShapedTypeLike};
use melior::ir::{OperationRef, Type, TypeLike, Value, ValueLike};
use mlir_pipeline::{access, is_diagonal};

use super::factor::{Element, Factor, is_elementwise};
use super::operand::{Operand, Positions};
use super::plan::Shape;
use super::values::split;
use crate::ir::{Place, Rewritten, block_of, internal, name_of, operations};

/// A sum of products on buffers: each element of the result starts from one value and adds, one by
/// one, the products of an element of either operand.
pub(crate) struct Product<'c, 'a> {
    pub generic: OperationRef<'c, 'a>,
    /// What fills the result before; no other operation between them touches it.
    pub fill: OperationRef<'c, 'a>,
    pub start: Value<'c, 'a>,
    pub left: Factor<'c, 'a>,
    /// It has the result's last axis.
    pub right: Factor<'c, 'a>,
    pub result: Operand<'c, 'a>,
    pub multiply: &'static str,
    pub add: &'static str,
    /// Of each dimension, at least 1.
    pub extents: Vec<u64>,
    /// The result's dimensions by the operands that have them, in the result's order.
    pub batches: Vec<usize>,
    pub rows: Vec<usize>,
    pub columns: Vec<usize>,
    /// The dimensions that are added over, the last one fastest.
    pub folded: Vec<usize>,
}

impl<'c, 'a> Product<'c, 'a> {
    /// What an operation is, if it is a sum of products with rows and columns, whose result is
    /// filled before; `before` are the operations before it.
    pub(crate) fn read(
        generic: OperationRef<'c, 'a>,
        before: &[OperationRef<'c, 'a>],
    ) -> Option<Self> {
        if name_of(generic) != "linalg.generic" {
            return None;
        }
        let iterators = array(generic, "iterator_types")?;
        let mut extents = vec![0; iterators.len()];
        let mut elements = elements(generic, &mut extents)?;
        let (sum, result) = elements.pop()?;
        let Element::Of(result) = result else {
            return None;
        };
        let (multiply, add, factors) = arithmetic(generic, result.element, &elements, sum)?;
        let [first, second] = factors;
        let (fill, start) = fill(before, result.buffer)?;

        let kept = result.dimensions.clone();
        let mut folded = 0..extents.len();
        let folded: Vec<usize> = folded
            .by_ref()
            .filter(|axis| !kept.contains(axis))
            .collect();
        let folds = |dimension: usize| {
            let iterator = iterators.element(dimension);
            iterator.is_ok_and(|iterator| iterator.to_string().contains("reduction"))
        };
        let column = *kept.last()?;
        let (left, right) = match (first.has(column), second.has(column)) {
            (true, false) => (second, first),
            (false, true) => (first, second),
            _ => return None,
        };
        let group = |in_left: bool, in_right: bool| -> Vec<usize> {
            let kept = kept.iter().copied();
            kept.filter(|&axis| left.has(axis) == in_left && right.has(axis) == in_right)
                .collect()
        };
        let (batches, rows, columns) = (group(true, true), group(true, false), group(false, true));
        let in_both = |&axis: &usize| left.has(axis) && right.has(axis);
        let is_one = !extents.contains(&0)
            && !rows.is_empty()
            && !folded.is_empty()
            && folded.iter().all(in_both)
            && (0..extents.len()).all(|axis| folds(axis) == folded.contains(&axis));
        is_one.then_some(Product {
            generic,
            fill,
            start,
            left,
            right,
            result,
            multiply,
            add,
            extents,
            batches,
            rows,
            columns,
            folded,
        })
    }

    /// The innermost dimensions of the rows and of the columns.
    pub(crate) fn last(&self) -> Rewritten<(usize, usize)> {
        let last = self.rows.last().zip(self.columns.last());
        last.map(|(&row, &column)| (row, column))
            .ok_or_else(|| internal("a product without rows or columns"))
    }

    /// The sums with one product more: two roundings of a float.
    pub(crate) fn step(
        &self,
        place: Place<'c, 'a>,
        sums: Value<'c, 'a>,
        left: Value<'c, 'a>,
        right: Value<'c, 'a>,
    ) -> Rewritten<Value<'c, 'a>> {
        let ty = sums.r#type();
        let product = place.emit(self.multiply, &[left, right], ty)?;
        place.emit(self.add, &[sums, product], ty)
    }

    /// How many positions dimensions have, taken together.
    pub(crate) fn size(&self, dimensions: &[usize]) -> u64 {
        dimensions.iter().map(|&axis| self.extents[axis]).product()
    }

    /// Sets the position along each of some dimensions from their position taken together, the last
    /// one fastest.
    pub(crate) fn spread(
        &self,
        place: Place<'c, 'a>,
        dimensions: &[usize],
        mut together: Value<'c, 'a>,
        positions: &mut Positions<'c, 'a>,
    ) -> Rewritten<()> {
        for (number, &axis) in dimensions.iter().enumerate().rev() {
            let mut position = together;
            if number > 0 {
                (together, position) = split(place, together, self.extents[axis])?;
            }
            positions[axis] = Some(position);
        }
        Ok(())
    }

    pub(crate) fn shape(&self) -> Shape {
        let last = |group: &[usize]| group.last().map_or(1, |&axis| self.extents[axis]);
        Shape {
            bytes: self.result.bytes,
            is_float: !self.result.element.is_integer(),
            batches: self.size(&self.batches),
            rows: self.size(&self.rows),
            columns: self.size(&self.columns),
            folded: self.size(&self.folded),
            last_rows: last(&self.rows),
            last_columns: last(&self.columns),
        }
    }
}

fn array<'c>(operation: OperationRef<'c, '_>, name: &str) -> Option<ArrayAttribute<'c>> {
    ArrayAttribute::try_from(operation.attribute(name).ok()?).ok()
}

/// The arguments of the body and what they are; the buffers' shapes tell the extents.
fn elements<'c, 'a>(
    generic: OperationRef<'c, 'a>,
    extents: &mut [u64],
) -> Option<Vec<(Value<'c, 'a>, Element<'c, 'a>)>> {
    let maps = array(generic, "indexing_maps")?;
    let block = block_of(generic)?;
    let mut element = |(index, buffer): (usize, Value<'c, 'a>)| {
        let argument = block.argument(index).ok()?.into();
        let Ok(ty) = MemRefType::try_from(buffer.r#type()) else {
            return Some((argument, Element::Same(buffer)));
        };
        let walked = access(maps.element(index).ok()?).filter(|walked| !is_diagonal(walked))?;
        let dimensions: Vec<usize> = walked.into_iter().collect::<Option<_>>()?;
        for (axis, &dimension) in dimensions.iter().enumerate() {
            let Ok(DimSize::Static(extent)) = ty.dim_size(axis) else {
                return None;
            };
            *extents.get_mut(dimension)? = extent;
        }
        let operand = Operand {
            buffer,
            dimensions,
            element: ty.element(),
            bytes: bytes(ty.element())?,
            is_plain: ty.affine_map().is_identity(),
        };
        Some((argument, Element::Of(operand)))
    };
    generic.operands().enumerate().map(&mut element).collect()
}

type Arithmetic<'c, 'a> = (&'static str, &'static str, [Factor<'c, 'a>; 2]);

/// How a step multiplies and adds, and what, if that is all that it does.
fn arithmetic<'c, 'a>(
    generic: OperationRef<'c, 'a>,
    element: Type<'c>,
    elements: &[(Value<'c, 'a>, Element<'c, 'a>)],
    sum: Value<'c, 'a>,
) -> Option<Arithmetic<'c, 'a>> {
    let (multiply, add) = match element.is_integer() {
        true => ("arith.muli", "arith.addi"),
        false => ("arith.mulf", "arith.addf"),
    };
    let body = operations(block_of(generic)?);
    let [before @ .., product, added, end] = body.as_slice() else {
        return None;
    };
    let (multiplied, next) = (product.result(0).ok()?.into(), added.result(0).ok()?.into());
    let terms: Vec<Value> = added.operands().collect();
    let is_one = name_of(*product) == multiply
        && name_of(*added) == add
        && (terms == [sum, multiplied] || terms == [multiplied, sum])
        && end.operands().eq([next])
        && before.iter().copied().all(is_elementwise);
    let factor = |index| Factor::read(product.operand(index).ok()?, before, elements, sum);
    match is_one {
        true => Some((multiply, add, [factor(0)?, factor(1)?])),
        false => None,
    }
}

/// Of an element that a kernel computes with.
fn bytes(element: Type<'_>) -> Option<u64> {
    match IntegerType::try_from(element) {
        Ok(integer) => (integer.width() >= 8).then(|| u64::from(integer.width() / 8)),
        Err(_) => match element.to_string().as_str() {
            "f32" => Some(4),
            "f64" => Some(8),
            _ => None,
        },
    }
}

/// The last operation that touches a result, and the value that it fills it with; none where it
/// does something else.
fn fill<'c, 'a>(
    before: &[OperationRef<'c, 'a>],
    result: Value<'c, 'a>,
) -> Option<(OperationRef<'c, 'a>, Value<'c, 'a>)> {
    let touches = |operation: &&OperationRef<'c, 'a>| {
        let mut operands = operation.operands();
        operands.any(|operand| operand == result)
    };
    let fill = *before.iter().rev().find(touches)?;
    let end = block_of(fill)?.first_operation()?;
    let fills = name_of(end) == "linalg.yield"
        && fill.operand_count() == 1
        && access(array(fill, "indexing_maps")?.element(0).ok()?)?
            .iter()
            .all(Option::is_some);
    let start: Value = end.operand(0).ok()?;
    // What is made outside is one value for all elements.
    (fills && BlockArgument::try_from(start).is_err()).then_some((fill, start))
}
