use shared_types::ScalarType;

use super::typed_literal;

/// The type of a value; no shape is a scalar.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    pub scalar: ScalarType,
    pub shape: Option<Vec<u64>>,
}

impl Type {
    pub fn scalar(scalar: ScalarType) -> Self {
        let shape = None;
        Type { scalar, shape }
    }

    pub fn tensor(scalar: ScalarType, shape: &[u64]) -> Self {
        let shape = Some(shape.to_vec());
        Type { scalar, shape }
    }

    pub fn is_tensor(&self) -> bool {
        self.shape.is_some()
    }

    /// Outermost first; none of a scalar and of rank 0.
    pub fn extents(&self) -> &[u64] {
        self.shape.as_deref().unwrap_or_default()
    }

    pub fn rank(&self) -> usize {
        self.extents().len()
    }

    pub fn elements(&self) -> u64 {
        self.extents().iter().product()
    }

    /// A value that nothing computes, as source: zeros.
    pub fn nothing(&self) -> String {
        match self.shape {
            None => typed_literal(self.scalar, 0),
            Some(_) => format!("{}::zeros()", self.turbofish()),
        }
    }

    /// The type before a `::`.
    pub fn turbofish(&self) -> String {
        self.text(false).replacen("Tensor", "Tensor::", 1)
    }

    /// A tensor of the same elements in another shape.
    pub fn with_shape(&self, shape: &[u64]) -> Self {
        Type::tensor(self.scalar, shape)
    }

    /// The type as source; where `named`, its axes are `a0`, `a1` and so on.
    pub fn text(&self, named: bool) -> String {
        let Some(shape) = &self.shape else {
            return self.scalar.to_string();
        };
        let axis = |(position, extent): (usize, &u64)| match named {
            true => format!("{}: {extent}", axis_name(position)),
            false => extent.to_string(),
        };
        let axes: Vec<String> = shape.iter().enumerate().map(axis).collect();
        format!("Tensor<{}, [{}]>", self.scalar, axes.join(", "))
    }
}

pub fn axis_name(position: usize) -> String {
    format!("a{position}")
}

/// The shape of an element-wise operation; `None` where the shapes do not agree.
pub fn broadcast(left: &[u64], right: &[u64]) -> Option<Vec<u64>> {
    let (long, short) = match left.len() < right.len() {
        true => (right, left),
        false => (left, right),
    };
    let lead = long.len() - short.len();
    let mut shape = long.to_vec();
    for (extent, &other) in shape[lead..].iter_mut().zip(short) {
        *extent = match (*extent, other) {
            (a, b) if a == b => a,
            (1, n) | (n, 1) => n,
            _ => return None,
        };
    }
    Some(shape)
}
