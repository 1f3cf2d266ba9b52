//! What rewrites of operations ask of MLIR.

use melior::Context;
use melior::dialect::arith::CmpiPredicate;
use melior::ir::attribute::{Attribute, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{
    OperationBuilder, OperationLike, OperationRefMut, OperationResult, WalkOrder, WalkResult,
};
use melior::ir::r#type::IntegerType;
use melior::ir::{
    Block, BlockRef, Identifier, Location, Operation, OperationRef, Region, RegionLike, Type,
    Value, ValueLike,
};
use mlir_sys::{
    mlirOpOperandGetNextUse, mlirOpOperandGetOwner, mlirOpOperandIsNull, mlirOperationDestroy,
    mlirValueGetFirstUse, mlirValueReplaceAllUsesOfWith,
};

use crate::{Failure, MlirError};

/// What a rewrite gives, or why it failed.
pub type Rewritten<T> = Result<T, MlirError>;

/// A melior error here is a fault of the rewrite, reported as one.
pub fn internal(error: impl std::fmt::Display) -> MlirError {
    MlirError::PassPipelineFailed(Failure::new(error.to_string()))
}

/// The operations of a block, not those within them.
pub fn operations<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    std::iter::successors(block.first_operation(), |last| last.next_in_block()).collect()
}

/// The block of an operation's one region.
pub fn block_of<'c, 'a>(operation: OperationRef<'c, 'a>) -> Option<BlockRef<'c, 'a>> {
    operation.region(0).ok()?.first_block()
}

/// The name of an operation, with its dialect.
pub fn name_of(operation: OperationRef<'_, '_>) -> String {
    let name = operation.name();
    name.as_string_ref()
        .as_str()
        .unwrap_or_default()
        .to_string()
}

/// Whether an operation of the name gives another view of the buffer that is its first operand.
pub fn is_view(name: &str) -> bool {
    matches!(
        name,
        "memref.subview"
            | "memref.cast"
            | "memref.reinterpret_cast"
            | "memref.collapse_shape"
            | "memref.expand_shape"
    )
}

/// The buffer that a view is of, or that is no view.
pub fn source<'c: 'a, 'a>(buffer: Value<'c, 'a>) -> Value<'c, 'a> {
    let owner = OperationResult::try_from(buffer).map(|result| result.owner());
    match owner {
        Ok(owner) if is_view(&name_of(owner)) => owner.operand(0).map_or(buffer, source),
        _ => buffer,
    }
}

/// The operation and those within it.
pub fn nested<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut all = Vec::new();
    operation.walk(WalkOrder::PreOrder, |operation| {
        // SAFETY: they live as long as the operation does.
        all.push(unsafe { OperationRef::from_raw(operation.to_raw()) });
        WalkResult::Advance
    });
    all
}

/// Whether the operation is the other one, or within it.
pub fn is_within<'c, 'a>(operation: OperationRef<'c, 'a>, other: OperationRef<'c, 'a>) -> bool {
    let mut next = Some(operation);
    while let Some(operation) = next {
        if operation.to_raw().ptr == other.to_raw().ptr {
            return true;
        }
        next = operation.parent_operation();
    }
    false
}

/// What uses the value, once for each use.
pub fn users<'c, 'a>(value: Value<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut users = Vec::new();
    // SAFETY: the value is alive, and so is what uses it.
    unsafe {
        let mut next = mlirValueGetFirstUse(value.to_raw());
        while !mlirOpOperandIsNull(next) {
            users.push(OperationRef::from_raw(mlirOpOperandGetOwner(next)));
            next = mlirOpOperandGetNextUse(next);
        }
    }
    users
}

/// Removes an operation whose results nothing uses.
pub fn destroy(operation: OperationRef<'_, '_>) {
    // SAFETY: nothing uses the operation's results, and no reference to it is used again.
    unsafe { mlirOperationDestroy(operation.to_raw()) };
}

/// The same operation, to change: it is one of the module that the caller may change.
pub fn changed<'c, 'a>(operation: OperationRef<'c, 'a>) -> OperationRefMut<'c, 'a> {
    // SAFETY: the operation is alive, and nothing else changes it meanwhile.
    unsafe { OperationRefMut::from_raw(operation.to_raw()) }
}

/// Puts a value in the place of another of its type.
pub fn replace_uses<'c>(old: Value<'c, '_>, new: Value<'c, '_>) {
    // SAFETY: both are alive and of one type.
    unsafe { mlirValueReplaceAllUsesOfWith(old.to_raw(), new.to_raw()) };
}

/// Where operations go: the end of a block, or before an operation of it.
#[derive(Clone, Copy)]
pub struct Place<'c, 'a> {
    pub context: &'c Context,
    pub location: Location<'c>,
    pub block: BlockRef<'c, 'a>,
    pub before: Option<OperationRef<'c, 'a>>,
}

impl<'c, 'a> Place<'c, 'a> {
    /// Before the operation, at its location; `None` where it stands in no block.
    pub fn before(context: &'c Context, operation: OperationRef<'c, 'a>) -> Option<Self> {
        Some(Place {
            context,
            location: operation.location(),
            block: operation.block()?,
            before: Some(operation),
        })
    }

    /// The end of another block, at the same location.
    pub fn end_of(self, block: BlockRef<'c, 'a>) -> Self {
        Place {
            block,
            before: None,
            ..self
        }
    }

