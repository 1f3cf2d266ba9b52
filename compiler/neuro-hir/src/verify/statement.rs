use ast_types::BinaryOp;
use shared_types::ScalarType;

use super::Scope;
use super::types::{expect, scalar};
use crate::{HirExpr, HirPattern, HirStatement, HirStatementKind, HirType, shape};

impl Scope<'_> {
    /// - A binding's locals have the type of the value, or of its members.
    /// - An assignment's value has the place's type.
    /// - The value of `place op= value` is a scalar of the place's type, or broadcasts to the
    ///   tensor in the place.
    /// - Conditions are `bool`; the bounds and the local of a `for` are of one integer type.
    pub(super) fn statement(&self, statement: &HirStatement) -> Result<(), String> {
        match &statement.kind {
            HirStatementKind::Bind { pattern, value } => self.bind(pattern, &value.ty),
            HirStatementKind::Assign { place, value } => expect("the place", &place.ty, &value.ty),
            HirStatementKind::CompoundAssign { op, place, value } => {
                compound_assign(*op, place, value)
            }
            HirStatementKind::While { condition, body: _ } => self.condition(condition),
            HirStatementKind::For {
                local,
                start,
                end,
                inclusive: _,
                body: _,
            } => {
                let ty = &self.local(*local)?.ty;
                if !matches!(ty, HirType::Scalar(scalar) if scalar.is_integer()) {
                    return Err(format!("`for` counts in an integer type, not `{ty}`"));
                }
                expect("the local", ty, &start.ty)?;
                expect("the local", ty, &end.ty)
            }
            HirStatementKind::Expr(_)
            | HirStatementKind::Loop { body: _ }
            | HirStatementKind::Break
            | HirStatementKind::Continue
            | HirStatementKind::Return(_) => Ok(()),
        }
    }

    fn bind(&self, pattern: &HirPattern, value: &HirType) -> Result<(), String> {
        let bind_one = |id, value: &HirType| {
            let local = self.local(id)?;
            expect(&format!("local `{}`", local.name), &local.ty, value)
        };
        let ids = match pattern {
            HirPattern::Local(id) => return bind_one(*id, value),
            HirPattern::Tuple(ids) => ids,
        };
        if let HirType::Tuple(members) = value
            && ids.len() == members.len()
        {
            let mut pairs = ids.iter().zip(members);
            pairs.try_for_each(|(id, member)| bind_one(*id, member))
        } else {
            Err(format!(
                "the pattern is a tuple of {}, not `{value}`",
                ids.len()
            ))
        }
    }

    pub(super) fn condition(&self, condition: &HirExpr) -> Result<(), String> {
        match condition.ty.as_scalar() {
            Some(ScalarType::Bool) => Ok(()),
            _ => Err(format!("a condition is a `bool`, not `{}`", condition.ty)),
        }
    }
}

fn compound_assign(op: BinaryOp, place: &HirExpr, value: &HirExpr) -> Result<(), String> {
    let name = format!("`{op}=`");
    if !op.is_arithmetic() {
        return Err(format!("there is no {name}"));
    }
    // A scalar is written where it is, not through a reference that is the place.
    let element = match place.ty.as_tensor() {
        Some(tensor) => tensor.scalar(),
        None => scalar(&place.ty),
    };
    if !element.is_some_and(ScalarType::is_number) {
        return Err(format!("{name} does not apply to `{}`", place.ty));
    }
    if value.ty.element() != element {
        return Err(format!("{name} on `{}` takes no `{}`", place.ty, value.ty));
    }
    match (place.ty.as_tensor(), value.ty.as_tensor()) {
        (_, None) => Ok(()),
        (Some(to), Some(from))
            if shape::broadcast(&to.axes, &from.axes)
                .is_some_and(|axes| to.with_axes(axes).same_shape_and_element(to)) =>
        {
            Ok(())
        }
        _ => Err(format!(
            "`{}` does not broadcast to `{}`",
            value.ty, place.ty
        )),
    }
}
