use ast_types::{BinaryOp, UnaryOp};
use shared_types::{ScalarClass, ScalarType};

use super::types::{expect, scalar};
use super::{Scope, items, literal};
use crate::{
    Callee, FunctionTarget, GridIndex, HirClosure, HirExpr, HirExprKind, HirFunction, HirType,
    shape,
};

impl Scope<'_> {
    /// The type of an expression may stand there, and is the one that follows from its parts.
    pub(super) fn expr(&self, expr: &HirExpr) -> Result<(), String> {
        self.items.check_type(&expr.ty, true)?;
        let ty = self.type_of(expr)?;
        if ty.agrees(&expr.ty) {
            Ok(())
        } else {
            Err(format!("this is of type `{ty}`, not `{}`", expr.ty))
        }
    }

    /// The type that follows from the parts. Blocks and branches have their own: where they do
    /// not end they may have any.
    fn type_of(&self, expr: &HirExpr) -> Result<HirType, String> {
        match &expr.kind {
            HirExprKind::Literal(value) => {
                literal::check(value, &expr.ty)?;
                Ok(expr.ty.clone())
            }
            HirExprKind::Local(id) => Ok(self.local(*id)?.ty.clone()),
            HirExprKind::Constant(name) => match self.items.constants.get(name.as_str()) {
                Some(constant) => Ok(constant.value.ty.clone()),
                None => Err(format!("there is no constant `{name}`")),
            },
            HirExprKind::Function(name) => {
                let function = self.function(name)?;
                if let FunctionTarget::Kernel { .. } = function.target {
                    return Err(format!("kernel `{name}` is launched by name only"));
                }
                Ok(HirType::Function(Box::new(items::signature(function))))
            }
            HirExprKind::Closure(closure) => self.closure(closure),
            HirExprKind::Unary { op, operand } => unary(*op, operand),
            HirExprKind::Binary { op, left, right } => binary(*op, left, right),
            HirExprKind::Cast(operand) => cast(operand, &expr.ty),
            HirExprKind::Math { function, operand } => {
                float(operand).map_err(|found| format!("`{}` {found}", function.name()))?;
                Ok(operand.ty.referent().clone())
            }
            HirExprKind::Pow { base, exponent } => pow(base, exponent),
            HirExprKind::Call { callee, arguments } => self.call(callee, arguments),
            HirExprKind::Borrow { mutable, operand } => {
                let target = expr.reborrowed().unwrap_or(&operand.ty);
                Ok(HirType::reference(*mutable, target.clone()))
            }
            HirExprKind::Block(_) => Ok(expr.ty.clone()),
            HirExprKind::If { condition, .. } => {
                self.condition(condition)?;
                Ok(expr.ty.clone())
            }
            HirExprKind::Tuple(members) => Ok(HirType::Tuple(
                members.iter().map(|member| member.ty.clone()).collect(),
            )),
            HirExprKind::TupleMember { operand, index } => tuple_member(operand, *index),
            HirExprKind::Struct(values) => self.structure(values, &expr.ty),
            HirExprKind::Field { operand, name } => self.field(operand, name),
            HirExprKind::Print(values) => {
                for value in values {
                    let printable =
                        value.ty.element().is_some() || *value.ty.referent() == HirType::String;
                    if !printable {
                        return Err(format!("`{}` cannot be printed", value.ty));
                    }
                }
                Ok(HirType::Void)
            }
            HirExprKind::GridIndex { of, axis } => self.grid_index(*of, *axis),
            HirExprKind::CheckedPosition { position, .. } => self.checked_position(position),
            HirExprKind::Tensor(op) => self.tensor(op, &expr.ty),
        }
    }

    fn function(&self, name: &str) -> Result<&HirFunction, String> {
        let function = self.items.functions.get(name);
        function
            .copied()
            .ok_or_else(|| format!("there is no function `{name}`"))
    }

    /// The parameters are locals of the types that the signature says.
    fn closure(&self, closure: &HirClosure) -> Result<HirType, String> {
        let HirClosure {
            parameters,
            captures,
            signature,
            body: _,
        } = closure;
        if parameters.len() != signature.parameters.len() {
            return Err(format!(
                "the closure has {} parameters, but its signature {}",
                parameters.len(),
                signature.parameters.len()
            ));
        }
        for (&id, ty) in parameters.iter().zip(&signature.parameters) {
            let local = self.local(id)?;
            expect(&format!("parameter `{}`", local.name), &local.ty, ty)?;
        }
        for &capture in captures {
            self.local(capture)?;
        }
        Ok(HirType::Function(Box::new(signature.clone())))
    }

    /// What is called exists, and takes these arguments.
    fn call(&self, callee: &Callee, arguments: &[HirExpr]) -> Result<HirType, String> {
        let (name, signature) = match callee {
            Callee::Function(name) => (format!("`{name}`"), items::signature(self.function(name)?)),
            Callee::Method { owner, name } => {
                let name = name.as_str();
                match self.items.methods.get(&(owner.as_str(), name)) {
                    Some(method) => (format!("`{owner}.{name}`"), items::signature(method)),
                    None => return Err(format!("`{owner}` has no method `{name}`")),
                }
            }
            Callee::Value(value) => {
                let HirType::Function(signature) = value.ty.referent() else {
                    return Err(format!("`{}` cannot be called", value.ty));
                };
                ("the function".into(), (**signature).clone())
            }
        };
        let parameters = &signature.parameters;
        if parameters.len() != arguments.len() {
            let (takes, given) = (parameters.len(), arguments.len());
            return Err(format!("{name} takes {takes} arguments, not {given}"));
        }
        for (index, (parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
            expect(
                &format!("parameter {index} of {name}"),
                parameter,
                &argument.ty,
            )?;
        }
        Ok(signature.result)
    }

    /// The values are of the fields' types, in order.
    fn structure(&self, values: &[HirExpr], ty: &HirType) -> Result<HirType, String> {
        let Some(declared) = self.items.declared(ty) else {
            return Err(format!("`{ty}` is no struct"));
        };
        if values.len() != declared.fields.len() {
            let (fields, given) = (declared.fields.len(), values.len());
            return Err(format!("`{ty}` has {fields} fields, not {given}"));
        }
        for (field, value) in declared.fields.iter().zip(values) {
            expect(&format!("field `{}`", field.name), &field.ty, &value.ty)?;
        }
        Ok(ty.clone())
    }

    fn field(&self, operand: &HirExpr, name: &str) -> Result<HirType, String> {
        let declared = self.items.declared(operand.ty.referent());
        let field = declared.and_then(|declared| declared.fields.iter().find(|f| f.name == name));
        match field {
            Some(field) => Ok(field.ty.clone()),
            None => Err(format!("`{}` has no field `{name}`", operand.ty)),
        }
    }

    /// A grid has 3 axes, and a kernel's thread is in one.
    fn grid_index(&self, of: GridIndex, axis: usize) -> Result<HirType, String> {
        let name = match of {
            GridIndex::Thread => "thread_id",
            GridIndex::Block => "block_id",
        };
        if axis >= 3 {
            return Err(format!("`{name}` has 3 axes: there is no axis {axis}"));
        }
        match self.target {
            FunctionTarget::Kernel { .. } => Ok(ScalarType::I64.into()),
            FunctionTarget::Host
            | FunctionTarget::HostOperation
            | FunctionTarget::FollowsOperands
            | FunctionTarget::Gpu { .. } => Err(format!("`{name}` stands in a kernel only")),
        }
    }

    /// Only host code can panic for an index.
    fn checked_position(&self, position: &HirExpr) -> Result<HirType, String> {
        integer(position)?;
        match self.target {
            FunctionTarget::Host => Ok(ScalarType::I64.into()),
            FunctionTarget::HostOperation
            | FunctionTarget::FollowsOperands
            | FunctionTarget::Gpu { .. }
            | FunctionTarget::Kernel { .. } => {
                Err("a position is checked in host code only".into())
            }
        }
    }
}