    /// Puts the operation here.
    pub fn put(self, operation: Operation<'c>) -> OperationRef<'c, 'a> {
        match self.before {
            Some(before) => self.block.insert_operation_before(before, operation),
            None => self.block.append_operation(operation),
        }
    }

    /// Builds the operation here.
    pub fn build(self, operation: OperationBuilder<'c>) -> Rewritten<OperationRef<'c, 'a>> {
        Ok(self.put(operation.build().map_err(internal)?))
    }

    /// An operation at this location, not yet built.
    pub fn operation(self, name: &str) -> OperationBuilder<'c> {
        OperationBuilder::new(name, self.location)
    }

    /// An attribute with its name.
    pub fn named(
        self,
        name: &str,
        attribute: impl Into<Attribute<'c>>,
    ) -> (Identifier<'c>, Attribute<'c>) {
        (Identifier::new(self.context, name), attribute.into())
    }

    /// Builds the operation here, and gives its first result.
    pub fn value(self, operation: OperationBuilder<'c>) -> Rewritten<Value<'c, 'a>> {
        let operation = self.build(operation)?;
        Ok(operation.result(0).map_err(internal)?.into())
    }

    /// An operation of values to one value, without attributes.
    pub fn emit(
        self,
        name: &str,
        operands: &[Value<'c, 'a>],
        result: Type<'c>,
    ) -> Rewritten<Value<'c, 'a>> {
        let operation = self.operation(name).add_operands(operands);
        self.value(operation.add_results(&[result]))
    }

    /// A constant of MLIR's `index` type.
    pub fn index(self, value: u64) -> Rewritten<Value<'c, 'a>> {
        let ty = Type::index(self.context);
        let value = IntegerAttribute::new(ty, value as i64);
        let operation = self.operation("arith.constant").add_results(&[ty]);
        self.value(operation.add_attributes(&[self.named("value", value)]))
    }

    /// An operation whose first region has one block, and that block; so many regions more are
    /// empty.
    pub fn with_block(
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

    /// Whether the first of two values compares so with the second.
    pub fn compare(
        self,
        predicate: CmpiPredicate,
        values: [Value<'c, 'a>; 2],
    ) -> Rewritten<Value<'c, 'a>> {
        let wide = IntegerType::new(self.context, 64).into();
        let predicate = IntegerAttribute::new(wide, predicate as i64);
        let compare = self
            .operation("arith.cmpi")
            .add_attributes(&[self.named("predicate", predicate)])
            .add_operands(&values)
            .add_results(&[IntegerType::new(self.context, 1).into()]);
        self.value(compare)
    }

    /// A branch: what `values` gives in either arm, where the condition holds and where not.
    pub fn choose(
        self,
        condition: Value<'c, 'a>,
        types: &[Type<'c>],
        mut values: impl FnMut(Self, bool) -> Rewritten<Vec<Value<'c, 'a>>>,
    ) -> Rewritten<Vec<Value<'c, 'a>>> {
        let arms = [(); 2].map(|()| {
            let region = Region::new();
            region.append_block(Block::new(&[]));
            region
        });
        let branch = self.operation("scf.if").add_operands(&[condition]);
        let branch = self.build(branch.add_results(types).add_regions(arms))?;
        for (index, holds) in [true, false].into_iter().enumerate() {
            let arm = branch.region(index).map_err(internal)?.first_block();
            let arm = self.end_of(arm.ok_or_else(|| internal("a branch without its block"))?);
            let values = values(arm, holds)?;
            arm.build(arm.operation("scf.yield").add_operands(&values))?;
        }
        Ok(branch.results().map(Value::from).collect())
    }

    /// So many positions after one.
    pub fn after(self, position: Value<'c, 'a>, count: u64) -> Rewritten<Value<'c, 'a>> {
        match count {
            0 => Ok(position),
            _ => self.emit(
                "arith.addi",
                &[position, self.index(count)?],
                Type::index(self.context),
            ),
        }
    }

    /// A loop from a position to another by a step. `body` gets the place within it, the position,
    /// and what it gave last, `seeds` at first. Gives what it gave at the end.
    pub fn each(
        self,
        (from, to, step): (Value<'c, 'a>, u64, u64),
        seeds: &[Value<'c, 'a>],
        body: impl FnOnce(Self, Value<'c, 'a>, &[Value<'c, 'a>]) -> Rewritten<Vec<Value<'c, 'a>>>,
    ) -> Rewritten<Vec<Value<'c, 'a>>> {
        let types: Vec<Type> = seeds.iter().map(ValueLike::r#type).collect();
        let range = [from, self.index(to)?, self.index(step)?];
        let arguments: Vec<_> = std::iter::once(Type::index(self.context))
            .chain(types.iter().copied())
            .map(|ty| (ty, self.location))
            .collect();
        let region = Region::new();
        region.append_block(Block::new(&arguments));
        let each = self
            .operation("scf.for")
            .add_operands(&[&range, seeds].concat())
            .add_results(&types)
            .add_regions([region]);
        let each = self.build(each)?;
        let block = block_of(each).ok_or_else(|| internal("a loop without its block"))?;
        let arguments = (0..arguments.len()).map(|index| Ok(block.argument(index)?.into()));
        let arguments: Vec<Value> = arguments
            .collect::<Result<_, melior::Error>>()
            .map_err(internal)?;
        let inside = self.end_of(block);
        let last = body(inside, arguments[0], &arguments[1..])?;
        inside.build(inside.operation("scf.yield").add_operands(&last))?;
        Ok(each.results().map(Value::from).collect())
    }
}
