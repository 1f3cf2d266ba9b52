//! Loops and branches of `scf`, for what runs on buffers in order.

use melior::ir::block::BlockLike;
use melior::ir::{Block, OperationRef, Region, RegionLike, Type, Value, ValueLike};

use crate::at::{At, Built, build, internal};

impl<'c: 'b, 'b> At<'c, 'b> {
    /// A region of one block, which `body` fills and ends.
    pub(crate) fn region(
        &self,
        arguments: &[Type<'c>],
        body: impl for<'r> FnOnce(At<'c, 'r>, &[Value<'c, 'r>]) -> Built<()>,
    ) -> Built<Region<'c>> {
        let arguments: Vec<_> = arguments.iter().map(|&ty| (ty, self.location)).collect();
        let block = Block::new(&arguments);
        {
            let inner = At {
                context: self.context,
                block: &block,
                location: self.location,
            };
            let values = (0..arguments.len())
                .map(|index| Ok(block.argument(index).map_err(internal)?.into()))
                .collect::<Built<Vec<Value>>>()?;
            body(inner, &values)?;
        }
        let region = Region::new();
        region.append_block(block);
        Ok(region)
    }

    /// Ends a block of a loop or a branch with the values that it gives.
    fn end(&self, name: &str, values: &[Value<'c, '_>]) -> Built<()> {
        self.append(build(self.operation(name).add_operands(values))?);
        Ok(())
    }

    fn all_results(
        &self,
        operation: OperationRef<'c, 'b>,
        count: usize,
    ) -> Built<Vec<Value<'c, 'b>>> {
        let results = (0..count).map(|index| self.result(operation, index));
        results.collect()
    }

    /// Runs `body` at each of `start..end`, in order. It gets the number, and what it gave last,
    /// `seeds` at first.
    pub(crate) fn fold(
        &self,
        (start, end): (Value<'c, '_>, Value<'c, '_>),
        seeds: &[Value<'c, '_>],
        body: impl for<'r> FnOnce(
            At<'c, 'r>,
            Value<'c, 'r>,
            &[Value<'c, 'r>],
        ) -> Built<Vec<Value<'c, 'r>>>,
    ) -> Built<Vec<Value<'c, 'b>>> {
        let types: Vec<Type> = seeds.iter().map(|seed| seed.r#type()).collect();
        let arguments = [&[Type::index(self.context)], &types[..]].concat();
        let region = self.region(&arguments, |at, values| {
            let next = body(at, values[0], &values[1..])?;
            at.end("scf.yield", &next)
        })?;
        let mut operands: Vec<Value> = vec![start, end, self.index(1)?];
        operands.extend_from_slice(seeds);
        let operation = self
            .operation("scf.for")
            .add_operands(&operands)
            .add_results(&types)
            .add_regions([region]);
        self.all_results(self.append(build(operation)?), types.len())
    }

    /// Runs `body` at each of `0..count`, in order.
    pub(crate) fn repeat(
        &self,
        count: u64,
        body: impl for<'r> FnOnce(At<'c, 'r>, Value<'c, 'r>) -> Built<()>,
    ) -> Built<()> {
        let range = (self.index(0)?, self.index(count)?);
        self.fold(range, &[], |at, index, _| {
            body(at, index)?;
            Ok(vec![])
        })?;
        Ok(())
    }

    /// Runs `step` as long as `condition` holds of the values, `seeds` at first; gives the last
    /// ones.
    pub(crate) fn repeat_while(
        &self,
        seeds: &[Value<'c, '_>],
        condition: impl for<'r> FnOnce(At<'c, 'r>, &[Value<'c, 'r>]) -> Built<Value<'c, 'r>>,
        step: impl for<'r> FnOnce(At<'c, 'r>, &[Value<'c, 'r>]) -> Built<Vec<Value<'c, 'r>>>,
    ) -> Built<Vec<Value<'c, 'b>>> {
        let types: Vec<Type> = seeds.iter().map(|seed| seed.r#type()).collect();
        let before = self.region(&types, |at, values| {
            let mut operands = vec![condition(at, values)?];
            operands.extend_from_slice(values);
            at.end("scf.condition", &operands)
        })?;
        let after = self.region(&types, |at, values| {
            let next = step(at, values)?;
            at.end("scf.yield", &next)
        })?;
        let operation = self
            .operation("scf.while")
            .add_operands(seeds)
            .add_results(&types)
            .add_regions([before, after]);
        self.all_results(self.append(build(operation)?), types.len())
    }

    /// Runs `then` where the condition holds, else `otherwise`.
    pub(crate) fn branch(
        &self,
        condition: Value<'c, '_>,
        then: impl for<'r> FnOnce(At<'c, 'r>) -> Built<()>,
        otherwise: impl for<'r> FnOnce(At<'c, 'r>) -> Built<()>,
    ) -> Built<()> {
        let regions = [self.branch_region(then)?, self.branch_region(otherwise)?];
        self.conditional(condition, regions)
    }

    /// Runs `then` where the condition holds.
    pub(crate) fn when(
        &self,
        condition: Value<'c, '_>,
        then: impl for<'r> FnOnce(At<'c, 'r>) -> Built<()>,
    ) -> Built<()> {
        let regions = [self.branch_region(then)?, Region::new()];
        self.conditional(condition, regions)
    }

    fn branch_region(
        &self,
        body: impl for<'r> FnOnce(At<'c, 'r>) -> Built<()>,
    ) -> Built<Region<'c>> {
        self.region(&[], |at, _| {
            body(at)?;
            at.end("scf.yield", &[])
        })
    }

    fn conditional(&self, condition: Value<'c, '_>, regions: [Region<'c>; 2]) -> Built<()> {
        let operation = self
            .operation("scf.if")
            .add_operands(&[condition])
            .add_regions(regions);
        self.append(build(operation)?);
        Ok(())
    }
}
