use melior::ir::operation::{OperationLike, OperationMutLike};
use melior::ir::{OperationRef, Type, Value, ValueLike};

use super::operand::{Operand, Positions};
use super::values::extract;
use crate::ir::{Place, Rewritten, changed, internal, name_of};

/// One side of a product: elements of a buffer, or what element-wise operations that were fused
/// into the product make of several ones. They are computed where the elements are read.
pub(crate) struct Factor<'c, 'a> {
    value: Value<'c, 'a>,
    /// The operations of the body that compute it, in order.
    operations: Vec<OperationRef<'c, 'a>>,
    /// The body's arguments that they take.
    elements: Vec<(Value<'c, 'a>, Element<'c, 'a>)>,
}

/// What an argument of a body is at each point.
#[derive(Clone)]
pub(crate) enum Element<'c, 'a> {
    Of(Operand<'c, 'a>),
    Same(Value<'c, 'a>),
}

impl<'c, 'a> Factor<'c, 'a> {
    /// How a value of a body comes from its arguments; none where that takes one not among these.
    pub(crate) fn read(
        value: Value<'c, 'a>,
        body: &[OperationRef<'c, 'a>],
        arguments: &[(Value<'c, 'a>, Element<'c, 'a>)],
        sum: Value<'c, 'a>,
    ) -> Option<Self> {
        let mut wanted = vec![value];
        let mut operations = Vec::new();
        for &operation in body.iter().rev() {
            let result: Value = operation.result(0).ok()?.into();
            if wanted.contains(&result) {
                wanted.extend(operation.operands());
                operations.push(operation);
            }
        }
        operations.reverse();
        let elements = arguments
            .iter()
            .filter(|(argument, _)| wanted.contains(argument));
        (!wanted.contains(&sum)).then(|| Factor {
            value,
            operations,
            elements: elements.cloned().collect(),
        })
    }

    fn operands(&self) -> impl Iterator<Item = &Operand<'c, 'a>> {
        self.elements
            .iter()
            .filter_map(|(_, element)| match element {
                Element::Of(operand) => Some(operand),
                Element::Same(_) => None,
            })
    }

    pub(crate) fn has(&self, dimension: usize) -> bool {
        self.operands().any(|operand| operand.has(dimension))
    }

    /// Whether elements that follow each other along a dimension do so in memory.
    pub(crate) fn is_contiguous(&self, along: usize) -> bool {
        let mut operands = self.operands().filter(|operand| operand.has(along));
        self.has(along) && operands.all(|operand| operand.is_contiguous(along))
    }

    /// Of the largest element that it is made of.
    pub(crate) fn bytes(&self) -> u64 {
        self.operands()
            .map(|operand| operand.bytes)
            .max()
            .unwrap_or(1)
    }

    /// It at a position that is moved along a dimension.
    pub(crate) fn load_one(
        &self,
        place: Place<'c, 'a>,
        positions: &Positions<'c, 'a>,
        along: usize,
        by: u64,
    ) -> Rewritten<Value<'c, 'a>> {
        let mut known = Vec::new();
        for (argument, element) in &self.elements {
            let element = match element {
                Element::Of(operand) => operand.load_one(place, positions, along, by)?,
                Element::Same(value) => *value,
            };
            known.push((*argument, element));
        }
        self.compute(place, known)
    }

    /// So many along a dimension, as of [`Operand::load`].
    pub(crate) fn load(
        &self,
        place: Place<'c, 'a>,
        positions: &Positions<'c, 'a>,
        along: usize,
        width: u64,
    ) -> Rewritten<Value<'c, 'a>> {
        if let ([], [(_, Element::Of(operand))]) = (&*self.operations, &*self.elements) {
            return operand.load(place, positions, along, width);
        }
        let mut lanes = vec![Vec::new(); width as usize];
        for (argument, element) in &self.elements {
            let one = match element {
                Element::Of(operand) if operand.has(along) => {
                    let vector = operand.load(place, positions, along, width)?;
                    for (lane, by) in lanes.iter_mut().zip(0..) {
                        lane.push((*argument, extract(place, vector, operand.element, by)?));
                    }
                    continue;
                }
                Element::Of(operand) => operand.load_one(place, positions, along, 0)?,
                Element::Same(value) => *value,
            };
            for lane in &mut lanes {
                lane.push((*argument, one));
            }
        }
        let values = lanes.into_iter().map(|lane| self.compute(place, lane));
        let values: Vec<Value> = values.collect::<Rewritten<_>>()?;
        let vector = Type::vector(&[width], self.value.r#type());
        place.emit("vector.from_elements", &values, vector)
    }

    /// The value, from those of the body that are known; what is made outside stays.
    fn compute(
        &self,
        place: Place<'c, 'a>,
        mut known: Vec<(Value<'c, 'a>, Value<'c, 'a>)>,
    ) -> Rewritten<Value<'c, 'a>> {
        let find = |known: &[(Value<'c, 'a>, Value<'c, 'a>)], old: Value<'c, 'a>| {
            let mut known = known.iter();
            known
                .find(|(of, _)| *of == old)
                .map_or(old, |(_, value)| *value)
        };
        for operation in &self.operations {
            let new = place.put((**operation).clone());
            for (index, operand) in operation.operands().enumerate() {
                changed(new).set_operand(index, find(&known, operand));
            }
            let value = |of: OperationRef<'c, 'a>| Ok(of.result(0).map_err(internal)?.into());
            known.push((value(*operation)?, value(new)?));
        }
        Ok(find(&known, self.value))
    }
}

/// Whether an operation of a body computes one value from others, with no effect beside.
pub(crate) fn is_elementwise(operation: OperationRef<'_, '_>) -> bool {
    let name = name_of(operation);
    let is_one = operation.result_count() == 1 && operation.region_count() == 0;
    is_one && (name.starts_with("arith.") || name.starts_with("math."))
}
