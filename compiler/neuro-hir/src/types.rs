use std::fmt;

use shared_types::ScalarType;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HirType {
    /// No value: the result of a function without one.
    Void,
    Scalar(ScalarType),
    Tensor(TensorType),
    Reference {
        mutable: bool,
        target: Box<HirType>,
    },
    Tuple(Vec<HirType>),
    /// A function and the environment it closes over.
    Function(Box<FunctionType>),
    String,
    /// A struct, by name.
    Nominal(String),
}

impl HirType {
    /// The type behind any number of references.
    pub fn referent(&self) -> &HirType {
        let mut ty = self;
        while let HirType::Reference { target, .. } = ty {
            ty = target;
        }
        ty
    }

    /// The tensor type, owned or behind references.
    pub fn as_tensor(&self) -> Option<&TensorType> {
        match self.referent() {
            HirType::Tensor(tensor) => Some(tensor),
            HirType::Void
            | HirType::Scalar(_)
            | HirType::Reference { .. }
            | HirType::Tuple(_)
            | HirType::Function(_)
            | HirType::String
            | HirType::Nominal(_) => None,
        }
    }

    /// The scalar type, owned or behind references.
    pub fn as_scalar(&self) -> Option<ScalarType> {
        match self.referent() {
            HirType::Scalar(scalar) => Some(*scalar),
            HirType::Void
            | HirType::Tensor(_)
            | HirType::Reference { .. }
            | HirType::Tuple(_)
            | HirType::Function(_)
            | HirType::String
            | HirType::Nominal(_) => None,
        }
    }

    /// A scalar's type or a tensor's element type, owned or behind references, where it is scalar.
    pub fn element(&self) -> Option<ScalarType> {
        match self.as_tensor() {
            Some(tensor) => tensor.scalar(),
            None => self.as_scalar(),
        }
    }

    pub fn reference(mutable: bool, target: HirType) -> HirType {
        HirType::Reference {
            mutable,
            target: Box::new(target),
        }
    }

    /// The same type, but for the names of axes.
    pub fn agrees(&self, other: &HirType) -> bool {
        let all_agree = |these: &[HirType], others: &[HirType]| {
            these.len() == others.len() && these.iter().zip(others).all(|(a, b)| a.agrees(b))
        };
        match (self, other) {
            (HirType::Tensor(a), HirType::Tensor(b)) => a.same_shape_and_element(b),
            (
                HirType::Reference { mutable, target },
                HirType::Reference {
                    mutable: other_mutable,
                    target: other,
                },
            ) => mutable == other_mutable && target.agrees(other),
            (HirType::Tuple(a), HirType::Tuple(b)) => all_agree(a, b),
            (HirType::Function(a), HirType::Function(b)) => {
                all_agree(&a.parameters, &b.parameters) && a.result.agrees(&b.result)
            }
            (HirType::Void | HirType::Scalar(_) | HirType::String | HirType::Nominal(_), _) => {
                self == other
            }
            (
                HirType::Tensor(_)
                | HirType::Reference { .. }
                | HirType::Tuple(_)
                | HirType::Function(_),
                _,
            ) => false,
        }
    }
}

impl From<ScalarType> for HirType {
    fn from(scalar: ScalarType) -> Self {
        HirType::Scalar(scalar)
    }
}

impl From<TensorType> for HirType {
    fn from(tensor: TensorType) -> Self {
        HirType::Tensor(tensor)
    }
}

/// The type of a function value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    pub parameters: Vec<HirType>,
    pub result: HirType,
}

impl FunctionType {
    /// The types of the parameters and the result, where all of them are numbers or bools: a
    /// function that a traversal may call.
    pub fn element_types(&self) -> Option<(Vec<ScalarType>, ScalarType)> {
        let element = |ty: &HirType| match ty {
            HirType::Scalar(scalar) => scalar.is_element().then_some(*scalar),
            HirType::Void
            | HirType::Tensor(_)
            | HirType::Reference { .. }
            | HirType::Tuple(_)
            | HirType::Function(_)
            | HirType::String
            | HirType::Nominal(_) => None,
        };
        let parameters = self.parameters.iter().map(element);
        Some((parameters.collect::<Option<_>>()?, element(&self.result)?))
    }
}

/// A tensor's element type and axes, outermost first. No axes is rank 0: one element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// A scalar, but for tensors that no backend computes with.
    pub element: Box<HirType>,
    pub axes: Vec<Axis>,
}

/// An axis of a tensor. Names serve `axis:` only: shapes agree by their extents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    pub name: Option<String>,
    pub extent: Extent,
}

/// The number of positions along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    Static(u64),
    /// `?`: not known at compile time.
    Dynamic,
}

