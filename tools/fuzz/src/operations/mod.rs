//! What a generated function is made of: one file a family of operations, each with its types, its
//! text, how one is made, and what is simpler than it.

mod branch;
mod call;
mod closure;
mod compound;
mod constant;
mod device;
mod einsum;
mod elementwise;
mod fill;
mod kernel;
mod loops;
mod mathematics;
mod movement;
mod output;
mod product;
mod reduction;
mod scalar;
mod slice;
mod sort;
mod traversal;
mod write;

use std::fmt::Debug;
use std::sync::Arc;

use shared_types::ScalarType;

use crate::generate::{Domain, Maker};
use crate::program::{Operand, Type};
pub use compound::compound_on;
pub use elementwise::make_long;
pub use product::{make_packed, make_tiled};

/// One operation on some operands.
pub trait Operation: Debug + Send + Sync {
    /// The name in the table of what was generated.
    fn name(&self) -> &'static str;

    /// The types of its results; `None` where the language refuses the operands.
    fn results(&self, operands: &[Type]) -> Option<Vec<Type>>;

    /// As an expression that may stand anywhere; as a statement where it assigns or has no result.
    /// What it takes beside operands is an item of this name, or begins with it.
    fn print(&self, operands: &[Operand], name: &str) -> String;

    /// The items that it takes, of this name.
    fn items(&self, _operands: &[Type], _name: &str) -> Option<String> {
        None
    }

    /// How many results there are: of several, a tuple; of none, it is a statement.
    fn members(&self) -> usize {
        1
    }

    /// Whether it is a statement that changes its first operand, and gives what that becomes.
    fn assigns(&self) -> bool {
        false
    }

    /// Whether it is no more than a name, which stands wherever it is taken.
    fn is_name(&self) -> bool {
        false
    }

    /// Whether it may take an operand more than once: nothing is moved then.
    fn repeats(&self) -> bool {
        false
    }

    /// From this operand on they are captured, or taken again and again: what is computed is bound
    /// before.
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
    /// Host code, and the end of the other `@gpu` bodies.
    End,
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
    (5, kernel::make),
    (4, call::make),
    (4, constant::make),
    (3, write::make),
    (3, loops::make),
    (3, branch::make),
    (2, output::make),
    (1, device::make),
];

/// What stands in the body of a packed product, or of one in tiles.
pub const BESIDE_LARGE: &[(usize, Make)] = &[
    (3, sort::make),
    (3, traversal::make),
    (2, reduction::make),
    (2, elementwise::make),
];

/// What the table has a line for, and the types that it is of.
pub fn names(domain: Domain) -> Vec<Name> {
    let of_domain: [Names; 2] = match domain {
        Domain::Host => [mathematics::LIBRARY, product::ON_HOST],
        Domain::Device => [product::ON_DEVICE, kernel::NAMES],
    };
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
        call::NAMES,
        constant::NAMES,
        write::NAMES,
        loops::NAMES,
        branch::NAMES,
        output::NAMES,
        device::NAMES,
    ];
    [families.concat(), of_domain.concat()].concat()
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

/// The family of an operation that is scheduled by itself, wherever a packed product stands.
pub fn scheduled_family(name: &str) -> Option<&'static str> {
    let is_in = |names: Names| names.iter().any(|(known, _)| *known == name);
    let families = [
        ("sort", sort::NAMES),
        ("traversal", traversal::NAMES),
        ("reduction", reduction::NAMES),
    ];
    let family = families.iter().find(|(_, names)| is_in(names));
    family.map(|(family, _)| *family)
}
