//! Loop nests on buffers: folds that wait for no single sum, and permutations in blocks of vectors.

pub(crate) mod lanes;
mod plan;
mod read;

use melior::StringRef;
use melior::ir::Module;
use melior::ir::attribute::{AttributeLike, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationRef, WalkOrder, WalkResult};
use melior::ir::r#type::IntegerType;
use mlir_pipeline::{MlirError, Session};
use mlir_sys::mlirOperationSetDiscardableAttributeByName;

use crate::apply::apply;
use crate::nest::lanes::{Lanes, fold_in_lanes};
use crate::nest::plan::Plan;
pub(crate) use crate::nest::read::Nest;
use crate::script::{ANY, Script};

/// Schedules the loop nests of a module whose bodies work on buffers. Each element is computed as
/// it is without: a fold's order stays, and so does each operation of it.
pub fn schedule_nests<'c>(session: &'c Session, module: &Module<'c>) -> Result<(), MlirError> {
    let mut next = module.body().first_operation();
    while let Some(function) = next {
        next = function.next_in_block();
        for (generic, nest, dimensions) in folds_in_lanes(function) {
            fold_in_lanes(session.context(), generic, &nest, dimensions)?;
        }
        let plans = plans(session, function);
        if !plans.is_empty() {
            apply(session, function, &script(&plans))?;
        }
    }
    Ok(())
}

fn folds_in_lanes<'c, 'a>(
    function: OperationRef<'c, 'a>,
) -> Vec<(OperationRef<'c, 'a>, Nest, Lanes)> {
    let mut folds = Vec::new();
    function.walk(WalkOrder::PreOrder, |operation| {
        if let Some(nest) = Nest::read(&operation)
            && let Some(dimensions) = Lanes::of(&nest)
        {
            // SAFETY: the walk gives operations of the function, which live as long as it does.
            let operation = unsafe { OperationRef::from_raw(operation.to_raw()) };
            folds.push((operation, nest, dimensions));
        }
        WalkResult::Advance
    });
    folds
}

/// Marks each nest of a function that has a plan with the plan's number.
const MARK: &str = "neuro.nest";

fn plans<'c>(session: &'c Session, function: OperationRef<'c, '_>) -> Vec<Plan> {
    let mut plans = Vec::new();
    function.walk(WalkOrder::PreOrder, |operation| {
        if let Some(plan) = Nest::read(&operation).and_then(|nest| Plan::of(&nest)) {
            let wide = IntegerType::new(session.context(), 64).into();
            let number = IntegerAttribute::new(wide, plans.len() as i64);
            // SAFETY: the operation is one of the module that the caller may change, and the name
            // is copied.
            unsafe {
                let name = StringRef::new(MARK).to_raw();
                let operation = operation.to_raw();
                mlirOperationSetDiscardableAttributeByName(operation, name, number.to_raw());
            }
            plans.push(plan);
        }
        WalkResult::Advance
    });
    plans
}

fn script(plans: &[Plan]) -> String {
    let mut script = Script::default();
    for (number, plan) in plans.iter().enumerate() {
        script.nest(number, plan);
    }
    if plans.iter().any(|plan| plan.in_vectors) {
        script.patterns(&[
            "vector.transfer_permutation_patterns",
            "vector.lower_transpose lowering_strategy = shuffle_16x16",
        ]);
    }
    script.finish()
}

impl Script {
    fn nest(&mut self, number: usize, plan: &Plan) {
        let mut nest = self.tagged(&format!("{MARK} = {number} : i64"));
        for &(dimension, after) in &plan.cuts {
            // What is cut off stays as it is.
            nest = self.split(vec![nest], dimension, after).swap_remove(0);
        }
        let block = self.tile(&nest, &plan.tile, None);
        if let Some(order) = &plan.order {
            let reordered = self.handle();
            self.line(format!(
                "{reordered} = transform.structured.interchange {block} \
                 iterator_interchange = {order:?} : ({ANY}) -> {ANY}"
            ));
        }
        if plan.in_vectors {
            self.line(format!("transform.structured.vectorize {block} : {ANY}"));
        }
    }
}
