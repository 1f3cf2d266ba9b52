//! The work of each body as launches, and nothing else that touches its buffers.

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, Attribute, DenseI32ArrayAttribute, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike};
use melior::ir::r#type::{MemRefType, ShapedTypeLike};
use melior::ir::{
    AffineExpr, AffineMap, Block, BlockRef, Module, OperationRef, Region, RegionLike, Value,
    ValueLike,
};
use mlir_pipeline::{MlirError, NotLowered, PassStage, Session, location_span, run_passes};

use crate::Chip;
use crate::buffers::share_buffers;
use crate::contraction;
use crate::ir::{
    Inside, Place, Rewritten, block_of, changed, destroy, internal, is_of_kernels, name_of, nested,
    operations, symbol, taken, top,
};
use crate::launch::{Launch, launch_loop, name_kernels};
use crate::order::parallel_first;
use crate::passes::outlining;
use crate::registers::keep_accumulators;

/// Makes launches of the work of each function of a module on buffers, and kernels of these. The
/// functions that a host would have to compute a part of are removed; `name` is their symbol.
pub fn outline<'c>(
    session: &'c Session,
    module: &mut Module<'c>,
    chip: Chip,
) -> Result<Vec<NotLowered>, MlirError> {
    for dialect in ["gpu", "scf", "memref", "arith", "vector", "llvm"] {
        session.context().get_or_load_dialect(dialect);
    }
    let mut refused = Vec::new();
    for function in host_functions(module) {
        let (Some(block), Some(symbol)) = (block_of(function), symbol(function)) else {
            continue;
        };
        if let Some(operation) = operations(block).into_iter().find(takes_too_much) {
            let reason = format!("a kernel takes at most {PARAMETER_BYTES} bytes of parameters");
            refused.push(not_lowered(&symbol, operation, reason));
            destroy(function);
            continue;
        }
        contraction::schedule(session.context(), block, chip)?;
        for operation in operations(block) {
            prepare(session, operation)?;
        }
    }
    session.dump_after("gpu-order", module)?;
    let loops = PassStage {
        name: "gpu-parallel-loops",
        text: "func.func(convert-linalg-to-parallel-loops,scf-forall-to-parallel)".into(),
    };
    run_passes(session, module, &[loops])?;

    for function in host_functions(module) {
        let (Some(block), Some(symbol)) = (block_of(function), symbol(function)) else {
            continue;
        };
        match launches(session, block, chip, &symbol)? {
            None => {
                keep_accumulators(session.context(), function)?;
                share_buffers(block);
                name_kernels(session.context(), function, &symbol);
            }
            Some(not_lowered) => {
                refused.push(not_lowered);
                destroy(function);
            }
        }
    }
    session.dump_after("gpu-launches", module)?;
    run_passes(session, module, &outlining())?;
    align_shared(session.context(), module)?;
    Ok(refused)
}

fn host_functions<'c: 'a, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let mut functions = top(module);
    functions.retain(|&function| !is_of_kernels(function));
    functions
}

/// Aligns the memory that the threads of a block share as vectors of it are accessed.
fn align_shared<'c>(context: &'c Context, module: &Module<'c>) -> Rewritten<()> {
    let aligned = Attribute::parse(context, "{llvm.align = 16 : i64}");
    let aligned = aligned.ok_or_else(|| internal("an alignment"))?;
    for kernel in top(module).into_iter().flat_map(nested) {
        let shared = kernel.attribute("workgroup_attributions");
        let Ok(shared) = shared.and_then(IntegerAttribute::try_from) else {
            continue;
        };
        let aligned = ArrayAttribute::new(context, &vec![aligned; shared.value() as usize]);
        changed(kernel).set_inherent_attribute("workgroup_attrib_attrs", aligned.into());
    }
    Ok(())
}

/// What the drivers of both vendors take on every chip.
pub const PARAMETER_BYTES: usize = 4096;

