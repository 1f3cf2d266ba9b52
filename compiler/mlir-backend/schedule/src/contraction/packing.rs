//! The panels of a product's operands, as they are copied and read (backend specification, §The
//! contraction schedule).

use mlir_lowering::ContractionShape;

use super::plan::{Panels, Plan};
use crate::script::{ANY, Handle, Script};

impl Script {
    /// Copies both operands' panels to contiguous memory, block by block and padded with zeros,
    /// once each; the first one's blocks turned, so that a position's factors lie side by side. A
    /// sum of products of zeros is `+0.0`, which changes no accumulator. Threads may share the copy
    /// of the second one.
    pub(super) fn pack(
        &mut self,
        contraction: &ContractionShape,
        plan: &Plan,
        panels: &Panels,
        row_panels: Option<Handle>,
        block: &Handle,
        shares: bool,
    ) -> Handle {
        // The padding's slices must be simple before it is hoisted.
        self.patterns(&[
            "canonicalization",
            "linalg.tiling_canonicalization",
            "scf.for_loop_canonicalization",
        ]);
        // So must the second operand's be of the loop over rows, which its panel leaves.
        if let Some(row_panels) = &row_panels {
            self.line(format!("transform.apply_licm to {row_panels} : {ANY}"));
        }
        let zero = match contraction.scalar.is_float() {
            true => format!("0.0 : {}", contraction.scalar),
            false => format!("0 : i{}", contraction.scalar.bytes() * 8),
        };
        let dimensions: Vec<usize> = (0..contraction.dimensions()).collect();
        let multiples = dimensions.iter().map(|&dimension| match dimension {
            _ if dimension == contraction.depth() => panels.step,
            _ => 1,
        });
        let multiples: Vec<u64> = multiples.collect();
        let [padded, pads, copies] = [self.handle(), self.handle(), self.handle()];
        self.line(format!(
            "{padded}, {pads}, {copies} = transform.structured.pad {block} \
             pad_to_multiple_of {multiples:?} {{padding_values = [{zero}, {zero}, {zero}], padding_dimensions = {dimensions:?}, \
             nofold_flags = [1, 1, 0], copy_back_op = \"none\"}} : ({ANY}) -> ({ANY}, {ANY}, {ANY})"
        ));
        // The second operand's panel is the same for all panels of rows.
        let hoisted = [2, 2 + usize::from(row_panels.is_some())];
        for operand in [1, 0] {
            let pad = self.producer(&padded, operand);
            let tag = pack_tag(contraction, operand);
            self.line(format!("transform.annotate {pad} \"{tag}\" : {ANY}"));
            let [typed, panel] = [self.handle(), self.handle()];
            self.line(format!(
                "{typed} = transform.cast {pad} : {ANY} to !transform.op<\"tensor.pad\">"
            ));
            let order = turned(contraction, operand);
            let turned = order.map_or(String::new(), |order| format!(", transpose by {order:?}"));
            self.line(format!(
                "{panel} = transform.structured.hoist_pad {typed} by {} loops{turned} \
                 : (!transform.op<\"tensor.pad\">) -> {ANY}",
                hoisted[operand]
            ));
            if shares && operand == 1 {
                let pad = self.tagged(&tag);
                self.share_around(&pad);
            }
        }
        if plan.cuts(contraction, 0..contraction.kept.len()) {
            let pad = self.producer(&padded, 2);
            let sizes: Vec<u64> = (0..contraction.kept.len())
                .map(|axis| plan.block_extent(contraction, axis))
                .collect();
            self.line(format!(
                "transform.structured.vectorize {pad} vector_sizes {sizes:?} : {ANY}"
            ));
        }
        self.copies(contraction, plan, panels.step);
        padded
    }

    fn producer(&mut self, operation: &Handle, operand: usize) -> Handle {
        let handle = self.handle();
        self.line(format!(
            "{handle} = transform.get_producer_of_operand {operation}[{operand}] : ({ANY}) -> {ANY}"
        ));
        handle
    }

