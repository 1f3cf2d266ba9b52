//! Contractions, on tensors: register blocks and packed panels (backend specification, §The
//! contraction schedule).

mod plan;
mod prefetch;
mod script;
mod sharing;
mod target;

use melior::ir::Module;
use melior::ir::attribute::StringAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use mlir_lowering::ContractionShape;
use mlir_pipeline::{MlirError, Session};

use crate::apply::apply;
pub use prefetch::prefetch_blocks;
use script::script;
pub use target::Target;

/// The script of a body with these contractions, in MLIR's text. With `threads` it marks the loops
/// that threads may share.
pub fn text(contractions: &[ContractionShape], target: &Target, threads: bool) -> String {
    script(contractions, target, threads)
}

/// Schedules the contractions of the functions of a module, which `contractions` tells by symbol;
/// `threads` as for [`text`].
pub fn schedule<'m>(
    session: &Session,
    module: &Module<'_>,
    contractions: impl Fn(&str) -> &'m [ContractionShape],
    target: &Target,
    threads: bool,
) -> Result<(), MlirError> {
    let mut next = module.body().first_operation();
    while let Some(function) = next {
        next = function.next_in_block();
        let symbol = function.attribute("sym_name");
        let Ok(symbol) = symbol.and_then(StringAttribute::try_from) else {
            continue;
        };
        let contractions = contractions(symbol.value());
        if !contractions.is_empty() {
            apply(session, function, &script(contractions, target, threads))?;
        }
    }
    Ok(())
}
