use crate::HirExpr;

/// What only a tensor has. An operand is a tensor, owned or behind a reference; the result is
/// fresh. The shape of the result is the expression's type.
#[derive(Clone, Debug, PartialEq)]
pub enum TensorOp {
    /// The elements, row-major.
    Literal(Vec<HirExpr>),
    Fill(Fill),
    /// `Tensor::scalar(x)`: rank 0.
    Scalar(Box<HirExpr>),
    Clone(Box<HirExpr>),
    /// `t[i, j]`, an index an axis, each of any integer type: a scalar, and a place. An index
    /// out of range is a panic.
    Element {
        tensor: Box<HirExpr>,
        indices: Vec<HirExpr>,
    },
    /// `t[0, 1..3]`, an entry an axis.
    Slice {
        tensor: Box<HirExpr>,
        axes: Vec<SliceAxis>,
    },
    /// Axis `k` of the result is axis `axes[k]` of the operand; `.t()` swaps the last two.
    Permute {
        operand: Box<HirExpr>,
        axes: Vec<usize>,
    },
    /// `.reshape` and `.flatten`: the same elements, row-major.
    Reshape(Box<HirExpr>),
    /// Folds runs along `axis`, or the whole tensor into rank 0 (numerics, §Reductions).
    Reduce {
        op: Reduction,
        operand: Box<HirExpr>,
        axis: Option<usize>,
    },
    /// A stable sort along an axis (numerics, §Sorts).
    Sort {
        operand: Box<HirExpr>,
        axis: usize,
        descending: bool,
    },
    /// The `i32` positions that sort an axis.
    ArgSort {
        operand: Box<HirExpr>,
        axis: usize,
        descending: bool,
    },
    /// The first `k` of the stable descending order: a tuple of the values and their positions.
    TopK {
        operand: Box<HirExpr>,
        axis: usize,
        k: u64,
    },
    Einsum(Einsum),
    /// `.map(f)`: `f(x)` of each element in row-major order.
    Map {
        operand: Box<HirExpr>,
        function: Box<HirExpr>,
    },
    /// `.zip(&b, f)`: `f(x, y)` of the elements of two tensors of one shape, in row-major order.
    Zip {
        left: Box<HirExpr>,
        right: Box<HirExpr>,
        function: Box<HirExpr>,
    },
    /// `.reduce(init, f)`: `acc = f(acc, x)` in row-major order, rank 0.
    Fold {
        operand: Box<HirExpr>,
        initial: Box<HirExpr>,
        function: Box<HirExpr>,
    },
    /// `.to(device)`: the tensor, moved there.
    ToDevice {
        operand: Box<HirExpr>,
        device: Device,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fill {
    Zeros,
    Ones,
    /// Ones where the row equals the column; rank 2.
    Identity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    Sum,
    Mean,
    Max,
    Min,
}

impl Reduction {
    pub const ALL: [Reduction; 4] = [
        Reduction::Sum,
        Reduction::Mean,
        Reduction::Max,
        Reduction::Min,
    ];

    /// The method's name in source.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Mean => "mean",
            Reduction::Max => "max",
            Reduction::Min => "min",
        }
    }
}

/// What a slice takes of one axis.
#[derive(Clone, Debug, PartialEq)]
pub enum SliceAxis {
    /// One position, of any integer type; the axis is dropped.
    Position(HirExpr),
    /// `extent` positions from `start` up; where `reversed`, the same ones from the last down.
    Range {
        start: u64,
        extent: u64,
        reversed: bool,
    },
}

/// A contraction by letters (numerics, §Matrix product `@` and `einsum`).
#[derive(Clone, Debug, PartialEq)]
pub struct Einsum {
    /// An operand's letters, a letter an axis; a letter may repeat.
    pub inputs: Vec<Vec<char>>,
    /// The result's letters, each one once and present in the inputs.
    pub output: Vec<char>,
    pub operands: Vec<HirExpr>,
}

impl Einsum {
    /// The letters that are summed over, in the order in which they first appear.
    pub fn contracted(&self) -> Vec<char> {
        let mut letters = Vec::new();
        for &letter in self.inputs.iter().flatten() {
            if !self.output.contains(&letter) && !letters.contains(&letter) {
                letters.push(letter);
            }
        }
        letters
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    Cpu,
    Gpu(u32),
}
