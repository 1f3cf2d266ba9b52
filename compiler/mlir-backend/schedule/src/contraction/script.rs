//! The transform script of one body, as text (backend specification, §The contraction schedule).

use mlir_lowering::ContractionShape;

use super::Target;
use super::consumer::AXIS;
use super::plan::Plan;
use super::sharing::{Level, Shared, Sharing};
use super::zeros::BLOCKS;
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
        let blocks = self.loop_around(&inner);
        self.line(format!("transform.annotate {blocks} \"{BLOCKS}\" : {ANY}"));
        let packs_for_all = Shared::packs_for_all(shared, contraction, plan);
        let padded = self.pack(contraction, plan, panels, row_panels, &inner, packs_for_all);
        self.positions(contraction, &padded, &one);
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
        self.patterns(&["canonicalization", "vector.drop_unit_dims_with_shape_cast"]);
    }
}
