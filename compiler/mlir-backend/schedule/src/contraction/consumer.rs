//! What an element-wise operation makes of a product, made of each panel once its last products are
//! added, while it is in the caches.

use melior::dialect::arith::CmpiPredicate;
use melior::ir::attribute::{Attribute, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike};
use melior::ir::{Module, OperationRef, Value};
use mlir_pipeline::rewrite::{
    Place, Rewritten, block_of, changed, destroy, internal, is_view, is_within, name_of, nested,
    operations, replace_uses, source, users,
};
use mlir_pipeline::{MlirError, Session, integer_constant};

use crate::apply::apply;
use crate::nest::Nest;
use crate::script::Script;

/// Marks a loop over panels of a product with the axis that it walks; the contracted one comes
/// after the result's.
pub(super) const AXIS: &str = "neuro.axis";
/// Marks the operation that is moved, while it is.
const MOVED: &str = "neuro.consumer";

/// Moves the element-wise operation that comes next after the loops of a product, on buffers, into
/// them: each panel of the result is passed over once. No element is computed in another way.
pub fn fuse_consumers<'c>(session: &'c Session, module: &Module<'c>) -> Result<(), MlirError> {
    for function in operations(module.body()) {
        let block = block_of(function);
        for root in block.map(operations).unwrap_or_default() {
            if let Some(product) = Product::of(root)
                && let Some(consumer) = product.consumer()
            {
                product.take(session, function, consumer)?;
            }
        }
    }
    Ok(())
}

/// The loops of a product over panels, each within the one before.
struct Product<'c, 'a> {
    loops: Vec<Panels<'c, 'a>>,
}

/// A loop over panels, along an axis.
pub(super) struct Panels<'c, 'a> {
    pub operation: OperationRef<'c, 'a>,
    pub axis: usize,
    extent: u64,
    step: u64,
}

impl<'c, 'a> Product<'c, 'a> {
    /// The product whose outermost loop this is.
    fn of(root: OperationRef<'c, 'a>) -> Option<Self> {
        Panels::of(root)?;
        let loops: Vec<Panels> = nested(root).into_iter().filter_map(Panels::of).collect();
        let is_chain = loops.windows(2).all(|pair| {
            let around = pair[1].operation.parent_operation();
            around.is_some_and(|around| around.to_raw().ptr == pair[0].operation.to_raw().ptr)
        });
        is_chain.then_some(Product { loops })
    }

    fn root(&self) -> OperationRef<'c, 'a> {
        self.loops[0].operation
    }

    fn innermost(&self) -> OperationRef<'c, 'a> {
        self.loops[self.loops.len() - 1].operation
    }

    /// What comes between the loops and the next operation that computes something, and that.
    fn after(&self) -> (Vec<OperationRef<'c, 'a>>, Option<OperationRef<'c, 'a>>) {
        let mut between = Vec::new();
        let mut next = self.root().next_in_block();
        while let Some(operation) = next {
            let name = name_of(operation);
            let computes_nothing = is_view(&name)
                || matches!(
                    name.as_str(),
                    "memref.alloc" | "memref.dealloc" | "arith.constant"
                );
            if !computes_nothing {
                break;
            }
            between.push(operation);
            next = operation.next_in_block();
        }
        (between, next)
    }

    /// The operation that takes each element of the product by itself, if it may be moved.
    fn consumer(&self) -> Option<OperationRef<'c, 'a>> {
        let consumer = self.after().1?;
        let nest = Nest::read(&consumer)?;
        let rank = nest.extents.len();
        let walks_all = |access: &[Option<usize>]| access.iter().copied().eq((0..rank).map(Some));
        let walks_forward = |access: &[Option<usize>]| {
            access.iter().all(Option::is_some)
                && access.is_sorted_by(|before, after| before < after)
        };
        let is_elementwise = !nest.folds.contains(&true)
            && nest.has_one_result
            && nest.is_pure
            && walks_all(&nest.output)
            && nest.inputs.iter().all(|access| walks_forward(access));
        let panels = self.loops.iter().filter(|panels| panels.axis < rank);
        let agrees = panels
            .clone()
            .all(|panels| panels.extent == nest.extents[panels.axis]);
        if !is_elementwise || !agrees || panels.count() == 0 {
            return None;
        }
        let written = nested(self.innermost())
            .into_iter()
            .filter_map(written_buffer);
        let written: Vec<Value> = written.map(source).collect();
        let operands: Vec<Value> = consumer.operands().collect();
        let (output, inputs) = operands.split_last()?;
        let product = inputs.iter().find(|input| written.contains(input))?;
        let is_free = output == product || !is_used_within(*output, self.root());
        is_free.then_some(consumer)
    }

