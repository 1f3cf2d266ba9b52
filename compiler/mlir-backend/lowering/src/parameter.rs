//! What a linked body takes, in order (backend specification, §Linking into a compile).

use std::collections::HashMap;
use std::rc::Rc;

use neuro_hir::{HirFunction, HirType, LocalId};
use shared_types::ScalarType;

use crate::at::Built;
use crate::scalar_function::ScalarFunction;
use crate::unlowered::Unlowered;

/// One parameter of a body's symbol. A tensor is an exploded memref descriptor: two pointers, an
/// offset, a size and a stride an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyParameter {
    /// A number or a bool.
    Scalar(ScalarType),
    /// A position from 0 and below `extent`: the caller checks it, the body does not.
    Position { scalar: ScalarType, extent: u64 },
    /// A tensor that the body reads. One that is `owned` in the program stays its caller's, too.
    Operand {
        scalar: ScalarType,
        shape: Vec<u64>,
        owned: bool,
    },
    /// A `&mut` tensor, which the body reads and may write.
    Target { scalar: ScalarType, shape: Vec<u64> },
    /// A function value: the pointer of its code, which takes the environment before these
    /// parameters, and that of the environment.
    Function {
        parameters: Vec<ScalarType>,
        result: ScalarType,
    },
    /// A scalar that a function has captured: what a GPU body takes in the place of a function, one
    /// after the other, by the name where the closure stands.
    Captured { name: String, scalar: ScalarType },
    /// The status word, a tensor of rank 0 and of 64-bit integers (numerics, §Integer checks).
    Status,
    /// A tensor that the body gives back: its buffer, all of which the body writes.
    Result { scalar: ScalarType, shape: Vec<u64> },
    /// What shares loops among threads: the pointers of its code and of what the code is called
    /// with. Only a body that was compiled to share some takes it.
    Threads,
}

/// What the function's body takes. `positions` are the parameters that a slice reads its source
/// at, with the smallest extent of those axes; `passed` are those that are known functions.
pub(crate) fn parameters(
    function: &HirFunction,
    has_checks: bool,
    positions: &HashMap<LocalId, u64>,
    passed: &HashMap<LocalId, Rc<ScalarFunction>>,
) -> Built<Vec<BodyParameter>> {
    let mut parameters = Vec::new();
    for (index, parameter) in function.parameters().iter().enumerate() {
        let ty = &parameter.ty;
        let local = LocalId(index as u32);
        if let Some(passed) = passed.get(&local) {
            let captures = passed.captures.iter();
            parameters.extend(captures.map(|capture| BodyParameter::Captured {
                name: capture.name.clone(),
                scalar: capture.scalar,
            }));
            continue;
        }
        let position = positions.get(&local);
        parameters.push(match (ty.referent(), tensor_parts(ty), position) {
            (HirType::Scalar(scalar), _, Some(&extent)) => BodyParameter::Position {
                scalar: *scalar,
                extent,
            },
            (HirType::Scalar(scalar), _, None) => BodyParameter::Scalar(*scalar),
            (HirType::Function(signature), _, _) => match signature.element_types() {
                Some((parameters, result)) => BodyParameter::Function { parameters, result },
                None => return unlinkable(function, ty),
            },
            (_, Some((scalar, shape)), _) => match ty {
                HirType::Reference { mutable: true, .. } => BodyParameter::Target { scalar, shape },
                ty => BodyParameter::Operand {
                    scalar,
                    shape,
                    owned: matches!(ty, HirType::Tensor(_)),
                },
            },
            (_, None, _) => return unlinkable(function, ty),
        });
    }
    if has_checks {
        parameters.push(BodyParameter::Status);
    }
    let results = match &function.result {
        HirType::Void => &[],
        HirType::Tuple(members) => members.as_slice(),
        result @ (HirType::Scalar(_)
        | HirType::Tensor(_)
        | HirType::Reference { .. }
        | HirType::Function(_)
        | HirType::String
        | HirType::Nominal(_)) => std::slice::from_ref(result),
    };
    for ty in results {
        match tensor_parts(ty) {
            Some((scalar, shape)) => parameters.push(BodyParameter::Result { scalar, shape }),
            None => return unlinkable(function, ty),
        }
    }
    Ok(parameters)
}

/// The element type and the shape of a static tensor of scalars, owned or behind references.
fn tensor_parts(ty: &HirType) -> Option<(ScalarType, Vec<u64>)> {
    let tensor = ty.as_tensor()?;
    Some((tensor.scalar()?, tensor.static_extents()?))
}

fn unlinkable<T>(function: &HirFunction, ty: &HirType) -> Built<T> {
    let reason = format!("`{ty}` in the signature of a linked body");
    Unlowered::refused(reason, function.span)
}
