//! Integer checks as values, and what the host makes of them (numerics, §Integer checks).
//!
//! Until fusion is done a check is a value: a cast that gives its first operand. So it is moved and
//! repeated with what it belongs to, which MLIR does not do with effects (docs/upstream.md). Then it
//! becomes an effect, and nothing may move it any more.

use std::collections::BTreeSet;

use melior::Context;
use melior::dialect::{arith, scf};
use melior::ir::attribute::{Attribute, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef, WalkOrder, WalkResult};
use melior::ir::r#type::IntegerType;
use melior::ir::{Block, Identifier, Location, Region, RegionLike, Type, Value, ValueLike};
use mlir_sys::{mlirOperationDestroy, mlirValueReplaceAllUsesOfWith};

use crate::{Failure, MlirError};

/// A check as a value.
pub struct Check<'c, 'r> {
    /// What goes on; what is computed from it is computed after the check.
    pub value: Value<'c, 'r>,
    /// Whether it fails, `i1`.
    pub failed: Value<'c, 'r>,
    /// The position in the operation's iteration space, `i64`.
    pub position: Value<'c, 'r>,
    /// The status word, `memref<i64>`.
    pub word: Value<'c, 'r>,
    /// The key without its position.
    pub key: i64,
}

const KEY: &str = "neuro.check";
/// How far the position is shifted in a key.
const POSITION_SHIFT: i64 = 12;

impl<'c> Check<'c, '_> {
    /// The operation, whose one result is the value.
    pub fn operation(&self, context: &'c Context, location: Location<'c>) -> OperationBuilder<'c> {
        let key = IntegerAttribute::new(word_type(context), self.key);
        OperationBuilder::new(CAST, location)
            .add_operands(&[self.value, self.failed, self.position, self.word])
            .add_attributes(&[(Identifier::new(context, KEY), key.into())])
            .add_results(&[self.value.r#type()])
    }
}

const CAST: &str = "builtin.unrealized_conversion_cast";

/// The keys of the checks in a function.
pub(crate) fn keys(function: OperationRef<'_, '_>) -> BTreeSet<i64> {
    let checks = checks(function);
    checks.iter().filter_map(|&check| key(check)).collect()
}

/// Makes each check of a function an effect: it lowers the status word where it fails.
pub(crate) fn lower_checks<'c>(
    context: &'c Context,
    function: OperationRef<'c, '_>,
) -> Result<(), MlirError> {
    checks(function)
        .into_iter()
        .try_for_each(|check| lower(context, check).map_err(internal))
}

fn checks<'c, 'a>(function: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut checks = Vec::new();
    function.walk(WalkOrder::PreOrder, |operation| {
        // SAFETY: the walk gives operations of the function, which live as long as it does.
        let operation = unsafe { OperationRef::from_raw(operation.to_raw()) };
        checks.extend(key(operation).map(|_| operation));
        WalkResult::Advance
    });
    checks
}

fn key(operation: OperationRef<'_, '_>) -> Option<i64> {
    let key = IntegerAttribute::try_from(operation.attribute(KEY).ok()?).ok()?;
    Some(key.value())
}

fn lower<'c>(context: &'c Context, check: OperationRef<'c, '_>) -> Result<(), melior::Error> {
    let location = check.location();
    let operand = |index| check.operand(index);
    let (value, failed, position, word) = (operand(0)?, operand(1)?, operand(2)?, operand(3)?);
    let wide = word_type(context);
    let constant =
        |value: i64| arith::constant(context, IntegerAttribute::new(wide, value).into(), location);

    let block = Block::new(&[]);
    let emit = |operation| block.append_operation(operation).result(0).map(Value::from);
    let fixed = emit(constant(key(check).unwrap_or_default()))?;
    let shift = emit(constant(POSITION_SHIFT))?;
    let shifted = emit(arith::shli(position, shift, location))?;
    let key = emit(arith::ori(shifted, fixed, location))?;
    let minimum: Attribute = IntegerAttribute::new(wide, ATOMIC_MINU).into();
    let lowered = OperationBuilder::new("memref.atomic_rmw", location)
        .add_attributes(&[(Identifier::new(context, "kind"), minimum)])
        .add_operands(&[key, word])
        .add_results(&[wide]);
    emit(lowered.build()?)?;
    block.append_operation(scf::r#yield(&[], location));
    let then = Region::new();
    then.append_block(block);
    let branch = scf::r#if(failed, &[], then, Region::new(), location);

    if let Some(place) = check.block() {
        place.insert_operation_before(check, branch);
    }
    // SAFETY: both values are alive; nothing refers to the check after its uses are replaced.
    unsafe {
        mlirValueReplaceAllUsesOfWith(check.result(0)?.to_raw(), value.to_raw());
        mlirOperationDestroy(check.to_raw());
    }
    Ok(())
}

/// `arith::AtomicRMWKind::minu`.
const ATOMIC_MINU: i64 = 11;

fn word_type(context: &Context) -> Type<'_> {
    IntegerType::new(context, 64).into()
}

fn internal(error: melior::Error) -> MlirError {
    MlirError::PassPipelineFailed(Failure::new(error.to_string()))
}
