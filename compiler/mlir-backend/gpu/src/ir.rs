//! What several rewrites here ask of MLIR.

use std::collections::HashSet;
use std::ffi::c_void;

use melior::Context;
use melior::ir::attribute::{Attribute, IntegerAttribute, StringAttribute};
use melior::ir::block::{BlockArgument, BlockLike};
use melior::ir::operation::{
    OperationBuilder, OperationLike, OperationMutLike, OperationRefMut, OperationResult, WalkOrder,
    WalkResult,
};
use melior::ir::{
    Block, BlockRef, Identifier, Location, Module, Operation, OperationRef, Region, RegionLike,
    Type, Value,
};
use mlir_pipeline::{Failure, MlirError};
use mlir_sys::mlirOperationDestroy;

pub(crate) type Rewritten<T> = Result<T, MlirError>;

/// A melior error here is a fault of the rewrite, reported as one.
pub(crate) fn internal(error: impl std::fmt::Display) -> MlirError {
    MlirError::PassPipelineFailed(Failure::new(error.to_string()))
}

pub(crate) fn name_of(operation: OperationRef<'_, '_>) -> String {
    let name = operation.name();
    name.as_string_ref()
        .as_str()
        .unwrap_or_default()
        .to_string()
}

/// The operations of a module's own block.
pub(crate) fn top<'c: 'a, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    operations(module.body())
}

/// The operations of a block, not those within them.
pub(crate) fn operations<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    std::iter::successors(block.first_operation(), |last| last.next_in_block()).collect()
}

/// The operation and those within it.
pub(crate) fn nested<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut all = Vec::new();
    operation.walk(WalkOrder::PreOrder, |operation| {
        // SAFETY: they live as long as the operation does.
        all.push(unsafe { OperationRef::from_raw(operation.to_raw()) });
        WalkResult::Advance
    });
    all
}

/// The operations of a region, to ask of.
pub(crate) struct Inside(HashSet<*const c_void>);

impl Inside {
    pub(crate) fn of(operations: &[OperationRef<'_, '_>]) -> Self {
        let pointers = operations
            .iter()
            .map(|operation| operation.to_raw().ptr.cast_const());
        Inside(pointers.collect())
    }

    /// Whether one of them makes the value, or a block of one of them takes it.
    pub(crate) fn makes<'c: 'a, 'a>(&self, value: Value<'c, 'a>) -> bool {
        let owner = match OperationResult::try_from(value) {
            Ok(result) => Some(result.owner().to_raw()),
            Err(_) => BlockArgument::try_from(value).ok().and_then(|argument| {
                let owner = argument.owner().parent_operation()?;
                Some(owner.to_raw())
            }),
        };
        owner.is_some_and(|owner| self.0.contains(&owner.ptr.cast_const()))
    }
}

/// The block of an operation's one region.
pub(crate) fn block_of<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<BlockRef<'c, 'a>> {
    operation.region(0).ok()?.first_block()
}

pub(crate) fn symbol(operation: OperationRef<'_, '_>) -> Option<String> {
    let symbol = operation.attribute("sym_name");
    let symbol = symbol.and_then(StringAttribute::try_from);
    symbol.ok().map(|symbol| symbol.value().to_string())
}

/// Removes an operation whose results nothing uses.
pub fn destroy(operation: OperationRef<'_, '_>) {
    // SAFETY: nothing uses the operation's results, and no reference to it is used again.
    unsafe { mlirOperationDestroy(operation.to_raw()) };
}

/// The same operation, to change: it is one of the module that the caller may change.
pub(crate) fn changed<'c, 'a>(operation: OperationRef<'c, 'a>) -> OperationRefMut<'c, 'a> {
    // SAFETY: the operation is alive, and nothing else changes it meanwhile.
    unsafe { OperationRefMut::from_raw(operation.to_raw()) }
}

/// Takes the operation out of its block, for another to own.
pub(crate) fn taken<'c>(operation: OperationRef<'c, '_>) -> Operation<'c> {
    changed(operation).remove_from_parent();
    // SAFETY: it has no other owner now.
    unsafe { Operation::from_raw(operation.to_raw()) }
}

pub(crate) fn replace_uses<'c>(old: Value<'c, '_>, new: Value<'c, '_>) {
    use melior::ir::ValueLike;
    // SAFETY: both are alive and of one type.
    unsafe { mlir_sys::mlirValueReplaceAllUsesOfWith(old.to_raw(), new.to_raw()) };
}

/// Where operations go: the end of a block, or before an operation of it.
#[derive(Clone, Copy)]
pub(crate) struct Place<'c, 'a> {
    pub context: &'c Context,
    pub location: Location<'c>,
    pub block: BlockRef<'c, 'a>,
    pub before: Option<OperationRef<'c, 'a>>,
}

impl<'c, 'a> Place<'c, 'a> {
    pub(crate) fn before(context: &'c Context, operation: OperationRef<'c, 'a>) -> Option<Self> {
        Some(Place {
            context,
            location: operation.location(),
            block: operation.block()?,
            before: Some(operation),
        })
    }

    /// The end of another block, at the same location.
    pub(crate) fn end_of(self, block: BlockRef<'c, 'a>) -> Self {
        Place {
            block,
            before: None,
            ..self
        }
    }

    pub(crate) fn put(self, operation: Operation<'c>) -> OperationRef<'c, 'a> {
        match self.before {
            Some(before) => self.block.insert_operation_before(before, operation),
            None => self.block.append_operation(operation),
        }
    }

    pub(crate) fn build(self, operation: OperationBuilder<'c>) -> Rewritten<OperationRef<'c, 'a>> {
        Ok(self.put(operation.build().map_err(internal)?))
    }

    pub(crate) fn operation(self, name: &str) -> OperationBuilder<'c> {
        OperationBuilder::new(name, self.location)
    }

    pub(crate) fn named(
        self,
        name: &str,
        attribute: impl Into<Attribute<'c>>,
    ) -> (Identifier<'c>, Attribute<'c>) {
        (Identifier::new(self.context, name), attribute.into())
    }

    pub(crate) fn value(self, operation: OperationBuilder<'c>) -> Rewritten<Value<'c, 'a>> {
        let operation = self.build(operation)?;
        Ok(operation.result(0).map_err(internal)?.into())
    }

    pub(crate) fn emit(
        self,
        name: &str,
        operands: &[Value<'c, 'a>],
        result: Type<'c>,
    ) -> Rewritten<Value<'c, 'a>> {
        let operation = self.operation(name).add_operands(operands);
        self.value(operation.add_results(&[result]))
    }

    pub(crate) fn index(self, value: u64) -> Rewritten<Value<'c, 'a>> {
        let ty = Type::index(self.context);
        let value = IntegerAttribute::new(ty, value as i64);
        let operation = self.operation("arith.constant").add_results(&[ty]);
        self.value(operation.add_attributes(&[self.named("value", value)]))
    }

    /// An operation whose first region has one block, and that block; so many regions more are
    /// empty.
    pub(crate) fn with_block(
        self,
        operation: OperationBuilder<'c>,
        arguments: &[Type<'c>],
        empty: usize,
    ) -> Rewritten<BlockRef<'c, 'a>> {
        let arguments: Vec<_> = arguments.iter().map(|&ty| (ty, self.location)).collect();
        let region = Region::new();
        region.append_block(Block::new(&arguments));
        let operation = operation.add_regions_vec(
            std::iter::once(region)
                .chain((0..empty).map(|_| Region::new()))
                .collect(),
        );
        let operation = self.build(operation)?;
        block_of(operation).ok_or_else(|| internal("a region without its block"))
    }
}
