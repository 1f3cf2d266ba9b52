use std::collections::BTreeMap;

use shared_types::{Literal, ScalarType};

use super::expr::integer;
use super::types::{expect, scalar};
use super::{Scope, traversal};
use crate::{
    Axis, Einsum, Extent, Fill, HirExpr, HirExprKind, HirType, Reduction, SliceAxis, TensorOp,
    TensorType, shape,
};

impl Scope<'_> {
    /// The type that follows from a tensor operation's parts. Where they leave the shape open (a
    /// literal, a fill, a reshape) `ty`, the type that the expression states, gives it.
    pub(super) fn tensor(&self, op: &TensorOp, ty: &HirType) -> Result<HirType, String> {
        match op {
            TensorOp::Literal(elements) => literal(elements, stated(ty)?),
            TensorOp::Fill(fill) => filled(*fill, stated(ty)?),
            TensorOp::Scalar(value) => match scalar(&value.ty) {
                Some(scalar) => Ok(TensorType::new(scalar, &[]).into()),
                None => Err(format!("`{}` is no scalar", value.ty)),
            },
            TensorOp::Clone(operand) | TensorOp::ToDevice { operand, device: _ } => {
                Ok(tensor(operand)?.clone().into())
            }
            TensorOp::Element { tensor, indices } => element(tensor, indices),
            TensorOp::Slice { tensor, axes } => slice(tensor, axes),
            TensorOp::Permute { operand, axes } => permute(operand, axes),
            TensorOp::Reshape(operand) => reshape(operand, stated(ty)?),
            TensorOp::Reduce { op, operand, axis } => reduce(*op, operand, *axis),
            TensorOp::Sort { operand, axis, .. } => Ok(sorted(operand, *axis)?.clone().into()),
            TensorOp::ArgSort { operand, axis, .. } => positions(sorted(operand, *axis)?, *axis),
            TensorOp::TopK { operand, axis, k } => top_k(operand, *axis, *k),
            TensorOp::Einsum(einsum) => contraction(einsum),
            TensorOp::Map { operand, function } => traversal::map(operand, function),
            TensorOp::Zip {
                left,
                right,
                function,
            } => traversal::zip(left, right, function),
            TensorOp::Fold {
                operand,
                initial,
                function,
            } => traversal::fold(operand, initial, function),
        }
    }
}

/// The tensor that an operand is, owned or behind references.
pub(super) fn tensor(operand: &HirExpr) -> Result<&TensorType, String> {
    let tensor = operand.ty.as_tensor();
    tensor.ok_or_else(|| format!("the operand is a tensor, not `{}`", operand.ty))
}

/// The tensor of scalars that an operand is.
pub(super) fn tensor_of_scalars(operand: &HirExpr) -> Result<(&TensorType, ScalarType), String> {
    let ty = tensor(operand)?;
    match ty.scalar() {
        Some(scalar) => Ok((ty, scalar)),
        None => Err(format!("the elements of `{ty}` are no scalars")),
    }
}

/// The tensor type that an expression states, which has a static shape.
fn stated(ty: &HirType) -> Result<&TensorType, String> {
    let HirType::Tensor(tensor) = ty else {
        return Err(format!("this is a tensor, not `{ty}`"));
    };
    match tensor.elements() {
        Some(_) => Ok(tensor),
        None => Err(format!("the extents of `{tensor}` are not known")),
    }
}

/// As many elements as the shape holds, each of the element type.
fn literal(elements: &[HirExpr], ty: &TensorType) -> Result<HirType, String> {
    if ty.elements() != Some(elements.len() as u64) {
        return Err(format!("{} elements do not make a `{ty}`", elements.len()));
    }
    for element in elements {
        expect("the element", &ty.element, &element.ty)?;
    }
    Ok(ty.clone().into())
}