/// Whether the kernel of an operation would take more: a buffer is two pointers, an offset, and a
/// size and a stride an axis; what its body takes from outside counts as well.
fn takes_too_much(operation: &OperationRef<'_, '_>) -> bool {
    if name_of(*operation) != "linalg.generic" {
        return false;
    }
    let all = nested(*operation);
    let inside = Inside::of(&all);
    let mut taken: Vec<Value> = Vec::new();
    for value in all.iter().flat_map(|operation| operation.operands()) {
        if !inside.makes(value) && !taken.contains(&value) {
            taken.push(value);
        }
    }
    let words = taken.into_iter().map(|value| {
        let buffer = MemRefType::try_from(value.r#type());
        buffer.map_or(1, |buffer| 3 + 2 * buffer.rank())
    });
    8 * words.sum::<usize>() > PARAMETER_BYTES
}

fn not_lowered(symbol: &str, operation: OperationRef<'_, '_>, reason: String) -> NotLowered {
    NotLowered {
        name: symbol.to_string(),
        span: location_span(operation.location()).unwrap_or_default(),
        reason,
    }
}

/// Brings an operation to a form whose parallel loops are launches: a copy is loops too, folds go
/// inside, and what has no parallel loop is one thread.
fn prepare<'c>(session: &'c Session, operation: OperationRef<'c, '_>) -> Rewritten<()> {
    let context = session.context();
    let generic = match name_of(operation).as_str() {
        "linalg.generic" => operation,
        "memref.copy" => copy(session, operation)?,
        _ => return Ok(()),
    };
    if parallel_first(context, generic)? > 0 {
        return Ok(());
    }
    let place =
        Place::before(context, generic).ok_or_else(|| internal("an operation without a block"))?;
    let (block, end) = Launch::SINGLE.put(place)?;
    block.insert_operation_before(end, taken(generic));
    Ok(())
}

/// A copy between buffers as a `linalg.generic`.
fn copy<'c, 'a>(
    session: &'c Session,
    copy: OperationRef<'c, 'a>,
) -> Rewritten<OperationRef<'c, 'a>> {
    let context = session.context();
    let place = Place::before(context, copy).ok_or_else(|| internal("a copy without a block"))?;
    let operands = [0, 1].map(|index| copy.operand(index).map_err(internal));
    let [from, to] = operands;
    let (from, to) = (from?, to?);
    let ty = MemRefType::try_from(to.r#type()).map_err(internal)?;
    let rank = ty.rank();
    let elements = [(ty.element(), place.location); 2];
    let block = Block::new(&elements);
    let element = block.argument(0).map_err(internal)?.into();
    let end = place.operation("linalg.yield").add_operands(&[element]);
    block.append_operation(end.build().map_err(internal)?);
    let region = Region::new();
    region.append_block(block);
    let dimensions: Vec<_> = (0..rank).map(|k| AffineExpr::dim(context, k)).collect();
    let map = AffineMap::new(context, rank, 0, &dimensions);
    // SAFETY: the map belongs to the context, as the attribute will.
    let map = unsafe { Attribute::from_raw(mlir_sys::mlirAffineMapAttrGet(map.to_raw())) };
    let parallel = Attribute::parse(context, "#linalg.iterator_type<parallel>")
        .ok_or_else(|| internal("no iterator type"))?;
    let generic = place
        .operation("linalg.generic")
        .add_operands(&[from, to])
        .add_attributes(&[
            place.named("indexing_maps", ArrayAttribute::new(context, &[map; 2])),
            place.named(
                "iterator_types",
                ArrayAttribute::new(context, &vec![parallel; rank]),
            ),
            place.named(
                "operandSegmentSizes",
                DenseI32ArrayAttribute::new(context, &[1, 1]),
            ),
        ])
        .add_regions([region]);
    let generic = place.build(generic)?;
    destroy(copy);
    Ok(generic)
}

/// Makes launches of the loops of a function; else why the host would have to work on its buffers.
fn launches<'c>(
    session: &'c Session,
    block: BlockRef<'c, '_>,
    chip: Chip,
    symbol: &str,
) -> Rewritten<Option<NotLowered>> {
    for operation in operations(block) {
        let name = name_of(operation);
        match name.as_str() {
            "scf.parallel" => {
                launch_loop(session.context(), operation, chip)?;
            }
            name if runs_on_host(name) => {}
            _ => {
                let reason = format!("the host would have to compute `{name}` on device memory");
                return Ok(Some(not_lowered(symbol, operation, reason)));
            }
        }
    }
    Ok(None)
}

/// What a host function does around its launches: it moves no element.
fn runs_on_host(name: &str) -> bool {
    match name {
        "memref.alloc"
        | "memref.dealloc"
        | "memref.subview"
        | "memref.cast"
        | "memref.reinterpret_cast"
        | "memref.collapse_shape"
        | "memref.expand_shape"
        | "memref.extract_strided_metadata"
        | "memref.extract_aligned_pointer_as_index"
        | "gpu.launch"
        | "func.return"
        | "ub.poison" => true,
        _ => name.starts_with("arith."),
    }
}
