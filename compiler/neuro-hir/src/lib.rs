//! The typed high-level IR: the contract between a front end and the backends.
//!
//! Every expression carries its type and span. [`HirProgram::verify`] states what well-formed
//! means; [`HirProgram`]'s `Display` gives stable text. The crate must never depend on a syntax, a
//! backend or MLIR, and a new variant must be a compile error in every consumer.

pub mod build;
mod expr;
mod function;
mod place;
mod print;
mod program;
mod reach;
pub mod shape;
mod statement;
mod tensor_op;
mod types;
mod verify;
mod walk;

pub use expr::{Callee, GridIndex, HirClosure, HirExpr, HirExprKind, MathFunction};
pub use function::{FunctionTarget, HirFunction, HirLocal, LocalId};
pub use place::{HirPlace, Storage};
pub use program::{HirConst, HirField, HirImpl, HirItem, HirProgram, HirStruct, Tier};
pub use statement::{HirBlock, HirPattern, HirStatement, HirStatementKind};
pub use tensor_op::{Device, Einsum, Fill, Reduction, SliceAxis, TensorOp};
pub use types::{Axis, Extent, FunctionType, HirType, TensorType};
pub use verify::{HirError, MAX_DEPTH};
pub use walk::HirNode;