/// A fill is of numbers or `bool`; an identity has rank 2.
fn filled(fill: Fill, ty: &TensorType) -> Result<HirType, String> {
    match ty.scalar() {
        Some(scalar) if scalar != ScalarType::Char => {}
        _ => return Err(format!("a fill is of numbers or `bool`, not a `{ty}`")),
    }
    match fill {
        Fill::Zeros | Fill::Ones => Ok(ty.clone().into()),
        Fill::Identity if ty.rank() == 2 => Ok(ty.clone().into()),
        Fill::Identity => Err(format!("an identity has rank 2, not that of `{ty}`")),
    }
}

/// An index an axis.
fn element(operand: &HirExpr, indices: &[HirExpr]) -> Result<HirType, String> {
    let ty = tensor(operand)?;
    entry_an_axis(ty, indices.len())?;
    for index in indices {
        integer(index)?;
    }
    Ok((*ty.element).clone())
}

/// An entry an axis, each inside the axis, whose extent is known. What a position that is not a
/// literal is, its maker has checked.
fn slice(operand: &HirExpr, entries: &[SliceAxis]) -> Result<HirType, String> {
    let ty = tensor(operand)?;
    entry_an_axis(ty, entries.len())?;
    let mut axes = Vec::new();
    for (index, (axis, entry)) in ty.axes.iter().zip(entries).enumerate() {
        let Extent::Static(whole) = axis.extent else {
            return Err(format!(
                "axis {index} of `{ty}` has no known extent to slice"
            ));
        };
        let outside = |what: &str| {
            Err(format!(
                "{what} is outside of axis {index} of extent {whole}"
            ))
        };
        match entry {
            SliceAxis::Position(position) => {
                integer(position)?;
                if let HirExprKind::Literal(Literal::Integer(at)) = &position.kind
                    && !(0..i128::from(whole)).contains(at)
                {
                    return outside(&format!("position {at}"));
                }
            }
            SliceAxis::Range {
                start,
                extent,
                reversed: _,
            } => {
                if start.checked_add(*extent).is_none_or(|end| end > whole) {
                    return outside(&format!("a range of {extent} from {start}"));
                }
                axes.push(Axis {
                    name: axis.name.clone(),
                    extent: Extent::Static(*extent),
                });
            }
        }
    }
    Ok(ty.with_axes(axes).into())
}

fn entry_an_axis(ty: &TensorType, entries: usize) -> Result<(), String> {
    if ty.rank() == entries {
        Ok(())
    } else {
        Err(format!("`{ty}` takes {} entries, not {entries}", ty.rank()))
    }
}

/// Each axis once.
fn permute(operand: &HirExpr, order: &[usize]) -> Result<HirType, String> {
    let ty = tensor(operand)?;
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..ty.rank()) {
        return Err(format!("{order:?} is no permutation of the axes of `{ty}`"));
    }
    let axes = order.iter().map(|&axis| ty.axes[axis].clone()).collect();
    Ok(ty.with_axes(axes).into())
}

/// The same element type and number of elements, both known.
fn reshape(operand: &HirExpr, to: &TensorType) -> Result<HirType, String> {
    let from = tensor(operand)?;
    if from.element.agrees(&to.element) && from.elements() == to.elements() {
        Ok(to.clone().into())
    } else {
        Err(format!("`{from}` does not reshape to `{to}`"))
    }
}

/// Numbers, and for a mean floats. The runs of a `max` and a `min` are known not to be empty.
fn reduce(op: Reduction, operand: &HirExpr, axis: Option<usize>) -> Result<HirType, String> {
    let (ty, scalar) = tensor_of_scalars(operand)?;
    let name = op.name();
    let axes = shape::reduce(ty, axis).ok_or_else(|| no_axis(ty, axis.unwrap_or(0)))?;
    let applies = match op {
        Reduction::Mean => scalar.is_float(),
        Reduction::Sum | Reduction::Max | Reduction::Min => scalar.is_number(),
    };
    if !applies {
        return Err(format!("`{name}` does not apply to `{ty}`"));
    }
    let filled = |extent| !matches!(extent, Extent::Static(0) | Extent::Dynamic);
    let never_empty = match axis {
        Some(axis) => filled(ty.axes[axis].extent),
        None => ty.extents().all(filled),
    };
    match op {
        Reduction::Max | Reduction::Min if !never_empty => {
            Err(format!("`{name}` may fold an empty run of `{ty}`"))
        }
        Reduction::Sum | Reduction::Mean | Reduction::Max | Reduction::Min => {
            Ok(ty.with_axes(axes).into())
        }
    }
}