    /// Moves the consumer to the end of the innermost loop.
    fn take(
        &self,
        session: &'c Session,
        function: OperationRef<'c, 'a>,
        consumer: OperationRef<'c, 'a>,
    ) -> Rewritten<()> {
        let rank = Nest::read(&consumer).map_or(0, |nest| nest.extents.len());
        let of_result = |panels: &&Panels| panels.axis < rank;
        let mut sizes = vec![0; rank];
        for panels in self.loops.iter().filter(of_result) {
            sizes[panels.axis] = panels.step;
        }
        // In front of the loops, so that all that its own loops need is there too.
        for operation in self.after().0 {
            if name_of(operation) != "memref.dealloc" {
                changed(operation).move_before(self.root());
            }
        }
        changed(consumer).move_before(self.root());
        changed(consumer).set_discardable_attribute(MOVED, Attribute::unit(session.context()));
        let mut script = Script::default();
        let tagged = script.tagged(MOVED);
        script.tile(&tagged, &sizes, None);
        apply(session, function, &script.finish())?;

        let lost = || internal("the consumer of a product is gone");
        let all = nested(function).into_iter();
        let consumer = all
            .rev()
            .find(|one| one.has_attribute(MOVED))
            .ok_or_else(lost)?;
        let removed = changed(consumer).remove_discardable_attribute(MOVED);
        removed.map_err(internal)?;
        let around =
            std::iter::successors(consumer.parent_operation(), |one| one.parent_operation());
        let count = sizes.iter().filter(|&&size| size > 0).count();
        let mut loops: Vec<OperationRef> = around.take(count).collect();
        loops.reverse();

        let end = self.end(session, rank)?;
        for (axis, &made) in (0..rank).filter(|&axis| sizes[axis] > 0).zip(&loops) {
            let ours = self
                .loops
                .iter()
                .find(|panels| panels.axis == axis)
                .ok_or_else(lost)?;
            replace_uses(position(made)?, position(ours.operation)?);
            for operation in block_of(made).map(operations).unwrap_or_default() {
                if !matches!(name_of(operation).as_str(), "scf.for" | "scf.yield") {
                    changed(operation).move_before(end);
                }
            }
        }
        loops.first().copied().map(destroy);
        Ok(())
    }

    /// What ends the block where a panel has its last products: that of the innermost loop, or of a
    /// branch in it for the last panel of the contracted axis.
    fn end(&self, session: &'c Session, depth: usize) -> Rewritten<OperationRef<'c, 'a>> {
        let none = || internal("a loop without an end");
        let block = block_of(self.innermost()).ok_or_else(none)?;
        let end = block.terminator().ok_or_else(none)?;
        let Some(panels) = self.loops.iter().find(|panels| panels.axis == depth) else {
            return Ok(end);
        };
        let place = Place::before(session.context(), end).ok_or_else(none)?;
        let last = (panels.extent - 1) / panels.step * panels.step;
        let last = place.index(last)?;
        let is_last = place.compare(CmpiPredicate::Eq, [position(panels.operation)?, last])?;
        let branch = place.operation("scf.if").add_operands(&[is_last]);
        let branch = place.end_of(place.with_block(branch, &[], 1)?);
        branch.build(branch.operation("scf.yield"))
    }
}

impl<'c, 'a> Panels<'c, 'a> {
    pub(super) fn of(operation: OperationRef<'c, 'a>) -> Option<Self> {
        let axis = IntegerAttribute::try_from(operation.attribute(AXIS).ok()?).ok()?;
        let constant = |index| integer_constant(operation.operand(index).ok()?);
        let (from, extent, step) = (constant(0)?, constant(1)?, constant(2)?);
        let panels = Panels {
            operation,
            axis: axis.value().try_into().ok()?,
            extent: extent.try_into().ok()?,
            step: step.try_into().ok()?,
        };
        (from == 0 && extent > 0 && step > 0).then_some(panels)
    }
}

/// The position of a loop.
pub(super) fn position<'c, 'a>(of: OperationRef<'c, 'a>) -> Rewritten<Value<'c, 'a>> {
    let block = block_of(of).ok_or_else(|| internal("a loop without its block"))?;
    Ok(block.argument(0).map_err(internal)?.into())
}

/// The buffer that an operation of a product writes.
fn written_buffer<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    match name_of(operation).as_str() {
        "vector.transfer_write" => operation.operand(1).ok(),
        _ => None,
    }
}

/// Whether an operation uses the buffer, or a view of it.
fn is_used_within<'c: 'a, 'a>(buffer: Value<'c, 'a>, operation: OperationRef<'c, 'a>) -> bool {
    users(buffer).into_iter().any(|user| {
        let view = || {
            user.result(0)
                .is_ok_and(|view| is_used_within(view.into(), operation))
        };
        is_within(user, operation) || is_view(&name_of(user)) && view()
    })
}
