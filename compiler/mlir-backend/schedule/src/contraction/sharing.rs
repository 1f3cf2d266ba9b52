//! Which loop of a contraction threads share: one whose steps compute elements of their own.

use mlir_lowering::ContractionShape;
use mlir_pipeline::SHARED;

use super::plan::Plan;
use crate::script::{ANY, Handle, Script};

/// The contractions whose loops threads share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    #[default]
    None,
    /// Those that take longer than threads take to begin.
    Large,
    /// However small: so that generated programs share some.
    All,
}

impl From<bool> for Sharing {
    /// Whether there are threads at all.
    fn from(threads: bool) -> Sharing {
        match threads {
            true => Sharing::Large,
            false => Sharing::None,
        }
    }
}

/// The loop along `axis` at a level of the nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shared {
    pub level: Level,
    pub axis: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Batches,
    ColumnPanels,
    RowPanels,
    /// The register blocks of a panel.
    Blocks,
    /// A loop of its own around the panels of one row's depth: so many columns a step.
    Columns(u64),
}

/// So many steps are shared out evenly enough.
const ENOUGH_STEPS: u64 = 8;
/// Rows that repay a panel of their own.
const LEAST_ROWS: u64 = 32;
/// Multiplications that take longer than threads take to begin.
const LEAST_WORK: u64 = 1 << 22;
/// Columns of one row that a step takes: fewer are read in runs too short for the memory.
const COLUMNS: std::ops::RangeInclusive<u64> = 256..=1024;

impl Shared {
    /// Of the outermost loop with enough steps, else of the one with the most.
    pub(crate) fn of(
        contraction: &ContractionShape,
        plan: &Plan,
        sharing: Sharing,
    ) -> Option<Shared> {
        let extents = (0..contraction.dimensions()).map(|axis| contraction.extent(axis));
        let work = extents.fold(1, u64::saturating_mul);
        let is_shared = match sharing {
            Sharing::None => false,
            Sharing::Large => work >= LEAST_WORK,
            Sharing::All => true,
        };
        if !is_shared {
            return None;
        }
        let loops = loops(contraction, plan);
        let enough = loops.iter().find(|(_, steps)| *steps >= ENOUGH_STEPS);
        let most = loops.iter().rev().max_by_key(|(_, steps)| *steps);
        let (shared, steps) = enough.or(most)?;
        (*steps > 1).then_some(*shared)
    }

    /// The axis of a loop of columns around a row's panels, and its step.
    pub(crate) fn of_columns(shared: Option<Shared>) -> Option<(usize, u64)> {
        match shared?.level {
            Level::Columns(step) => Some((shared?.axis, step)),
            Level::Batches | Level::ColumnPanels | Level::RowPanels | Level::Blocks => None,
        }
    }

    /// Whether the second operand is packed outside of the loop, strip by strip: its copy is
    /// shared too.
    pub(crate) fn packs_for_all(
        shared: Option<Shared>,
        contraction: &ContractionShape,
        plan: &Plan,
    ) -> bool {
        let inside = [Level::RowPanels, Level::Blocks].map(|level| Shared::at(shared, level));
        let columns = contraction.extent(contraction.columns());
        inside.iter().any(Option::is_some) && columns >= 2 * plan.block.columns
    }

    /// The axis of the loop, if it is of this level.
    pub(crate) fn at(shared: Option<Shared>, level: Level) -> Option<usize> {
        shared
            .filter(|shared| shared.level == level)
            .map(|shared| shared.axis)
    }
}

/// The loops with their steps, those first that are best shared.
fn loops(contraction: &ContractionShape, plan: &Plan) -> Vec<(Shared, u64)> {
    let (rows, columns) = (contraction.rows(), contraction.columns());
    let mut loops = Vec::new();
    let mut add = |level, axis, step: u64| {
        let steps = contraction.extent(axis).div_ceil(step.max(1));
        loops.push((Shared { level, axis }, steps));
    };
    for axis in 0..columns {
        if Some(axis) != rows {
            add(Level::Batches, axis, 1);
        }
    }
    match (&plan.packing, rows) {
        (Some(panels), _) => {
            if let (Some(rows), true) = (rows, panels.rows > 0) {
                add(Level::RowPanels, rows, panels.rows);
            }
            if panels.columns > 0 {
                add(Level::ColumnPanels, columns, panels.columns);
            } else {
                add(Level::Blocks, columns, plan.block.columns);
            }
        }
        (None, _) if plan.depth > 0 => {
            let blocks = contraction.extent(columns) / plan.block.columns;
            // A step divides the whole blocks.
            let most = COLUMNS.end() / plan.block.columns;
            let step = (1..=most).rev().find(|&step| {
                blocks.is_multiple_of(step) && COLUMNS.contains(&(step * plan.block.columns))
            });
            if let Some(step) = step.map(|step| step * plan.block.columns) {
                add(Level::Columns(step), columns, step);
            }
        }
        (None, rows) => {
            if let Some(rows) = rows {
                add(Level::Blocks, rows, plan.block.rows);
            }
            add(Level::Blocks, columns, plan.block.columns);
        }
    }
    loops
}

impl Plan {
    /// With panels of fewer rows, where that makes enough of them to share.
    pub(crate) fn with_panels_to_share(mut self, contraction: &ContractionShape) -> Plan {
        if let (Some(panels), Some(rows)) = (&mut self.packing, contraction.rows()) {
            let rows = contraction.extent(rows);
            let least = rows.div_ceil(ENOUGH_STEPS).max(LEAST_ROWS);
            let wanted = least.next_multiple_of(self.block.rows);
            let now = if panels.rows == 0 { rows } else { panels.rows };
            if wanted < now && rows.div_ceil(wanted) >= ENOUGH_STEPS {
                panels.rows = wanted;
            }
        }
        self
    }
}

impl Script {
    /// [`Script::tile`], and marks the loop along `axis`.
    pub(crate) fn tile_shared(
        &mut self,
        operation: &Handle,
        sizes: &[u64],
        order: Option<&[usize]>,
        axis: Option<usize>,
    ) -> Handle {
        let natural: Vec<usize> = (0..sizes.len()).collect();
        let text = order.map_or(String::new(), |order| format!(" interchange = {order:?}"));
        let (inner, loops) = self.loops("tile_using_for", operation, sizes, &text);
        self.share(&loops, sizes, order.unwrap_or(&natural), axis);
        inner
    }

    /// Marks the loop along `axis` of those that a tiling by `sizes` made in this order.
    pub(crate) fn share(
        &mut self,
        loops: &[Handle],
        sizes: &[u64],
        order: &[usize],
        axis: Option<usize>,
    ) {
        let mut made = order.iter().filter(|&&dimension| sizes[dimension] > 0);
        let position = axis.and_then(|axis| made.position(|&dimension| dimension == axis));
        if let Some(shared) = position.and_then(|position| loops.get(position)) {
            self.line(format!("transform.annotate {shared} \"{SHARED}\" : {ANY}"));
        }
    }

    /// Marks the loop around an operation.
    pub(crate) fn share_around(&mut self, operation: &Handle) {
        let around = self.loop_around(operation);
        self.line(format!("transform.annotate {around} \"{SHARED}\" : {ANY}"));
    }
}
