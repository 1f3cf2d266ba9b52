use melior::Context;
use melior::ir::attribute::{
    Attribute, BoolAttribute, FloatAttribute, IntegerAttribute, StringAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationBuilder;
use melior::ir::{Block, Identifier, Location, Operation, OperationRef, Type, Value, ValueLike};
use mlir_pipeline::{Failure, MlirError};
use shared_types::ScalarType;

use crate::types::{integer_type, scalar_type};
use crate::unlowered::Unlowered;

pub(crate) type Built<T> = Result<T, Unlowered>;

/// Where operations go: the end of a block, with the source location they get.
#[derive(Clone, Copy)]
pub(crate) struct At<'c, 'b> {
    pub context: &'c Context,
    pub block: &'b Block<'c>,
    pub location: Location<'c>,
}

impl<'c: 'b, 'b> At<'c, 'b> {
    pub(crate) fn append(&self, operation: Operation<'c>) -> OperationRef<'c, 'b> {
        self.block.append_operation(operation)
    }

    pub(crate) fn operation(&self, name: &str) -> OperationBuilder<'c> {
        OperationBuilder::new(name, self.location)
    }

    pub(crate) fn named(
        &self,
        name: &str,
        attribute: impl Into<Attribute<'c>>,
    ) -> (Identifier<'c>, Attribute<'c>) {
        (Identifier::new(self.context, name), attribute.into())
    }

    /// Appends the operation and gives its first result.
    pub(crate) fn value(&self, operation: OperationBuilder<'c>) -> Built<Value<'c, 'b>> {
        self.result(self.append(build(operation)?), 0)
    }

    pub(crate) fn result(
        &self,
        operation: OperationRef<'c, 'b>,
        index: usize,
    ) -> Built<Value<'c, 'b>> {
        Ok(operation.result(index).map_err(internal)?.into())
    }

    /// An operation of values to one value, without attributes.
    pub(crate) fn emit(
        &self,
        name: &str,
        operands: &[Value<'c, '_>],
        result: Type<'c>,
    ) -> Built<Value<'c, 'b>> {
        self.value(
            self.operation(name)
                .add_operands(operands)
                .add_results(&[result]),
        )
    }

    /// An operation of `arith` on two values of one type, to that type.
    pub(crate) fn arith(
        &self,
        name: &str,
        left: Value<'c, '_>,
        right: Value<'c, '_>,
    ) -> Built<Value<'c, 'b>> {
        self.emit(&format!("arith.{name}"), &[left, right], left.r#type())
    }

    pub(crate) fn constant(&self, value: Attribute<'c>, ty: Type<'c>) -> Built<Value<'c, 'b>> {
        let operation = self.operation("arith.constant").add_results(&[ty]);
        self.value(operation.add_attributes(&[self.named("value", value)]))
    }

    /// An integer constant of `bits`, given by its low bits.
    pub(crate) fn integer(&self, bits: u32, value: i128) -> Built<Value<'c, 'b>> {
        let ty = integer_type(self.context, bits);
        // Sign-extended from its width: MLIR takes the value as an `i64` that fits.
        let shift = 128 - bits;
        let wrapped = ((value << shift) >> shift) as i64;
        self.constant(IntegerAttribute::new(ty, wrapped).into(), ty)
    }

    /// A constant of MLIR's `index` type.
    pub(crate) fn index(&self, value: u64) -> Built<Value<'c, 'b>> {
        let ty = Type::index(self.context);
        self.constant(IntegerAttribute::new(ty, value as i64).into(), ty)
    }

    /// The position along a dimension of the generic whose region this is, an `index`.
    pub(crate) fn dimension(&self, dimension: usize) -> Built<Value<'c, 'b>> {
        let number = IntegerAttribute::new(integer_type(self.context, 64), dimension as i64);
        let operation = self
            .operation("linalg.index")
            .add_attributes(&[self.named("dim", number)])
            .add_results(&[Type::index(self.context)]);
        self.value(operation)
    }

    pub(crate) fn float(&self, scalar: ScalarType, value: f64) -> Built<Value<'c, 'b>> {
        let ty = scalar_type(self.context, scalar);
        self.constant(FloatAttribute::new(self.context, ty, value).into(), ty)
    }

    pub(crate) fn boolean(&self, value: bool) -> Built<Value<'c, 'b>> {
        let ty = integer_type(self.context, 1);
        self.constant(BoolAttribute::new(self.context, value).into(), ty)
    }

    /// `arith.cmpi` or `arith.cmpf` by the predicate's number.
    pub(crate) fn compare(
        &self,
        name: &str,
        predicate: i64,
        left: Value<'c, '_>,
        right: Value<'c, '_>,
    ) -> Built<Value<'c, 'b>> {
        let number = IntegerAttribute::new(integer_type(self.context, 64), predicate);
        let operation = self
            .operation(name)
            .add_attributes(&[self.named("predicate", number)])
            .add_operands(&[left, right])
            .add_results(&[integer_type(self.context, 1)]);
        self.value(operation)
    }

    pub(crate) fn string(&self, text: &str) -> StringAttribute<'c> {
        StringAttribute::new(self.context, text)
    }
}

pub(crate) fn build<'c>(operation: OperationBuilder<'c>) -> Built<Operation<'c>> {
    operation.build().map_err(internal)
}

/// A melior error here is a fault of the lowering, reported as one.
pub(crate) fn internal(error: melior::Error) -> Unlowered {
    Unlowered::Failed(MlirError::ModuleVerificationFailed(Failure::new(
        error.to_string(),
    )))
}
