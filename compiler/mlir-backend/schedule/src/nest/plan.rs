use crate::nest::read::Nest;

/// What is done to a nest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Where a dimension is cut, so that blocks divide what comes before.
    pub cuts: Vec<(usize, u64)>,
    /// The positions of a block along each dimension; 0 for all.
    pub tile: Vec<u64>,
    /// The order of a block's loops.
    pub order: Option<Vec<usize>>,
    /// Whether a block is computed in vectors.
    pub in_vectors: bool,
}

/// A nest of fewer points is done before its schedule would be compiled.
pub(crate) const LEAST_POINTS: u64 = 4096;
/// The side of a block that is permuted in vectors: the one that MLIR knows a network of shuffles
/// for. On each processor tried it was the best for each size of element.
const SIDE: u64 = 16;
/// The runs that fold at once. Their accumulators stay in registers.
const RUNS: u64 = 16;
/// The steps of a fold that an accumulator in memory takes at once, and those where rows are long: a
/// processor fetches ahead in each page, and rows that lie in pages of their own are fetched together.
const STEPS: u64 = 4;
const STEPS_OF_LONG_ROWS: u64 = 8;
const LONG_ROW: u64 = 2048;

impl Plan {
    pub(crate) fn of(nest: &Nest) -> Option<Plan> {
        if nest.extents.iter().product::<u64>() < LEAST_POINTS {
            return None;
        }
        if nest.folds.contains(&true) {
            fold(nest)
        } else {
            permutation(nest)
        }
    }

    fn new(dimensions: usize) -> Plan {
        Plan {
            tile: vec![1; dimensions],
            ..Plan::default()
        }
    }

    /// Blocks of `size` along a dimension.
    fn block(&mut self, nest: &Nest, dimension: usize, size: u64) {
        let extent = nest.extents[dimension];
        self.tile[dimension] = size;
        if !extent.is_multiple_of(size) {
            self.cuts.push((dimension, extent - extent % size));
        }
    }
}

/// An operand is walked along one dimension and the result along another: blocks of both, so that
/// whole vectors of either are read and written.
fn permutation(nest: &Nest) -> Option<Plan> {
    let along = nest.extents.len().checked_sub(1)?;
    if !nest.fits_vectors || nest.output.last() != Some(&Some(along)) {
        return None;
    }
    let across = nest.inputs.iter().find_map(|input| {
        let contiguous = nest.contiguous(input)?;
        (contiguous != along && input.contains(&Some(along))).then_some(contiguous)
    })?;
    if [along, across]
        .iter()
        .any(|&dimension| nest.extents[dimension] < SIDE)
    {
        return None;
    }
    let mut plan = Plan::new(nest.extents.len());
    plan.block(nest, across, SIDE);
    plan.block(nest, along, SIDE);
    plan.in_vectors = true;
    Some(plan)
}

/// Where elements of one run follow each other in memory, several runs fold at once: each step of
/// one waits for the step before. Elsewhere an accumulator takes several steps while it is in a
/// register.
fn fold(nest: &Nest) -> Option<Plan> {
    let dimensions = 0..nest.extents.len();
    let folded = |dimension: &usize| nest.folds[*dimension];
    let run = nest
        .inputs
        .iter()
        .filter_map(|input| nest.contiguous(input));
    let (along_runs, across_runs): (Vec<usize>, Vec<usize>) = run.partition(folded);
    let kept = dimensions.clone().rfind(|dimension| !folded(dimension))?;
    let mut plan = Plan::new(nest.extents.len());
    let inner = if along_runs.is_empty() {
        let across = *across_runs.first()?;
        let steps = dimensions.clone().rfind(folded)?;
        let size = match nest.extents[across] < LONG_ROW {
            true => STEPS,
            false => STEPS_OF_LONG_ROWS,
        };
        if nest.extents[across] < RUNS || nest.extents[steps] < 2 * size {
            return None;
        }
        plan.block(nest, steps, size);
        plan.tile[across] = 0;
        vec![across, steps]
    } else {
        // LLVM folds integers of one run at once, in any order.
        if nest.folds_in_any_order && across_runs.is_empty() || nest.extents[kept] < 2 {
            return None;
        }
        plan.block(nest, kept, RUNS.min(nest.extents[kept]));
        let steps = dimensions.clone().filter(folded);
        steps.clone().for_each(|dimension| plan.tile[dimension] = 0);
        steps.chain([kept]).collect()
    };
    let outer = dimensions.filter(|dimension| !inner.contains(dimension));
    plan.order = Some(outer.chain(inner.iter().copied()).collect());
    Some(plan)
}

