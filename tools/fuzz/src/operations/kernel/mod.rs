//! `@kernel` functions: each thread writes elements of its own alone, so that no order of them
//! shows.

mod element;
mod make;
mod print;
mod statement;

use std::sync::Arc;

use shared_types::ScalarType;

use super::closure::Closure;
use super::{Names, Operation, Place};
use crate::program::{Operand, Type};

use element::{Leaf, Own};
pub use make::make;
use statement::Statement;

pub const NAMES: Names = &[("kernel", IN_KERNELS), ("kernel, &mut", IN_KERNELS)];

/// The elements of the tensors that a kernel takes.
const IN_KERNELS: fn(ScalarType) -> bool = |scalar| scalar.is_number() && !scalar.is_half();

/// A launch. The operands are the tensors that it writes, of one shape, then what it reads.
#[derive(Clone, Debug)]
struct Kernel {
    /// The block shape.
    threads: Vec<u64>,
    outputs: usize,
    /// Of the operands: the elements, and the rank of those that are tensors.
    signature: Vec<(ScalarType, Option<usize>)>,
    /// Whether what is written stands after what is read.
    outputs_last: bool,
    call: CallForm,
    guard: Guard,
    own: Own,
    /// What its expressions read, in this order; then its locals, then the steps of the loops.
    leaves: Vec<Leaf>,
    /// What each local begins as.
    locals: Vec<Closure>,
    body: Vec<Statement>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum CallForm {
    /// It writes to its one target, as an assignment does.
    Direct,
    /// A function launches it so many times on copies, and gives those.
    Within(u64),
}

/// What keeps threads past the extents from the elements.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Guard {
    If,
    Return,
    /// Nothing, but along axes that the tensor lacks.
    Absent,
}

impl Operation for Kernel {
    fn name(&self) -> &'static str {
        match self.call {
            CallForm::Direct => "kernel, &mut",
            CallForm::Within(_) => "kernel",
        }
    }

    fn results(&self, operands: &[Type]) -> Option<Vec<Type>> {
        let signature = operands
            .iter()
            .map(|ty| (ty.scalar, ty.shape.as_ref().map(Vec::len)));
        if !signature.eq(self.signature.iter().copied()) {
            return None;
        }
        let (outputs, read) = operands.split_at(self.outputs);
        let agree = outputs.iter().all(|ty| ty.shape == outputs[0].shape);
        let has_elements = |ty: &Type| !ty.extents().contains(&0);
        (agree && read.iter().all(has_elements)).then(|| outputs.to_vec())
    }

    fn print(&self, operands: &[Operand], name: &str) -> String {
        let arguments = operands.iter().enumerate().map(|(at, operand)| {
            let is_target = at == 0 && self.assigns();
            match operand.ty.is_tensor() {
                true if is_target => format!("&mut {}", operand.receiver),
                true => operand.borrowed.clone(),
                false => operand.receiver.clone(),
            }
        });
        format!("{name}({})", self.ordered(arguments.collect()).join(", "))
    }

    fn items(&self, operands: &[Type], name: &str) -> Option<String> {
        Some(print::items(self, operands, name))
    }

    fn members(&self) -> usize {
        self.outputs
    }

    fn assigns(&self) -> bool {
        self.call == CallForm::Direct
    }

    fn first_capture(&self) -> usize {
        match self.assigns() {
            true => 1,
            false => usize::MAX,
        }
    }

    fn place(&self) -> Place {
        Place::Host
    }

    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        let kernels = make::simpler(self).into_iter();
        kernels
            .map(|kernel| Arc::new(kernel) as Arc<dyn Operation>)
            .collect()
    }
}

impl Kernel {
    /// What is said of each operand, in the order of the parameters.
    fn ordered(&self, mut each: Vec<String>) -> Vec<String> {
        if self.outputs_last {
            each.rotate_left(self.outputs);
        }
        each
    }
}
