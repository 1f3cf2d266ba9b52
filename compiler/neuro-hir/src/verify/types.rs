use shared_types::ScalarType;

use super::Items;
use crate::HirType;

/// Calls `visit` with each type directly inside `ty`, and whether it may be `void` there.
pub(super) fn for_each_part<'a>(ty: &'a HirType, mut visit: impl FnMut(&'a HirType, bool)) {
    match ty {
        HirType::Void | HirType::Scalar(_) | HirType::String | HirType::Nominal(_) => {}
        HirType::Tensor(tensor) => visit(&tensor.element, false),
        HirType::Reference { mutable: _, target } => visit(target, false),
        HirType::Tuple(members) => members.iter().for_each(|member| visit(member, false)),
        HirType::Function(function) => {
            let parameters = &function.parameters;
            parameters
                .iter()
                .for_each(|parameter| visit(parameter, false));
            visit(&function.result, true);
        }
    }
}

impl Items<'_> {
    /// - `void` is a result, or the type of an expression without a value, and nothing else.
    /// - A struct that is named is declared.
    /// - A tensor whose extents are all static has fewer than 2^63 elements.
    pub(super) fn check_type(&self, ty: &HirType, may_be_void: bool) -> Result<(), String> {
        let mut pending = vec![(ty, may_be_void)];
        while let Some((ty, may_be_void)) = pending.pop() {
            match ty {
                HirType::Void if !may_be_void => {
                    return Err("`void` is the type of a result only".into());
                }
                HirType::Nominal(name) if !self.structs.contains_key(name.as_str()) => {
                    return Err(format!("there is no struct `{name}`"));
                }
                HirType::Tensor(tensor)
                    if tensor.static_extents().is_some() && tensor.elements().is_none() =>
                {
                    return Err(format!("`{tensor}` has 2^63 elements or more"));
                }
                HirType::Void
                | HirType::Nominal(_)
                | HirType::Tensor(_)
                | HirType::Scalar(_)
                | HirType::Reference { .. }
                | HirType::Tuple(_)
                | HirType::Function(_)
                | HirType::String => {
                    for_each_part(ty, |part, may_be_void| pending.push((part, may_be_void)));
                }
            }
        }
        Ok(())
    }
}

/// A value of type `found` may stand where `expected` is asked for.
pub(super) fn accepts(expected: &HirType, found: &HirType) -> bool {
    if let HirType::Reference {
        mutable: false,
        target: expected,
    } = expected
        && let HirType::Reference {
            mutable: true,
            target: found,
        } = found
    {
        return expected.agrees(found);
    }
    expected.agrees(found)
}

/// The scalar type, where it is owned.
pub(super) fn scalar(ty: &HirType) -> Option<ScalarType> {
    if let HirType::Scalar(scalar) = ty {
        Some(*scalar)
    } else {
        None
    }
}

pub(super) fn expect(what: &str, expected: &HirType, found: &HirType) -> Result<(), String> {
    if accepts(expected, found) {
        Ok(())
    } else {
        Err(format!("{what} is of type `{expected}`, not `{found}`"))
    }
}
