use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationBuilder;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, Value};

use super::values::{alignment, beyond, extract};
use crate::ir::{Place, Rewritten, internal};

/// A buffer, and the dimension that each of its axes runs along, no two the same.
#[derive(Clone)]
pub(crate) struct Operand<'c, 'a> {
    pub buffer: Value<'c, 'a>,
    pub dimensions: Vec<usize>,
    pub element: Type<'c>,
    /// Of an element.
    pub bytes: u64,
    /// Whether its elements lie row-major from its start.
    pub is_plain: bool,
}

/// The position along each dimension that is known.
pub(crate) type Positions<'c, 'a> = Vec<Option<Value<'c, 'a>>>;

impl<'c, 'a> Operand<'c, 'a> {
    pub(crate) fn has(&self, dimension: usize) -> bool {
        self.dimensions.contains(&dimension)
    }

    /// Whether elements that follow each other along a dimension do so in memory.
    pub(crate) fn is_contiguous(&self, along: usize) -> bool {
        self.is_plain && self.dimensions.last() == Some(&along)
    }

    /// The element at a position that is moved along a dimension.
    pub(crate) fn load_one(
        &self,
        place: Place<'c, 'a>,
        positions: &Positions<'c, 'a>,
        along: usize,
        by: u64,
    ) -> Rewritten<Value<'c, 'a>> {
        let at = self.at(&moved(place, positions, along, by)?)?;
        place.emit("memref.load", &at, self.element)
    }

    /// So many elements along a dimension. The position along it is a multiple of the width, and
    /// so is its extent.
    pub(crate) fn load(
        &self,
        place: Place<'c, 'a>,
        positions: &Positions<'c, 'a>,
        along: usize,
        width: u64,
    ) -> Rewritten<Value<'c, 'a>> {
        let vector = Type::vector(&[width], self.element);
        if self.is_contiguous(along) {
            let load = place.operation("vector.load").add_results(&[vector]);
            let load = load.add_operands(&self.at(positions)?);
            return place.value(self.aligned(place, load, width));
        }
        let elements = (0..width).map(|by| self.load_one(place, positions, along, by));
        let elements: Vec<Value> = elements.collect::<Rewritten<_>>()?;
        place.emit("vector.from_elements", &elements, vector)
    }

    /// Writes what [`Operand::load`] would read.
    pub(crate) fn store(
        &self,
        place: Place<'c, 'a>,
        vector: Value<'c, 'a>,
        positions: &Positions<'c, 'a>,
        along: usize,
        width: u64,
    ) -> Rewritten<()> {
        if self.is_contiguous(along) {
            let operands = [vec![vector], self.at(positions)?].concat();
            let store = place.operation("vector.store").add_operands(&operands);
            place.build(self.aligned(place, store, width))?;
            return Ok(());
        }
        for by in 0..width {
            let element = extract(place, vector, self.element, by)?;
            let at = self.at(&moved(place, positions, along, by)?)?;
            let operands = [vec![element], at].concat();
            place.build(place.operation("memref.store").add_operands(&operands))?;
        }
        Ok(())
    }

    fn at(&self, positions: &Positions<'c, 'a>) -> Rewritten<Vec<Value<'c, 'a>>> {
        let mut at = vec![self.buffer];
        for &dimension in &self.dimensions {
            let position = positions.get(dimension).copied().flatten();
            at.push(position.ok_or_else(|| internal("an axis without a position"))?);
        }
        Ok(at)
    }

    fn aligned(
        &self,
        place: Place<'c, 'a>,
        operation: OperationBuilder<'c>,
        width: u64,
    ) -> OperationBuilder<'c> {
        let wide = IntegerType::new(place.context, 64).into();
        let alignment = IntegerAttribute::new(wide, alignment(width * self.bytes) as i64);
        operation.add_attributes(&[place.named("alignment", alignment)])
    }
}

/// The positions, the one along a dimension so many on.
pub(crate) fn moved<'c, 'a>(
    place: Place<'c, 'a>,
    positions: &Positions<'c, 'a>,
    along: usize,
    by: u64,
) -> Rewritten<Positions<'c, 'a>> {
    let mut positions = positions.clone();
    if let Some(position) = positions.get_mut(along) {
        let from = position.ok_or_else(|| internal("an axis without a position"))?;
        *position = Some(beyond(place, from, by)?);
    }
    Ok(positions)
}