impl TensorType {
    /// A tensor of scalars with static, unnamed axes.
    pub fn new(element: ScalarType, extents: &[u64]) -> Self {
        TensorType::with_extents(element, extents.iter().map(|&n| Extent::Static(n)))
    }

    /// A tensor of scalars with unnamed axes.
    pub fn with_extents(element: ScalarType, extents: impl IntoIterator<Item = Extent>) -> Self {
        let axis = |extent| Axis { name: None, extent };
        TensorType {
            element: Box::new(HirType::Scalar(element)),
            axes: extents.into_iter().map(axis).collect(),
        }
    }

    /// The same elements under other axes.
    pub fn with_axes(&self, axes: Vec<Axis>) -> Self {
        TensorType {
            element: self.element.clone(),
            axes,
        }
    }

    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// The element type where it is a scalar.
    pub fn scalar(&self) -> Option<ScalarType> {
        match &*self.element {
            HirType::Scalar(scalar) => Some(*scalar),
            HirType::Void
            | HirType::Tensor(_)
            | HirType::Reference { .. }
            | HirType::Tuple(_)
            | HirType::Function(_)
            | HirType::String
            | HirType::Nominal(_) => None,
        }
    }

    pub fn extents(&self) -> impl ExactSizeIterator<Item = Extent> + DoubleEndedIterator + '_ {
        self.axes.iter().map(|axis| axis.extent)
    }

    /// The extents, where all are static.
    pub fn static_extents(&self) -> Option<Vec<u64>> {
        self.extents().map(Extent::known).collect()
    }

    /// The number of elements, where all extents are static and their product is below 2^63. An
    /// extent of 0 does not excuse the others: their product must hold too.
    pub fn elements(&self) -> Option<u64> {
        let extents = self.static_extents()?;
        let mut product: i64 = 1;
        for &extent in extents.iter().filter(|&&extent| extent != 0) {
            product = product.checked_mul(i64::try_from(extent).ok()?)?;
        }
        Some(if extents.contains(&0) {
            0
        } else {
            product as u64
        })
    }

    /// Element type and extents agree; names do not count.
    pub fn same_shape_and_element(&self, other: &TensorType) -> bool {
        self.element.agrees(&other.element) && self.extents().eq(other.extents())
    }
}

impl Extent {
    pub fn known(self) -> Option<u64> {
        match self {
            Extent::Static(extent) => Some(extent),
            Extent::Dynamic => None,
        }
    }
}

impl fmt::Display for HirType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HirType::Void => f.write_str("void"),
            HirType::Scalar(scalar) => scalar.fmt(f),
            HirType::Tensor(tensor) => tensor.fmt(f),
            HirType::Reference { mutable, target } => {
                write!(f, "&{}{target}", if *mutable { "mut " } else { "" })
            }
            HirType::Tuple(members) => {
                f.write_str("(")?;
                comma_separated(f, members)?;
                f.write_str(")")
            }
            HirType::Function(function) => {
                f.write_str("func(")?;
                comma_separated(f, &function.parameters)?;
                write!(f, ") -> {}", function.result)
            }
            HirType::String => f.write_str("string"),
            HirType::Nominal(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor<{}, [", self.element)?;
        comma_separated(f, &self.axes)?;
        f.write_str("]>")
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{name}: ")?;
        }
        match self.extent {
            Extent::Static(extent) => write!(f, "{extent}"),
            Extent::Dynamic => f.write_str("?"),
        }
    }
}

fn comma_separated(f: &mut fmt::Formatter<'_>, items: &[impl fmt::Display]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_without_wrapping() {
        let count = |extents: &[u64]| TensorType::new(ScalarType::F32, extents).elements();
        assert_eq!(count(&[]), Some(1));
        assert_eq!(count(&[3, 0, 5]), Some(0));
        assert_eq!(count(&[1 << 31, 1 << 31]), Some(1 << 62));
        assert_eq!(count(&[1 << 32, 1 << 31]), None);
        assert_eq!(count(&[0, 1 << 32, 1 << 32]), None);
        let dynamic = TensorType::with_extents(ScalarType::F32, [Extent::Dynamic]);
        assert_eq!(dynamic.elements(), None);
    }

    #[test]
    fn types_print_as_in_source() {
        let mut tensor = TensorType::new(ScalarType::Bf16, &[2, 3]);
        tensor.axes[0].name = Some("rows".into());
        tensor.axes[1].extent = Extent::Dynamic;
        let ty = HirType::reference(true, tensor.into());
        assert_eq!(ty.to_string(), "&mut Tensor<bf16, [rows: 2, ?]>");
        let function = FunctionType {
            parameters: vec![ScalarType::F32.into(), HirType::String],
            result: HirType::Tuple(vec![]),
        };
        let ty = HirType::Function(Box::new(function));
        assert_eq!(ty.to_string(), "func(f32, string) -> ()");
    }
}
