//! HIR to linalg, tensor and memref: every tensor operation's body, one file an operation family
//! (backend specification, §Lowering Rules to §Matrix multiplication).
//!
//! It knows no target, schedules nothing, and never lowers wrongly: a body it cannot express is a
//! declaration, or left out with the reason.

mod accumulation;
mod affine;
mod arrange;
mod at;
mod body;
mod buffers;
mod check;
mod compound;
mod contraction;
mod contraction_shape;
mod einsum;
mod element;
mod elementwise;
mod fill;
mod function;
mod function_value;
mod generic;
mod half;
mod lanes;
mod loops;
mod math;
mod module;
mod movement;
mod parameter;
mod reduction;
mod scalar_function;
mod signature;
mod sort;
mod traversal;
mod types;
mod unlowered;
mod views;

pub use check::{Check, CheckKind, IterationSpace};
pub use contraction_shape::ContractionShape;
pub use module::{Body, LinkModule, Selection, link_module, linkable_parameters, program_module};
pub use parameter::BodyParameter;
pub use scalar_function::{Capture, ScalarCheck, ScalarFunction, ScalarFunctions};
pub use sort::SortForm;
pub use traversal::Traversal;
pub use unlowered::{Cause, Refusal};
