//! The buffers between launches. All launches of a body wait for those before on one stream, so that
//! a buffer may be used again at once; only one that is freed between them would make the host wait.

use std::collections::HashMap;

use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationResult};
use melior::ir::{BlockRef, OperationRef, Value, ValueLike};

use crate::ir::{changed, destroy, name_of, operations, replace_uses};

/// Buffers of one type whose lifetimes do not meet become one; each is made before the first launch
/// and freed after the last.
pub(crate) fn share_buffers(block: BlockRef<'_, '_>) {
    let mut free: HashMap<String, Vec<(OperationRef, OperationRef)>> = HashMap::new();
    for operation in operations(block) {
        match name_of(operation).as_str() {
            "memref.alloc" => reuse(operation, block, &mut free),
            "memref.dealloc" => {
                if let Some(made) = operation.operand(0).ok().and_then(made_in(block)) {
                    let list = free.entry(type_of(made)).or_default();
                    list.push((made, operation));
                }
            }
            _ => {}
        }
    }
    let end = block.terminator();
    for (_, freed) in free.into_values().flatten() {
        if let Some(end) = end {
            changed(freed).move_before(end);
        }
    }
}

fn reuse<'c, 'a>(
    made: OperationRef<'c, 'a>,
    block: BlockRef<'c, 'a>,
    free: &mut HashMap<String, Vec<(OperationRef<'c, 'a>, OperationRef<'c, 'a>)>>,
) {
    // Extents that are computed are known only here.
    if made.operand_count() > 0 {
        return;
    }
    if let Some((old, freed)) = free.get_mut(&type_of(made)).and_then(Vec::pop)
        && let (Ok(new), Ok(old)) = (made.result(0), old.result(0))
    {
        destroy(freed);
        replace_uses(new.into(), old.into());
        destroy(made);
        return;
    }
    if let Some(first) = block.first_operation()
        && first.to_raw().ptr != made.to_raw().ptr
    {
        changed(made).move_before(first);
    }
}

/// The operation of the block that makes a buffer without operands.
fn made_in<'c, 'a>(
    block: BlockRef<'c, 'a>,
) -> impl Fn(Value<'c, 'a>) -> Option<OperationRef<'c, 'a>> {
    move |value| {
        let owner = OperationResult::try_from(value).ok()?.owner();
        let here = owner.block()? == block;
        (here && name_of(owner) == "memref.alloc" && owner.operand_count() == 0).then_some(owner)
    }
}

fn type_of(made: OperationRef<'_, '_>) -> String {
    let result = made.result(0);
    result.map_or_else(|_| String::new(), |value| value.r#type().to_string())
}
