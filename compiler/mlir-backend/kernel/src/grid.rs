//! The grid of a launch: which axis of the device each axis of a kernel runs along.

use mlir_gpu::Chip;

/// A grid that is not empty, an entry an axis of the block shape.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    pub threads: Vec<u64>,
    pub blocks: Vec<u64>,
    /// Where each axis runs: 0 is x, 1 is y, 2 is z.
    pub axes: Vec<usize>,
}

impl Grid {
    /// The grid over a tensor of that shape: `None` where it has no threads. An axis that the
    /// tensor lacks has one position.
    ///
    /// The last axis runs along x, so that neighbours read what lies together; where the chip does
    /// not take that, the first one does.
    ///
    /// # Errors
    /// Why the chip takes neither.
    pub(crate) fn over(shape: &[u64], threads: &[u64], chip: Chip) -> Result<Option<Grid>, String> {
        let extent = |axis: usize| shape.get(axis).copied().unwrap_or(1);
        let sizes = threads.iter().enumerate();
        let blocks: Vec<u64> = sizes
            .map(|(axis, &threads)| extent(axis).div_ceil(threads))
            .collect();
        if blocks.contains(&0) {
            return Ok(None);
        }
        let forward: Vec<usize> = (0..threads.len()).collect();
        let backward: Vec<usize> = forward.iter().rev().copied().collect();
        let holds = |axes: &Vec<usize>| {
            let sizes = axes.iter().zip(blocks.iter().zip(threads));
            sizes
                .into_iter()
                .all(|(&axis, (&blocks, &threads))| chip.holds(axis, blocks, threads))
        };
        match [backward, forward].into_iter().find(holds) {
            Some(axes) => Ok(Some(Grid {
                threads: threads.to_vec(),
                blocks,
                axes,
            })),
            None => Err(format!(
                "a grid of {blocks:?} blocks of {threads:?} threads, which `{}` does not take",
                chip.name()
            )),
        }
    }

    /// How many threads there are along each axis.
    pub(crate) fn extents(&self) -> Vec<u64> {
        let sizes = self.blocks.iter().zip(&self.threads);
        sizes.map(|(blocks, threads)| blocks * threads).collect()
    }

    /// How many threads there are, where 64 bits hold that.
    pub(crate) fn count(&self) -> Option<u64> {
        let mut extents = self.extents().into_iter();
        extents.try_fold(1u64, |count, extent| count.checked_mul(extent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mlir_gpu::Vendor;

    fn over(shape: &[u64], threads: &[u64]) -> Result<Option<Grid>, String> {
        Grid::over(shape, threads, Chip::find(Vendor::Nvidia, "sm_90").unwrap())
    }

    #[test]
    fn blocks_cover_the_tensor() {
        let grid = over(&[37, 45], &[16, 16]).unwrap().unwrap();
        assert_eq!((grid.blocks, grid.axes), (vec![3, 3], vec![1, 0]));
        let grid = over(&[5], &[4, 2, 3]).unwrap().unwrap();
        assert_eq!(grid.blocks, [2, 1, 1]);
        assert_eq!(grid.extents(), [8, 2, 3]);
        assert_eq!(grid.count(), Some(48));
        assert_eq!(over(&[0, 4], &[1, 1]), Ok(None));
        assert_eq!(over(&[4, 0], &[8]).unwrap().unwrap().blocks, [1]);
    }

    #[test]
    fn what_does_not_fit_one_way_goes_the_other() {
        let axes = |shape: &[u64], threads: &[u64]| over(shape, threads).unwrap().unwrap().axes;
        assert_eq!(axes(&[65_535, 2], &[1, 1]), [1, 0]);
        assert_eq!(axes(&[65_536, 2], &[1, 1]), [0, 1]);
        assert_eq!(axes(&[2, 2, 2], &[2, 2, 128]), [2, 1, 0]);
        assert_eq!(axes(&[2, 2, 2], &[128, 2, 2]), [0, 1, 2]);
        assert!(over(&[65_536, 65_536], &[1, 1]).is_err());
        assert!(over(&[1 << 40], &[1]).is_err());
    }
}
