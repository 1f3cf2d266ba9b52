use melior::Context;
use melior::dialect::{arith, func};
use melior::ir::attribute::{
    FlatSymbolRefAttribute, IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRefMut, OperationResult};
use melior::ir::r#type::{FunctionType, MemRefType};
use melior::ir::{
    Block, BlockRef, Identifier, Operation, OperationRef, Region, RegionLike, Type, Value,
    ValueLike,
};
use mlir_sys::mlirOperationDestroy;

use crate::constant::integer_constant;
use crate::rewrite::{is_view, is_within, name_of, nested, users};
use crate::share::call::{share_name, task_name};
use crate::share::{SHARED, is_scratch, no_block};

/// A loop that becomes a function, and what it needs from around it.
pub(crate) struct Task<'c, 'a> {
    shared: OperationRef<'c, 'a>,
    bounds: Bounds,
    /// What an element is made from comes before it.
    captures: Vec<(Value<'c, 'a>, Capture)>,
}

struct Bounds {
    lower: i64,
    upper: i64,
    step: i64,
}

/// How a value from outside of the loop comes to be in the task.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Capture {
    /// As a parameter.
    Passed,
    /// The task makes it again.
    Made,
    /// A buffer that the loop alone uses: each task has its own.
    Owned,
}

impl<'c, 'a> Task<'c, 'a> {
    /// Of a loop without results; `None` where it has fewer than two steps, or needs what cannot be
    /// handed to a function.
    pub(crate) fn of(
        context: &'c Context,
        shared: OperationRef<'c, 'a>,
    ) -> Result<Option<Self>, melior::Error> {
        let bound = |index| Ok::<_, melior::Error>(integer_constant(shared.operand(index)?));
        let (Some(lower), Some(upper), Some(step)) = (bound(0)?, bound(1)?, bound(2)?) else {
            return Ok(None);
        };
        let mut task = Task {
            shared,
            bounds: Bounds { lower, upper, step },
            captures: Vec::new(),
        };
        if task.bounds.steps() < 2 {
            return Ok(None);
        }
        for operation in nested(shared) {
            for operand in operation.operands() {
                if is_outside(operand, shared) && !task.capture(context, operand) {
                    return Ok(None);
                }
            }
        }
        Ok(Some(task))
    }

    /// Whether the value can be had in the task.
    fn capture(&mut self, context: &'c Context, value: Value<'c, 'a>) -> bool {
        if self.captures.iter().any(|(known, _)| *known == value) {
            return true;
        }
        let is_passed =
            value.r#type() == Type::index(context) || MemRefType::try_from(value.r#type()).is_ok();
        let owner = OperationResult::try_from(value)
            .map(|result| result.owner())
            .ok();
        let name = owner.map_or_else(String::new, name_of);
        let how = match name.as_str() {
            "arith.constant" | "ub.poison" => Capture::Made,
            "memref.alloc" if is_scratch(value, self.shared) => Capture::Owned,
            name if is_view(name) && self.is_view_of_owned(value) => Capture::Made,
            _ if is_passed => Capture::Passed,
            name if name.starts_with("arith.") || name.starts_with("vector.") => Capture::Made,
            _ => return false,
        };
        if let (Capture::Made, Some(owner)) = (how, owner) {
            let mut operands = owner.operands();
            let is_simple = owner.region_count() == 0 && owner.result_count() == 1;
            if !is_simple || !operands.all(|operand| self.capture(context, operand)) {
                return false;
            }
        }
        self.captures.push((value, how));
        true
    }

    fn is_view_of_owned(&self, view: Value<'c, 'a>) -> bool {
        let Ok(result) = OperationResult::try_from(view) else {
            return false;
        };
        let owner = result.owner();
        match name_of(owner).as_str() {
            "memref.alloc" => is_scratch(view, self.shared),
            name if is_view(name) => owner
                .operand(0)
                .is_ok_and(|source| self.is_view_of_owned(source)),
            _ => false,
        }
    }