/// Numbers, along one of their axes.
fn sorted(operand: &HirExpr, axis: usize) -> Result<&TensorType, String> {
    let (ty, scalar) = tensor_of_scalars(operand)?;
    if axis >= ty.rank() {
        return Err(no_axis(ty, axis));
    }
    if !scalar.is_number() {
        return Err(format!("`{ty}` has no order"));
    }
    Ok(ty)
}

/// The positions along an axis, each of which an `i32` holds.
fn positions(ty: &TensorType, axis: usize) -> Result<HirType, String> {
    match ty.axes[axis].extent {
        Extent::Static(extent) if extent > 1 << 31 => Err(format!(
            "an `i32` does not hold the positions of axis {axis} of `{ty}`"
        )),
        Extent::Static(_) | Extent::Dynamic => Ok(TensorType {
            element: Box::new(ScalarType::I32.into()),
            axes: ty.axes.clone(),
        }
        .into()),
    }
}

/// No more than the axis is known to have.
fn top_k(operand: &HirExpr, axis: usize, k: u64) -> Result<HirType, String> {
    let ty = sorted(operand, axis)?;
    if ty.axes[axis].extent.known().is_none_or(|extent| k > extent) {
        return Err(format!(
            "axis {axis} of `{ty}` is not known to have {k} positions"
        ));
    }
    let mut top = ty.clone();
    top.axes[axis].extent = Extent::Static(k);
    let positions = positions(&top, axis)?;
    Ok(HirType::Tuple(vec![top.into(), positions]))
}

/// - An operand has a letter an axis; all operands have one element type, a number's.
/// - A letter has one extent wherever it stands; `?` equals `?`.
/// - The output's letters stand in the inputs, and each one once in the output.
fn contraction(einsum: &Einsum) -> Result<HirType, String> {
    let Einsum {
        inputs,
        output,
        operands,
    } = einsum;
    if inputs.len() != operands.len() {
        let (inputs, operands) = (inputs.len(), operands.len());
        return Err(format!(
            "there are letters for {inputs} operands, not {operands}"
        ));
    }
    let Some(first) = operands.first() else {
        return Err("`einsum` takes an operand".into());
    };
    let (ty, scalar) = tensor_of_scalars(first)?;
    if !scalar.is_number() {
        return Err(format!("`einsum` does not apply to `{ty}`"));
    }
    let mut letters: BTreeMap<char, &Axis> = BTreeMap::new();
    for (input, operand) in inputs.iter().zip(operands) {
        let (other, element) = tensor_of_scalars(operand)?;
        if element != scalar {
            return Err(format!("the elements of `{ty}` and `{other}` differ"));
        }
        entry_an_axis(other, input.len())?;
        for (&letter, axis) in input.iter().zip(&other.axes) {
            let first = letters.entry(letter).or_insert(axis);
            if first.extent != axis.extent {
                return Err(format!("`{letter}` has two extents, {first} and {axis}"));
            }
        }
    }
    let mut axes = Vec::new();
    for (index, letter) in output.iter().enumerate() {
        if output[..index].contains(letter) {
            return Err(format!("`{letter}` stands twice in the output"));
        }
        match letters.get(letter) {
            Some(&axis) => axes.push(axis.clone()),
            None => return Err(format!("`{letter}` stands in no input")),
        }
    }
    Ok(ty.with_axes(axes).into())
}

fn no_axis(ty: &TensorType, axis: usize) -> String {
    format!("`{ty}` has no axis {axis}")
}
