//! Takes tensor operations out of host code (surface, §The `.nr` surface, "Lowering to HIR").
//!
//! - `run` says what a tensor operation is, and what an expression of them takes.
//! - `whole` finds the functions that are nothing else: they stay as they are.
//! - `tensor_code` finds the bodies for a GPU that are tensor operations throughout.
//! - `host` walks the other bodies, and makes a function of each maximal expression.
//! - `absorb` finds the bindings before an expression that go with it.
//! - `effects` says what evaluating an expression may do besides.
//! - `operation` makes the function and its call.

mod absorb;
mod effects;
mod host;
mod operation;
mod parts;
mod run;
mod tensor_code;
mod whole;

use std::collections::{BTreeMap, BTreeSet};

use neuro_hir::{
    Device, FunctionTarget, HirExprKind, HirFunction, HirItem, HirNode, HirProgram, TensorOp,
};
use shared_types::Literal;

use host::Host;

/// What outlining needs to know of a program.
struct Program {
    target: FunctionTarget,
    /// There is a device, so what may run on it stays whole.
    on_device: bool,
    /// Names of functions and constants, the made ones included.
    taken: BTreeSet<String>,
    /// The constants whose value is a literal.
    literals: BTreeMap<String, Literal>,
}

/// Outlines the host functions and the methods. `on_device` is whether operations follow their
/// operands; a program that moves a tensor to a GPU says so itself.
pub(crate) fn outline(program: HirProgram, on_device: bool) -> HirProgram {
    let follows = on_device || moves_to_gpu(&program);
    let mut context = Program {
        target: if follows {
            FunctionTarget::FollowsOperands
        } else {
            FunctionTarget::HostOperation
        },
        on_device,
        taken: BTreeSet::new(),
        literals: BTreeMap::new(),
    };
    for item in &program.items {
        match item {
            HirItem::Function(function) => {
                context.taken.insert(function.name.clone());
            }
            HirItem::Const(constant) => {
                context.taken.insert(constant.name.clone());
                if let HirExprKind::Literal(value) = &constant.value.kind {
                    context
                        .literals
                        .insert(constant.name.clone(), value.clone());
                }
            }
            HirItem::Struct(_) | HirItem::Impl(_) => {}
        }
    }
    let mut items = Vec::new();
    for item in program.items {
        match item {
            HirItem::Function(function) => {
                let function = context.function(function, &mut items);
                items.push(HirItem::Function(function));
            }
            HirItem::Impl(mut block) => {
                for method in &mut block.methods {
                    let prefix = format!("{}__{}", block.owner, method.name);
                    Host::new(&mut context, &prefix, method, &mut items).body(method);
                }
                items.push(HirItem::Impl(block));
            }
            HirItem::Struct(_) | HirItem::Const(_) => items.push(item),
        }
    }
    HirProgram {
        tier: program.tier,
        items,
    }
}

impl Program {
    fn function(&mut self, mut function: HirFunction, items: &mut Vec<HirItem>) -> HirFunction {
        match function.target {
            FunctionTarget::Host => {
                if whole::is_run(&mut function, &self.literals) {
                    whole::normalize(&mut function, &self.literals);
                    function.target = self.target.clone();
                } else {
                    self.host(&mut function, items);
                }
            }
            FunctionTarget::Gpu { fallback } => {
                if whole::is_run(&mut function, &self.literals) {
                    whole::normalize(&mut function, &self.literals);
                } else if fallback
                    && (!self.on_device || tensor_code::reads_at_positions(&function))
                    && !tensor_code::is_tensor_code(&function, &self.literals)
                {
                    // More than a body to link holds: it is host code like any other.
                    function.target = FunctionTarget::Host;
                    self.host(&mut function, items);
                }
            }
            FunctionTarget::Kernel { .. }
            | FunctionTarget::HostOperation
            | FunctionTarget::FollowsOperands => {}
        }
        function
    }

    fn host(&mut self, function: &mut HirFunction, items: &mut Vec<HirItem>) {
        let prefix = function.name.clone();
        Host::new(self, &prefix, function, items).body(function);
    }

    /// `main__op0` and so on: a name that nothing in the program has.
    fn made_name(&mut self, prefix: &str, next: &mut usize) -> String {
        loop {
            let name = format!("{prefix}__op{next}");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

fn moves_to_gpu(program: &HirProgram) -> bool {
    let moves = |function: &HirFunction| {
        HirNode::from(&function.body).descendants().any(|node| {
            matches!(node, HirNode::Expr(expr) if matches!(
                expr.kind,
                HirExprKind::Tensor(TensorOp::ToDevice { device: Device::Gpu(_), .. })
            ))
        })
    };
    program.items.iter().any(|item| match item {
        HirItem::Function(function) => moves(function),
        HirItem::Impl(block) => block.methods.iter().any(moves),
        HirItem::Struct(_) | HirItem::Const(_) => false,
    })
}