    /// Moves the loop into a function before `function`, and puts a call in its place that shares
    /// it among `threads`.
    pub(crate) fn place(
        self,
        context: &'c Context,
        function: OperationRef<'c, 'a>,
        symbol: &str,
        number: usize,
        threads: [Value<'c, 'a>; 2],
    ) -> Result<(), melior::Error> {
        let location = self.shared.location();
        let index = Type::index(context);
        let none = || no_block(function);
        let module = function.block().ok_or_else(none)?;
        let outside = self.shared.block().ok_or_else(none)?;

        let region = Region::new();
        region.append_block(Block::new(&[(index, location), (index, location)]));
        let name = task_name(symbol, number);
        let task =
            module.insert_operation_before(function, private(context, &name, region, location));
        let block = task.region(0)?.first_block().ok_or_else(none)?;

        let mut inside: Vec<(Value, Value)> = Vec::new();
        let mut owned = Vec::new();
        let count = IntegerAttribute::new(index, self.bounds.steps());
        let count = outside.insert_operation_before(
            self.shared,
            arith::constant(context, count.into(), location),
        );
        let mut given = vec![threads[0], threads[1], count.result(0)?.into()];
        for &(value, how) in &self.captures {
            if how == Capture::Passed {
                inside.push((value, block.add_argument(value.r#type(), location)));
                given.push(value);
                continue;
            }
            let result = OperationResult::try_from(value)?;
            let made = block.append_operation((*result.owner()).clone());
            replace_operands(made, &inside);
            inside.push((value, made.result(0)?.into()));
            if how == Capture::Owned {
                owned.push(value);
            }
        }

        let types = |values: &[Value<'c, 'a>]| -> Vec<Type<'c>> {
            values.iter().map(|value| value.r#type()).collect()
        };
        let share = share_name(symbol, number);
        let declaration = private(context, &share, Region::new(), location);
        let declaration = module.insert_operation_before(task, declaration);
        set_type(context, declaration, &types(&given));
        set_type(
            context,
            task,
            &[&[index, index], &types(&given[3..])[..]].concat(),
        );
        let callee = FlatSymbolRefAttribute::new(context, &share);
        let call = func::call(context, callee, &given, &[], location);
        outside.insert_operation_before(self.shared, call);

        self.move_loop(context, block, &inside)?;
        for buffer in owned {
            for user in users(buffer) {
                if name_of(user) == "memref.dealloc" {
                    replace_operands(block.append_operation((*user).clone()), &inside);
                    destroy(user);
                }
            }
        }
        block.append_operation(func::r#return(&[], location));
        for &(value, how) in self.captures.iter().rev() {
            if how != Capture::Passed && users(value).is_empty() {
                destroy(OperationResult::try_from(value)?.owner());
            }
        }
        Ok(())
    }

    /// Moves the loop to the end of the task's block, and makes it run over the task's steps.
    fn move_loop(
        &self,
        context: &'c Context,
        block: BlockRef<'c, 'a>,
        inside: &[(Value<'c, 'a>, Value<'c, 'a>)],
    ) -> Result<(), melior::Error> {
        let location = self.shared.location();
        let emit = |operation: Operation<'c>| {
            let result = block.append_operation(operation).result(0)?;
            Ok::<Value<'c, 'a>, melior::Error>(result.into())
        };
        let index = Type::index(context);
        let constant = |value| {
            arith::constant(
                context,
                IntegerAttribute::new(index, value).into(),
                location,
            )
        };
        let step = emit(constant(self.bounds.step))?;
        let lower = emit(constant(self.bounds.lower))?;
        let upper = emit(constant(self.bounds.upper))?;
        let position = |argument: usize| {
            let steps = block.argument(argument)?.into();
            let passed = emit(arith::muli(steps, step, location))?;
            emit(arith::addi(lower, passed, location))
        };
        let from = position(0)?;
        let to = emit(arith::minsi(position(1)?, upper, location))?;

        // SAFETY: the loop is an operation of the module that the caller may change; once it has
        // no parent, the block is its only owner.
        let shared = unsafe {
            let mut shared = OperationRefMut::from_raw(self.shared.to_raw());
            shared.remove_from_parent();
            shared.remove_attribute(SHARED)?;
            block.append_operation(Operation::from_raw(self.shared.to_raw()))
        };
        for operation in nested(shared) {
            replace_operands(operation, inside);
        }
        set_operand(shared, 0, from);
        set_operand(shared, 1, to);
        Ok(())
    }
}

impl Bounds {
    fn steps(&self) -> i64 {
        let extent = self.upper.saturating_sub(self.lower).max(0);
        match self.step {
            step @ 1.. => extent / step + i64::from(extent % step != 0),
            _ => 0,
        }
    }
}

fn is_outside<'c, 'a>(value: Value<'c, 'a>, shared: OperationRef<'c, 'a>) -> bool {
    let owner = match OperationResult::try_from(value) {
        Ok(result) => Some(result.owner()),
        Err(_) => melior::ir::block::BlockArgument::try_from(value)
            .ok()
            .and_then(|argument| {
                let owner = argument.owner().parent_operation()?;
                // SAFETY: the operation lives as long as its block's argument does.
                Some(unsafe { OperationRef::from_raw(owner.to_raw()) })
            }),
    };
    !owner.is_some_and(|owner| is_within(owner, shared))
}

/// A function of the module alone, its type still to come.
fn private<'c>(
    context: &'c Context,
    name: &str,
    region: Region<'c>,
    location: melior::ir::Location<'c>,
) -> Operation<'c> {
    let ty = TypeAttribute::new(FunctionType::new(context, &[], &[]).into());
    let visibility = StringAttribute::new(context, "private").into();
    let attributes = [(Identifier::new(context, "sym_visibility"), visibility)];
    let name = StringAttribute::new(context, name);
    func::func(context, name, ty, region, &attributes, location)
}

fn set_type<'c>(context: &'c Context, function: OperationRef<'c, '_>, inputs: &[Type<'c>]) {
    let ty = TypeAttribute::new(FunctionType::new(context, inputs, &[]).into());
    // SAFETY: the function is one of the module that the caller may change.
    let mut function = unsafe { OperationRefMut::from_raw(function.to_raw()) };
    function.set_inherent_attribute("function_type", ty.into());
}

fn replace_operands<'c, 'a>(
    operation: OperationRef<'c, 'a>,
    inside: &[(Value<'c, 'a>, Value<'c, 'a>)],
) {
    for position in 0..operation.operand_count() {
        let replaced = operation.operand(position).ok().and_then(|operand| {
            let found = inside.iter().find(|(outer, _)| *outer == operand);
            found.map(|&(_, inner)| inner)
        });
        if let Some(value) = replaced {
            set_operand(operation, position, value);
        }
    }
}

fn set_operand<'c, 'a>(operation: OperationRef<'c, 'a>, position: usize, value: Value<'c, 'a>) {
    // SAFETY: the operation is one of the module that the caller may change.
    let mut operation = unsafe { OperationRefMut::from_raw(operation.to_raw()) };
    operation.set_operand(position, value);
}

fn destroy(operation: OperationRef<'_, '_>) {
    // SAFETY: nothing uses the operation's results, and no reference to it is used again.
    unsafe { mlirOperationDestroy(operation.to_raw()) };
}
