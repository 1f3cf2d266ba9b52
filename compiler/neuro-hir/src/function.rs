use shared_types::Span;

use crate::{HirBlock, HirType};

/// A function or a method.
#[derive(Clone, Debug, PartialEq)]
pub struct HirFunction {
    pub name: String,
    pub target: FunctionTarget,
    /// Everything the body binds, closures' parameters included. The first ones are the
    /// function's parameters.
    pub locals: Vec<HirLocal>,
    pub parameter_count: usize,
    pub result: HirType,
    pub body: HirBlock,
    /// The operation of an outlined one, the header of a written one.
    pub span: Span,
}

/// Where a function runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FunctionTarget {
    /// Scalar and driver code.
    Host,
    /// A tensor operation, outlined or a function that is nothing else.
    HostOperation,
    /// A tensor operation that runs where its operands live.
    FollowsOperands,
    /// `@gpu`; with a fallback the host may run it too.
    Gpu { fallback: bool },
    /// `@kernel`: one thread's code. `threads` is the block shape, 1 to 3 extents.
    Kernel { threads: Vec<u32> },
}

impl FunctionTarget {
    /// A tensor operation made by outlining: one that ends without a body is a compiler's fault.
    pub fn is_outlined(&self) -> bool {
        match self {
            FunctionTarget::HostOperation | FunctionTarget::FollowsOperands => true,
            FunctionTarget::Host | FunctionTarget::Gpu { .. } | FunctionTarget::Kernel { .. } => {
                false
            }
        }
    }
}

/// An index into the `locals` of the function that the expression stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// A parameter or a binding.
#[derive(Clone, Debug, PartialEq)]
pub struct HirLocal {
    pub name: String,
    pub ty: HirType,
    pub mutable: bool,
    pub span: Span,
}

impl HirFunction {
    pub fn parameters(&self) -> &[HirLocal] {
        &self.locals[..self.parameter_count.min(self.locals.len())]
    }

    /// `id` names a local of this function, as [`crate::HirProgram::verify`] requires.
    pub fn local(&self, id: LocalId) -> &HirLocal {
        &self.locals[id.0 as usize]
    }
}