#[cfg(test)]
mod tests {
    use mlir_pipeline::Access;

    use super::*;

    fn nest(extents: &[u64], folds: &[bool], input: &[usize], output: &[usize]) -> Nest {
        let access = |axes: &[usize]| axes.iter().copied().map(Some).collect::<Access>();
        Nest {
            extents: extents.to_vec(),
            folds: folds.to_vec(),
            inputs: vec![access(input)],
            output: access(output),
            fits_vectors: true,
            folds_in_any_order: false,
            has_one_result: true,
            is_pure: true,
        }
    }

    fn planned(cuts: &[(usize, u64)], tile: &[u64], order: Option<&[usize]>) -> Option<Plan> {
        Some(Plan {
            cuts: cuts.to_vec(),
            tile: tile.to_vec(),
            order: order.map(<[usize]>::to_vec),
            in_vectors: order.is_none(),
        })
    }

    #[test]
    fn a_permutation_takes_blocks_of_both_sides() {
        let transpose = |extents: &[u64]| nest(extents, &[false; 2], &[1, 0], &[0, 1]);
        let plan = Plan::of(&transpose(&[64, 128]));
        assert_eq!(plan, planned(&[], &[16, 16], None));
        let plan = Plan::of(&transpose(&[83, 100]));
        assert_eq!(plan, planned(&[(0, 80), (1, 96)], &[16, 16], None));
        assert_eq!(Plan::of(&transpose(&[15, 1000])), None);
        assert_eq!(Plan::of(&transpose(&[63, 65])), None, "few points");
        let rank3 = nest(&[32, 7, 40], &[false; 3], &[2, 1, 0], &[0, 1, 2]);
        assert_eq!(Plan::of(&rank3), planned(&[(2, 32)], &[16, 1, 16], None));
    }

    #[test]
    fn what_is_walked_forward_stays() {
        let swap = nest(&[32, 40, 64], &[false; 3], &[1, 0, 2], &[0, 1, 2]);
        assert_eq!(Plan::of(&swap), None);
        let column = nest(&[64, 64], &[false; 2], &[0], &[0, 1]);
        assert_eq!(Plan::of(&column), None);
    }

    #[test]
    fn runs_that_lie_in_memory_fold_side_by_side() {
        let rows = |extents: &[u64]| nest(extents, &[false, true], &[0, 1], &[0]);
        let plan = Plan::of(&rows(&[100, 64]));
        assert_eq!(plan, planned(&[(0, 96)], &[16, 0], Some(&[1, 0])));
        let plan = Plan::of(&rows(&[3, 4000]));
        assert_eq!(plan, planned(&[], &[3, 0], Some(&[1, 0])));
        let integers = Nest {
            folds_in_any_order: true,
            ..rows(&[100, 64])
        };
        assert_eq!(Plan::of(&integers), None);
    }

    #[test]
    fn runs_across_memory_take_some_steps_at_once() {
        let columns = nest(&[101, 64], &[true, false], &[0, 1], &[1]);
        let plan = Plan::of(&columns);
        assert_eq!(plan, planned(&[(0, 100)], &[4, 0], Some(&[1, 0])));
        let long = nest(&[101, 4096], &[true, false], &[0, 1], &[1]);
        let plan = Plan::of(&long);
        assert_eq!(plan, planned(&[(0, 96)], &[8, 0], Some(&[1, 0])));
        let middle = nest(&[3, 40, 64], &[false, true, false], &[0, 1, 2], &[0, 2]);
        let plan = Plan::of(&middle);
        assert_eq!(plan, planned(&[], &[1, 4, 0], Some(&[0, 2, 1])));
    }
}
