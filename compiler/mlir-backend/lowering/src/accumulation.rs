use melior::ir::Value;
use neuro_hir::TensorType;
use shared_types::Span;

use crate::affine::IndexMap;
use crate::at::{At, Built};
use crate::fill::{empty, filled_tagged};
use crate::generic::{Generic, Iterator};

/// A loop that folds elements into accumulators which start from a seed.
pub(crate) struct Accumulation<'c, 'b, 't> {
    pub iterators: Vec<Iterator>,
    pub inputs: Vec<(Value<'c, 'b>, IndexMap)>,
    /// The accumulators, and where each point's lies.
    pub result: &'t TensorType,
    pub map: IndexMap,
    /// The tags of the seed's fill and of the loop, where they are scheduled.
    pub tags: Option<[String; 2]>,
    pub span: Span,
}

impl<'c: 'b, 'b> Accumulation<'c, 'b, '_> {
    /// `step` gives the accumulator's next value, from its value and the inputs' elements.
    pub(crate) fn append(
        self,
        at: At<'c, 'b>,
        seed: impl FnOnce(At<'c, 'b>) -> Built<Value<'c, 'b>>,
        step: impl for<'r> FnOnce(At<'c, 'r>, Value<'c, 'r>, &[Value<'c, 'r>]) -> Built<Value<'c, 'r>>,
    ) -> Built<Value<'c, 'b>> {
        let [fill, fold] = match &self.tags {
            Some([fill, fold]) => [Some(fill.as_str()), Some(fold.as_str())],
            None => [None, None],
        };
        let mut inputs = self.inputs;
        let count = inputs.len();
        // Without a fold there is one step a point, from the seed itself. A destination that is
        // read at parallel points would be read again at each point of a consumer that fuses.
        let destination = if self.iterators.contains(&Iterator::Reduction) {
            filled_tagged(at, self.result, seed, fill, self.span)?
        } else {
            let destination = empty(at, self.result, self.span)?;
            inputs.push((seed(at)?, IndexMap::scalar(self.iterators.len())));
            destination
        };
        let generic = Generic {
            iterators: self.iterators,
            inputs,
            output: (destination, self.map),
        };
        generic.append_tagged(at, fold, |at, elements| {
            step(at, elements[count], &elements[..count])
        })
    }
}
