use shared_types::Span;

use crate::{HirExpr, HirFunction, HirType};

/// A whole program, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct HirProgram {
    pub tier: Tier,
    /// In source order; an outlined operation stands before the function it was taken from.
    pub items: Vec<HirItem>,
}

/// The build tier (numerics, §Integer checks).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Debug: an integer overflow is a panic.
    Checked,
    /// Release: integers wrap. A zero divisor is still a panic.
    Wrapping,
}

#[derive(Clone, Debug, PartialEq)]
pub enum HirItem {
    Function(HirFunction),
    Impl(HirImpl),
    Struct(HirStruct),
    Const(HirConst),
}

/// The methods of a struct. A method's receiver is its first parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct HirImpl {
    pub owner: String,
    pub methods: Vec<HirFunction>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct HirStruct {
    pub name: String,
    pub fields: Vec<HirField>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct HirField {
    pub name: String,
    pub ty: HirType,
}

/// A constant. Its value is made of literals and of constants that stand before it, by operators,
/// casts, tuples and tensor literals.
#[derive(Clone, Debug, PartialEq)]
pub struct HirConst {
    pub name: String,
    pub value: HirExpr,
    pub span: Span,
}

impl HirProgram {
    /// The free functions, in program order.
    pub fn functions(&self) -> impl Iterator<Item = &HirFunction> {
        self.items.iter().filter_map(|item| match item {
            HirItem::Function(function) => Some(function),
            HirItem::Impl(_) | HirItem::Struct(_) | HirItem::Const(_) => None,
        })
    }

    /// A free function, by name.
    pub fn function(&self, name: &str) -> Option<&HirFunction> {
        self.functions().find(|function| function.name == name)
    }
}
