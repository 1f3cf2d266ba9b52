use melior::ir::attribute::{ArrayAttribute, Attribute, DenseI32ArrayAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationBuilder;
use melior::ir::{Block, Region, RegionLike, Type, Value, ValueLike};

use crate::affine::IndexMap;
use crate::at::{At, Built, build, internal};

/// Whether the points along a dimension are independent, or fold in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Iterator {
    Parallel,
    Reduction,
}

/// The one form of every loop over elements: a `linalg.generic`.
pub(crate) struct Generic<'c, 'b> {
    pub iterators: Vec<Iterator>,
    /// What it reads, each with its map: a tensor, or a scalar with a map to nothing.
    pub inputs: Vec<(Value<'c, 'b>, IndexMap)>,
    /// The destination and its map.
    pub output: (Value<'c, 'b>, IndexMap),
}

impl<'c: 'b, 'b> Generic<'c, 'b> {
    /// Appends the operation. `body` gets a place in the region and the elements of the inputs
    /// and the destination, and gives the element to yield.
    pub(crate) fn append(
        self,
        at: At<'c, 'b>,
        body: impl for<'r> FnOnce(At<'c, 'r>, &[Value<'c, 'r>]) -> Built<Value<'c, 'r>>,
    ) -> Built<Value<'c, 'b>> {
        self.append_tagged(at, None, body)
    }

    /// The same with a unit attribute of this name, by which a schedule finds the operation.
    pub(crate) fn append_tagged(
        self,
        at: At<'c, 'b>,
        tag: Option<&str>,
        body: impl for<'r> FnOnce(At<'c, 'r>, &[Value<'c, 'r>]) -> Built<Value<'c, 'r>>,
    ) -> Built<Value<'c, 'b>> {
        let result = self.output.0.r#type();
        let mut operation = self.operation(at, body)?.add_results(&[result]);
        if let Some(tag) = tag {
            operation = operation.add_attributes(&[at.named(tag, Attribute::unit(at.context))]);
        }
        at.value(operation)
    }

    /// The same over memrefs: the destination's own buffer takes the elements.
    pub(crate) fn append_in_place(
        self,
        at: At<'c, 'b>,
        body: impl for<'r> FnOnce(At<'c, 'r>, &[Value<'c, 'r>]) -> Built<Value<'c, 'r>>,
    ) -> Built<()> {
        at.append(build(self.operation(at, body)?)?);
        Ok(())
    }

    fn operation(
        self,
        at: At<'c, 'b>,
        body: impl for<'r> FnOnce(At<'c, 'r>, &[Value<'c, 'r>]) -> Built<Value<'c, 'r>>,
    ) -> Built<OperationBuilder<'c>> {
        let operands = self.inputs.iter().chain([&self.output]);
        let elements: Vec<_> = operands
            .clone()
            .map(|(value, _)| (element_type(value.r#type()), at.location))
            .collect();
        let block = Block::new(&elements);
        {
            let inner = At {
                context: at.context,
                block: &block,
                location: at.location,
            };
            let arguments = (0..elements.len())
                .map(|index| Ok(block.argument(index).map_err(internal)?.into()))
                .collect::<Built<Vec<Value>>>()?;
            let result = body(inner, &arguments)?;
            inner.append(build(
                inner.operation("linalg.yield").add_operands(&[result]),
            )?);
        }
        let region = Region::new();
        region.append_block(block);

        let maps: Vec<Attribute> = operands
            .clone()
            .map(|(_, map)| map.attribute(at.context))
            .collect();
        let iterators = self
            .iterators
            .iter()
            .map(|iterator| iterator.attribute(at))
            .collect::<Built<Vec<_>>>()?;
        let segments = DenseI32ArrayAttribute::new(at.context, &[self.inputs.len() as i32, 1]);
        let attributes = [
            at.named("indexing_maps", ArrayAttribute::new(at.context, &maps)),
            at.named(
                "iterator_types",
                ArrayAttribute::new(at.context, &iterators),
            ),
            at.named("operandSegmentSizes", segments),
        ];
        let values: Vec<Value> = operands.map(|&(value, _)| value).collect();
        Ok(at
            .operation("linalg.generic")
            .add_attributes(&attributes)
            .add_operands(&values)
            .add_regions([region]))
    }
}

impl Iterator {
    fn attribute<'c>(self, at: At<'c, '_>) -> Built<Attribute<'c>> {
        let text = match self {
            Iterator::Parallel => "#linalg.iterator_type<parallel>",
            Iterator::Reduction => "#linalg.iterator_type<reduction>",
        };
        let missing = || internal(melior::Error::AttributeParse(text.into()));
        Attribute::parse(at.context, text).ok_or_else(missing)
    }
}

/// The element type of a tensor or a memref; a scalar is its own.
fn element_type(ty: Type<'_>) -> Type<'_> {
    use melior::ir::r#type::{MemRefType, RankedTensorType, ShapedTypeLike};
    if let Ok(tensor) = RankedTensorType::try_from(ty) {
        return tensor.element();
    }
    match MemRefType::try_from(ty) {
        Ok(memref) => memref.element(),
        Err(_) => ty,
    }
}