    /// The loop over the positions of a panel. Those of an operand whose blocks were turned are read
    /// where the panel has them.
    pub(super) fn positions(
        &mut self,
        contraction: &ContractionShape,
        padded: &Handle,
        one: &[u64],
    ) {
        let turned = (0..2).filter(|&operand| turned(contraction, operand).is_some());
        let panels: Vec<Handle> = turned
            .map(|operand| self.producer(padded, operand))
            .collect();
        let (_, mut around) = self.loops("tile_using_for", padded, one, "");
        for panel in panels {
            let [read, outer] = [self.handle(), self.handle()];
            self.line(format!(
                "{read}, {outer} = transform.structured.fuse_into_containing_op {panel} \
                 into {} : ({ANY}, {ANY}) -> ({ANY}, {ANY})",
                around[0]
            ));
            self.line(format!("transform.structured.vectorize {read} : {ANY}"));
            around = vec![outer];
        }
    }

    /// The copies into panels, in vectors of so many positions of the contracted axis.
    fn copies(&mut self, contraction: &ContractionShape, plan: &Plan, step: u64) {
        for (operand, axes) in contraction.operands.iter().enumerate() {
            let pad = self.tagged(&pack_tag(contraction, operand));
            let sizes = |others: &dyn Fn(usize) -> u64| -> Vec<u64> {
                let size = |&axis: &usize| match axis == contraction.depth() {
                    true => step,
                    false => others(axis),
                };
                axes.iter().map(size).collect()
            };
            let steps = sizes(&|_| 0);
            let (copy, turning, loops) = match turned(contraction, operand) {
                None => {
                    let (copy, loops) = self.loops("tile_using_for", &pad, &steps, "");
                    (copy, None, loops)
                }
                // Turned in registers, not from one buffer to another.
                Some(order) => {
                    let turning = self.handle();
                    self.line(format!(
                        "{turning} = transform.get_consumers_of_result {pad}[0] : ({ANY}) -> {ANY}"
                    ));
                    let steps: Vec<u64> = order.iter().map(|&axis| steps[axis]).collect();
                    let (turning, loops) = self.loops("fuse", &turning, &steps, "");
                    (self.within("tensor.pad", &loops[0]), Some(turning), loops)
                }
            };
            if plan.cuts(contraction, axes.iter().copied()) {
                // A copy of nothing but padding, which no block is.
                for around in &loops {
                    let guards = self.within("scf.if", around);
                    self.line(format!(
                        "transform.scf.take_assumed_branch {guards} take_else_branch : ({ANY}) -> ()"
                    ));
                }
            }
            let vectors = sizes(&|axis| plan.block_extent(contraction, axis));
            self.line(format!(
                "transform.structured.vectorize {copy} vector_sizes {vectors:?} : {ANY}"
            ));
            if let Some(turning) = turning {
                self.line(format!("transform.structured.vectorize {turning} : {ANY}"));
            }
        }
        // At once: a canonicalization would make copies of whole buffers of them.
        self.patterns(&[
            "vector.lower_masked_transfers",
            "tensor.fold_tensor_subset_ops_into_vector_transfers",
        ]);
    }

    /// The operations of a name within another.
    fn within(&mut self, name: &str, around: &Handle) -> Handle {
        let handle = self.handle();
        self.line(format!(
            "{handle} = transform.structured.match ops{{[\"{name}\"]}} in {around} : ({ANY}) -> {ANY}"
        ));
        handle
    }
}

/// The order of the axes of an operand's blocks in its panel, where it is another: rows or columns
/// last.
fn turned(contraction: &ContractionShape, operand: usize) -> Option<Vec<usize>> {
    let last = match operand {
        0 => contraction.rows()?,
        _ => contraction.columns(),
    };
    let axes = &contraction.operands[operand];
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|&axis| axes[axis] == last);
    (!order.is_sorted()).then_some(order)
}

fn pack_tag(contraction: &ContractionShape, operand: usize) -> String {
    format!("neuro.pack{}_{operand}", contraction.number)
}