/// An index: any integer type.
pub(super) fn integer(expr: &HirExpr) -> Result<ScalarType, String> {
    match expr.ty.as_scalar() {
        Some(scalar) if scalar.is_integer() => Ok(scalar),
        _ => Err(format!("an index is an integer, not `{}`", expr.ty)),
    }
}

/// The float that the expression is, or that the tensor is made of.
fn float(expr: &HirExpr) -> Result<ScalarType, String> {
    match expr.ty.element() {
        Some(scalar) if scalar.is_float() => Ok(scalar),
        _ => Err(format!("takes floats, not `{}`", expr.ty)),
    }
}

/// - `-` takes a signed integer, a float or a tensor of them.
/// - `!` takes a `bool`.
fn unary(op: UnaryOp, operand: &HirExpr) -> Result<HirType, String> {
    let takes = match op {
        UnaryOp::Neg => operand
            .ty
            .element()
            .is_some_and(|s| s.is_signed() || s.is_float()),
        UnaryOp::Not => operand.ty.as_scalar() == Some(ScalarType::Bool),
    };
    if takes {
        Ok(operand.ty.referent().clone())
    } else {
        Err(format!("`{op}` does not apply to `{}`", operand.ty))
    }
}

/// Both operands have one element type.
/// - `+ - * / %` take numbers; on tensors the shapes broadcast.
/// - `@` takes two matrices of numbers.
/// - `== !=` compare scalars, `< <= > >=` numbers or characters; `&& ||` take `bool`. All give a
///   `bool`.
fn binary(op: BinaryOp, left: &HirExpr, right: &HirExpr) -> Result<HirType, String> {
    let (a, b) = (&left.ty, &right.ty);
    let Some(element) = a.element().filter(|&element| b.element() == Some(element)) else {
        return Err(format!(
            "`{op}` does not apply to `{a}` and `{b}`: their elements differ"
        ));
    };
    let scalars = a.as_scalar().is_some() && b.as_scalar().is_some();
    let applies = match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
            element.is_number()
        }
        BinaryOp::MatMul => element.is_number(),
        BinaryOp::Eq | BinaryOp::Ne => scalars,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            scalars && (element.is_number() || element == ScalarType::Char)
        }
        BinaryOp::And | BinaryOp::Or => scalars && element == ScalarType::Bool,
    };
    if !applies {
        return Err(format!("`{op}` does not apply to `{a}` and `{b}`"));
    }
    let disagree = || format!("the shapes of `{a}` and `{b}` do not agree for `{op}`");
    match (a.as_tensor(), b.as_tensor()) {
        (Some(x), Some(y)) => {
            let axes = match op {
                BinaryOp::MatMul => shape::matmul(x, y),
                _ => shape::broadcast(&x.axes, &y.axes),
            };
            Ok(x.with_axes(axes.ok_or_else(disagree)?).into())
        }
        _ if op == BinaryOp::MatMul => Err(disagree()),
        (Some(x), None) | (None, Some(x)) => Ok(x.clone().into()),
        (None, None) if op.is_arithmetic() => Ok(element.into()),
        (None, None) => Ok(ScalarType::Bool.into()),
    }
}

