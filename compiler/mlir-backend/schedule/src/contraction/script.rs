//! The transform script of one body, as text (backend specification, §The contraction schedule).

use mlir_lowering::ContractionShape;

use super::Target;
use super::consumer::AXIS;
use super::plan::Plan;
use super::sharing::{Level, Shared, Sharing};
use crate::script::{ANY, Handle, Script};

/// A module with one named sequence over a function with these contractions. It marks the
/// loops that threads share.
pub(crate) fn script(
    contractions: &[ContractionShape],
    target: &Target,
    sharing: Sharing,
) -> String {
    let mut script = Script::default();
    let plans: Vec<Plan> = contractions
        .iter()
        .map(|contraction| match sharing {
            Sharing::None => Plan::of(contraction, target),
            Sharing::Large | Sharing::All => {
                Plan::of(contraction, target).with_panels_to_share(contraction)
            }
        })
        .collect();
    for (contraction, plan) in contractions.iter().zip(&plans) {
        let shared = Shared::of(contraction, plan, sharing);
        script.contraction(contraction, plan, shared);
    }
    script.vectorize(contractions, &plans);
    script.finish()
}

/// Positions of the contracted axis that a copy of each operand moves at once.
const COPIED: [u64; 2] = [16, 4];

impl Script {
    fn contraction(&mut self, contraction: &ContractionShape, plan: &Plan, shared: Option<Shared>) {
        let product = self.tagged(&ContractionShape::product_tag(contraction.number));
        let (columns, depth) = (contraction.columns(), contraction.depth());
        let rows = contraction.rows();
        let sizes = |of: &dyn Fn(usize) -> u64| -> Vec<u64> {
            (0..contraction.dimensions()).map(of).collect()
        };
        // Batches, one at a time.
        let block_dimensions = [rows, Some(columns), Some(depth)];
        let outer = sizes(&|dimension| u64::from(!block_dimensions.contains(&Some(dimension))));
        let along =
            |axis: usize, size: u64| sizes(&|dimension| if dimension == axis { size } else { 0 });
        let block = sizes(&|dimension| match dimension {
            _ if Some(dimension) == rows => plan.block.rows,
            _ if dimension == columns => plan.block.columns,
            _ => 0,
        });
        // Packed, columns outside rows: a strip of the second operand stays near while rows pass.
        let mut order: Vec<usize> = (0..contraction.dimensions()).collect();
        if let (Some(rows), Some(_)) = (rows, &plan.packing) {
            order.swap(rows, columns);
        }
        let one = along(depth, 1);
        let at = |level| Shared::at(shared, level);
        if plan.as_runs {
            if let Some(Shared { axis, .. }) = shared {
                let step = plan.block_extent(contraction, axis);
                let mut pieces = vec![product];
                let extent = contraction.extent(axis);
                if !extent.is_multiple_of(step) {
                    pieces = self.split(pieces, axis, extent - extent % step);
                }
                self.tile_shared(&pieces[0], &along(axis, step), None, Some(axis));
            }
            return;
        }
        let mut pieces = vec![self.panels(&product, &outer, at(Level::Batches))];
        let Some(panels) = &plan.packing else {
            for (axis, size) in [(Some(columns), plan.block.columns), (rows, plan.block.rows)] {
                let Some(axis) = axis else { continue };
                let extent = contraction.extent(axis);
                if !extent.is_multiple_of(size) {
                    pieces = self.split(pieces, axis, extent - extent % size);
                }
            }
            if let Some((axis, step)) = Shared::of_columns(shared) {
                pieces[0] = self.tile_shared(&pieces[0], &along(axis, step), None, Some(axis));
            }
            for piece in pieces {
                let panel = self.tile(&piece, &along(depth, plan.depth), None);
                let inner = match plan.fuses_fill(contraction) {
                    true => self.tile_with_fill(&panel, &block, &order, at(Level::Blocks)),
                    false => self.tile_shared(&panel, &block, Some(&order), at(Level::Blocks)),
                };
                self.tile(&inner, &one, None);
            }
            return;
        };
        let mut inner = pieces.remove(0);
        let column_panel = along(columns, panels.columns);
        inner = self.panels(&inner, &column_panel, at(Level::ColumnPanels));
        inner = self.panels(&inner, &along(depth, panels.depth), None);
        let mut row_panels = None;
        if let Some(rows) = rows {
            let row_panel = along(rows, panels.rows);
            inner = self.panels(&inner, &row_panel, at(Level::RowPanels));
            row_panels = (panels.rows > 0).then(|| self.loop_around(&inner));
        }
        inner = self.tile_shared(&inner, &block, Some(&order), at(Level::Blocks));
        let packs_for_all = Shared::packs_for_all(shared, contraction, plan);
        let padded = self.pack(contraction, plan, row_panels, &inner, packs_for_all);
        self.tile(&padded, &one, None);
    }

