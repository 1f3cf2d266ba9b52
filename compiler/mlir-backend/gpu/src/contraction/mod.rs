//! Contractions on GPUs: a thread computes a block of the result's elements, its sums in registers
//! from the first product to the last (backend specification, §The contraction schedule).

mod blocks;
mod factor;
mod operand;
mod plan;
mod product;
mod staging;
mod tiles;
mod values;

use melior::Context;
use melior::ir::BlockRef;

use crate::Chip;
use crate::ir::{Rewritten, destroy, operations};
use plan::Plan;
use product::Product;

/// Schedules the contractions of a block that gain by it; their fills are then part of them.
pub(crate) fn schedule<'c>(
    context: &'c Context,
    block: BlockRef<'c, '_>,
    chip: Chip,
) -> Rewritten<()> {
    let all = operations(block);
    let read = |(index, &operation)| Product::read(operation, &all[..index]);
    // All of them before any goes.
    let products: Vec<Product> = all.iter().enumerate().filter_map(read).collect();
    for product in products {
        match Plan::of(&product.shape(), chip) {
            Plan::Plain => continue,
            Plan::Blocks(block) => blocks::build(context, &product, block)?,
            Plan::Tiles(tile) => tiles::build(context, &product, &tile)?,
        }
        destroy(product.generic);
        destroy(product.fill);
    }
    Ok(())
}