/// Numbers cast to numbers, `bool` and `char` to integers, `u8` to `char`, and each to itself.
fn cast(operand: &HirExpr, to: &HirType) -> Result<HirType, String> {
    let casts = |from: ScalarType, to: ScalarType| match from.class() {
        _ if from == to => true,
        ScalarClass::Signed | ScalarClass::Unsigned | ScalarClass::Float => {
            to.is_number() || (from, to) == (ScalarType::U8, ScalarType::Char)
        }
        ScalarClass::Bool | ScalarClass::Char => to.is_integer(),
    };
    match (operand.ty.as_scalar(), scalar(to)) {
        (Some(from), Some(to)) if casts(from, to) => Ok(to.into()),
        _ => Err(format!("`{}` does not cast to `{to}`", operand.ty)),
    }
}

/// A float or a tensor of them, to a power of the same element type; the power of a tensor may
/// be a tensor that broadcasts.
fn pow(base: &HirExpr, exponent: &HirExpr) -> Result<HirType, String> {
    let element = float(base).map_err(|found| format!("`pow` {found}"))?;
    if exponent.ty.element() != Some(element) {
        return Err(format!("`pow` of `{}` takes no `{}`", base.ty, exponent.ty));
    }
    match (base.ty.as_tensor(), exponent.ty.as_tensor()) {
        (None, None) => Ok(element.into()),
        (Some(base), None) => Ok(base.clone().into()),
        (Some(x), Some(y)) => match shape::broadcast(&x.axes, &y.axes) {
            Some(axes) => Ok(x.with_axes(axes).into()),
            None => Err(format!(
                "the shapes of `{x}` and `{y}` do not agree for `pow`"
            )),
        },
        (None, Some(_)) => Err("`pow` of a scalar takes a scalar".into()),
    }
}

fn tuple_member(operand: &HirExpr, index: usize) -> Result<HirType, String> {
    if let HirType::Tuple(members) = operand.ty.referent()
        && let Some(member) = members.get(index)
    {
        Ok(member.clone())
    } else {
        Err(format!("`{}` has no member {index}", operand.ty))
    }
}