    /// Loops over panels, marked with their axes. The one along `shared` is shared.
    fn panels(&mut self, operation: &Handle, sizes: &[u64], shared: Option<usize>) -> Handle {
        let (inner, loops) = self.loops("tile_using_for", operation, sizes, "");
        let axes: Vec<usize> = (0..sizes.len()).filter(|&axis| sizes[axis] > 0).collect();
        for (axis, panels) in axes.iter().zip(&loops) {
            let number = self.handle();
            self.line(format!(
                "{number} = transform.param.constant {axis} : i64 -> !transform.param<i64>"
            ));
            self.line(format!(
                "transform.annotate {panels} \"{AXIS}\" = {number} : {ANY}, !transform.param<i64>"
            ));
        }
        self.share(&loops, sizes, &axes, shared);
        inner
    }

    /// Loops around a block whose accumulators start as zeros in registers, not in memory.
    fn tile_with_fill(
        &mut self,
        operation: &Handle,
        sizes: &[u64],
        order: &[usize],
        shared: Option<usize>,
    ) -> Handle {
        let options = format!(" interchange {order:?} {{apply_cleanup}}");
        let (inner, loops) = self.loops("fuse", operation, sizes, &options);
        self.share(&loops, sizes, order, shared);
        inner
    }

    /// Copies both operands' panels to contiguous memory, block by block and padded with zeros,
    /// once each. A sum of products of zeros is `+0.0`, which changes no accumulator. Threads may
    /// share the copy of the second one.
    fn pack(
        &mut self,
        contraction: &ContractionShape,
        plan: &Plan,
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
        let [padded, pads, copies] = [self.handle(), self.handle(), self.handle()];
        self.line(format!(
            "{padded}, {pads}, {copies} = transform.structured.pad {block} \
             {{padding_values = [{zero}, {zero}, {zero}], padding_dimensions = {dimensions:?}, \
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
            self.line(format!(
                "{panel} = transform.structured.hoist_pad {typed} by {} loops \
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
        self.copies(contraction, plan);
        padded
    }

    fn producer(&mut self, operation: &Handle, operand: usize) -> Handle {
        let handle = self.handle();
        self.line(format!(
            "{handle} = transform.get_producer_of_operand {operation}[{operand}] : ({ANY}) -> {ANY}"
        ));
        handle
    }

    /// The copies into panels, in vectors.
    fn copies(&mut self, contraction: &ContractionShape, plan: &Plan) {
        for (operand, (axes, copied)) in contraction.operands.iter().zip(COPIED).enumerate() {
            let pad = self.tagged(&pack_tag(contraction, operand));
            let is_depth = |&axis: &usize| axis == contraction.depth();
            let steps: Vec<u64> = axes
                .iter()
                .map(|axis| if is_depth(axis) { copied } else { 0 })
                .collect();
            let vectors: Vec<u64> = axes
                .iter()
                .map(|axis| match is_depth(axis) {
                    true => copied,
                    false => plan.block_extent(contraction, *axis),
                })
                .collect();
            let (copy, loops) = self.loops("tile_using_for", &pad, &steps, "");
            if plan.cuts(contraction, axes.iter().copied()) {
                // A copy of nothing but padding, which no block is.
                for around in loops {
                    let guards = self.handle();
                    self.line(format!(
                        "{guards} = transform.structured.match ops{{[\"scf.if\"]}} in {around} : ({ANY}) -> {ANY}"
                    ));
                    self.line(format!(
                        "transform.scf.take_assumed_branch {guards} take_else_branch : ({ANY}) -> ()"
                    ));
                }
            }
            self.line(format!(
                "transform.structured.vectorize {copy} vector_sizes {vectors:?} : {ANY}"
            ));
        }
        // At once: a canonicalization would make copies of whole buffers of them.
        self.patterns(&[
            "vector.lower_masked_transfers",
            "tensor.fold_tensor_subset_ops_into_vector_transfers",
        ]);
    }

    /// The blocks in vectors, their accumulators in registers around the contracted loops.
    fn vectorize(&mut self, contractions: &[ContractionShape], plans: &[Plan]) {
        self.line(format!(
            "transform.bufferization.eliminate_empty_tensors %function : {ANY}"
        ));
        self.patterns(&["canonicalization"]);
        for (contraction, plan) in contractions.iter().zip(plans) {
            if plan.fuses_fill(contraction) {
                let fill = self.tagged(&ContractionShape::fill_tag(contraction.number));
                self.line(format!("transform.structured.vectorize {fill} : {ANY}"));
            }
            if !plan.as_runs {
                let product = self.tagged(&ContractionShape::product_tag(contraction.number));
                self.line(format!("transform.structured.vectorize {product} : {ANY}"));
            }
        }
        self.patterns(&[
            "canonicalization",
            "tensor.fold_tensor_subset_ops_into_vector_transfers",
        ]);
        let [loops, typed] = [self.handle(), self.handle()];
        let all = "transform.structured.match ops{[\"scf.for\"]} in %function";
        self.line(format!("{loops} = {all} : ({ANY}) -> {ANY}"));
        self.line(format!("transform.apply_licm to {loops} : {ANY}"));
        self.line(format!(
            "{typed} = {all} : ({ANY}) -> !transform.op<\"scf.for\">"
        ));
        self.line(format!(
            "transform.loop.hoist_loop_invariant_subsets {typed} : !transform.op<\"scf.for\">"
        ));
        self.patterns(&["canonicalization"]);
    }
}

fn pack_tag(contraction: &ContractionShape, operand: usize) -> String {
    format!("neuro.pack{}_{operand}", contraction.number)
}
