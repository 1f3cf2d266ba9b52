//! What a generated function is made of: one file a family of operations, each with its types, its
//! text, how one is made, and what is simpler than it.

mod closure;
mod compound;
mod device;
mod einsum;
mod elementwise;
mod fill;
mod mathematics;
mod movement;
mod product;
mod reduction;
mod scalar;
mod slice;
mod sort;
mod traversal;

use std::fmt::Debug;
use std::sync::Arc;

use shared_types::ScalarType;

use crate::generate::Maker;
use crate::program::{Operand, Type};

/// One operation on some operands.
pub trait Operation: Debug + Send + Sync {
    /// The name in the table of what was generated.
    fn name(&self) -> &'static str;

    /// The types of its results; `None` where the language refuses the operands.
    fn results(&self, operands: &[Type]) -> Option<Vec<Type>>;

    /// As an expression that may stand anywhere. Of an assignment it is the value assigned.
    fn print(&self, operands: &[Operand]) -> String;

    /// How many results there are: of several, a tuple.
    fn members(&self) -> usize {
        1
    }

    /// The operator of an assignment, whose result is what its first operand becomes.
    fn assigns(&self) -> Option<&'static str> {
        None
    }

    /// From this operand on they are captured: what is computed is bound before.
    fn first_capture(&self) -> usize {
        usize::MAX
    }

    /// The bodies that it may stand in.
    fn place(&self) -> Place {
        Place::Anywhere
    }

    /// Operations of the same operands that say less.
    fn simpler(&self) -> Vec<Arc<dyn Operation>> {
        Vec::new()
    }

    /// The same operation where each extent `from` is `to`; `None` where no extent is in it.
    fn with_extent(&self, _from: u64, _to: u64) -> Option<Arc<dyn Operation>> {
        None
    }
}

/// The bodies that an operation may stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Anywhere,
    /// Host code and `@gpu` bodies that are nothing but tensor operations: it gives a scalar.
    Runs,
    /// Host code and the other `@gpu` bodies: it makes a tensor.
    NoRuns,
    Host,
}

/// Adds an operation of a family to the function, where what is there lets it.
pub type Make = fn(&mut Maker<'_>) -> Option<()>;

/// How often a family is tried beside the others.
pub const FAMILIES: &[(usize, Make)] = &[
    (30, elementwise::make),
    (12, mathematics::make),
    (10, reduction::make),
    (7, product::make),
    (7, einsum::make),
    (5, sort::make),
    (10, slice::make),
    (12, movement::make),
    (4, fill::make),
    (5, scalar::make),
    (8, compound::make),
    (6, traversal::make),
    (1, device::make),
];

/// What the table has a line for, and the types that it is of.
pub fn names() -> Vec<Name> {
    let families = [
        elementwise::NAMES,
        mathematics::NAMES,
        reduction::NAMES,
        product::NAMES,
        einsum::NAMES,
        sort::NAMES,
        slice::NAMES,
        movement::NAMES,
        fill::NAMES,
        scalar::NAMES,
        compound::NAMES,
        traversal::NAMES,
        device::NAMES,
    ];
    families.concat()
}

/// The name of an operation, and the element types that it is of.
type Name = (&'static str, fn(ScalarType) -> bool);

/// The operations of a family.
type Names = &'static [Name];

const NUMBERS: fn(ScalarType) -> bool = ScalarType::is_number;
const FLOATS: fn(ScalarType) -> bool = ScalarType::is_float;
const ANY: fn(ScalarType) -> bool = |scalar| scalar != ScalarType::Char;

/// Whether an operation of this name takes two operands that broadcast.
pub fn broadcasts(name: &str) -> bool {
    elementwise::OPERATORS.contains(&name) || name == "pow"
}
