use super::tensor::{tensor, tensor_of_scalars};
use super::types::{expect, scalar};
use crate::{FunctionType, HirExpr, HirType, TensorType};

/// The function takes an element and gives a scalar.
pub(super) fn map(operand: &HirExpr, function: &HirExpr) -> Result<HirType, String> {
    let ty = tensor(operand)?;
    let result = result(function, &[&ty.element])?;
    Ok(of(result, ty))
}

/// The tensors have one shape; the function takes an element of each and gives a scalar.
pub(super) fn zip(left: &HirExpr, right: &HirExpr, function: &HirExpr) -> Result<HirType, String> {
    let (a, b) = (tensor(left)?, tensor(right)?);
    if !a.extents().eq(b.extents()) {
        return Err(format!("the shapes of `{a}` and `{b}` differ"));
    }
    let result = result(function, &[&a.element, &b.element])?;
    Ok(of(result, a))
}

/// The function takes the accumulator and an element, and gives the accumulator, a scalar.
pub(super) fn fold(
    operand: &HirExpr,
    initial: &HirExpr,
    function: &HirExpr,
) -> Result<HirType, String> {
    let (ty, _) = tensor_of_scalars(operand)?;
    let result = result(function, &[&initial.ty, &ty.element])?;
    expect("the accumulator", result, &initial.ty)?;
    let folded = ty.with_axes(Vec::new());
    Ok(of(result, &folded))
}

/// What `function` gives for arguments of these types: a scalar.
fn result<'a>(function: &'a HirExpr, arguments: &[&HirType]) -> Result<&'a HirType, String> {
    let HirType::Function(signature) = function.ty.referent() else {
        return Err(format!("`{}` is no function", function.ty));
    };
    let FunctionType { parameters, result } = &**signature;
    if parameters.len() != arguments.len() {
        let (takes, given) = (parameters.len(), arguments.len());
        return Err(format!("the function takes {takes} arguments, not {given}"));
    }
    for (parameter, argument) in parameters.iter().zip(arguments) {
        expect("the function's parameter", parameter, argument)?;
    }
    match scalar(result) {
        Some(_) => Ok(result),
        None => Err(format!("the function gives `{result}`, which is no scalar")),
    }
}

/// A tensor of the shape of `shape`.
fn of(element: &HirType, shape: &TensorType) -> HirType {
    HirType::Tensor(TensorType {
        element: Box::new(element.clone()),
        axes: shape.axes.clone(),
    })
}
