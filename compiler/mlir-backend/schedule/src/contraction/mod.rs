//! Contractions, on tensors: register blocks and packed panels (backend specification, §The
//! contraction schedule).

mod consumer;
mod destination;
mod factors;
mod packing;
mod plan;
mod prefetch;
mod script;
mod sharing;
mod target;
mod whole;
mod zeros;

use std::collections::HashSet;

use melior::ir::attribute::StringAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, WalkOrder, WalkResult};
use melior::ir::{Module, OperationRef};
use mlir_lowering::ContractionShape;
use mlir_pipeline::{MlirError, Session};

use crate::apply::apply;
use crate::script::{ANY, Script};
pub use consumer::fuse_consumers;
pub use destination::write_over_products;
pub use factors::step_by_rows;
pub(crate) use prefetch::prefetch;
pub use prefetch::prefetch_blocks;
use script::script;
pub use sharing::Sharing;
pub use target::Target;
pub use whole::branch_on_whole_blocks;
pub use zeros::start_from_zeros;

/// The script of a body with these contractions, in MLIR's text. It marks the loops that
/// threads may share, of the contractions that `sharing` names.
pub fn text(contractions: &[ContractionShape], target: &Target, sharing: Sharing) -> String {
    script(contractions, target, sharing)
}

/// Schedules the contractions of the functions of a module, which `contractions` tells by symbol;
/// `sharing` as for [`text`].
pub fn schedule<'m>(
    session: &Session,
    module: &Module<'_>,
    contractions: impl Fn(&str) -> &'m [ContractionShape],
    target: &Target,
    sharing: Sharing,
) -> Result<(), MlirError> {
    let mut next = module.body().first_operation();
    while let Some(function) = next {
        next = function.next_in_block();
        let symbol = function.attribute("sym_name");
        let Ok(symbol) = symbol.and_then(StringAttribute::try_from) else {
            continue;
        };
        let contractions = contractions(symbol.value());
        if contractions.is_empty() {
            continue;
        }
        apply(session, function, &removal())?;
        let contractions = read(function, contractions);
        if !contractions.is_empty() {
            apply(session, function, &script(&contractions, target, sharing))?;
        }
    }
    Ok(())
}

/// Takes out what nothing reads: the simplifications of a schedule would, halfway through it.
fn removal() -> String {
    let mut script = Script::default();
    script.line(format!("transform.apply_dce to %function : {ANY}"));
    script.finish()
}

/// The contractions that are still in a function.
fn read(
    function: OperationRef<'_, '_>,
    contractions: &[ContractionShape],
) -> Vec<ContractionShape> {
    let mut found = HashSet::new();
    function.walk(WalkOrder::PreOrder, |operation| {
        let numbers = contractions.iter().map(|contraction| contraction.number);
        found.extend(
            numbers
                .filter(|&number| operation.has_attribute(&ContractionShape::product_tag(number))),
        );
        WalkResult::Advance
    });
    let contractions = contractions.iter();
    contractions
        .filter(|contraction| found.contains(&contraction.number))
        .cloned()
        .collect()
}
