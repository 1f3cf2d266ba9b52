use ast_types::{BinaryOp, UnaryOp};
use shared_types::{Literal, Span};

use crate::{FunctionType, HirBlock, HirType, LocalId, TensorOp};

/// An expression with its type and place.
#[derive(Clone, Debug, PartialEq)]
pub struct HirExpr {
    pub kind: HirExprKind,
    pub ty: HirType,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum HirExprKind {
    /// A scalar or a string.
    Literal(Literal),
    Local(LocalId),
    /// A constant item, by name.
    Constant(String),
    /// A free function as a value, by name.
    Function(String),
    Closure(HirClosure),
    /// On a scalar, or on each element of a tensor (`-` only).
    Unary {
        op: UnaryOp,
        operand: Box<HirExpr>,
    },
    /// On scalars; or `+ - * / %` element-wise where the type is a tensor, either operand being a
    /// tensor (owned or behind a reference) or a scalar; or `@` on two tensors.
    Binary {
        op: BinaryOp,
        left: Box<HirExpr>,
        right: Box<HirExpr>,
    },
    /// `as`: from a scalar to the scalar that is the expression's type.
    Cast(Box<HirExpr>),
    /// `.exp()` and the like, on a float or on each element of a tensor of them.
    Math {
        function: MathFunction,
        operand: Box<HirExpr>,
    },
    /// `.pow(e)` on a float or a tensor of them; the exponent is a scalar, or a tensor that
    /// broadcasts.
    Pow {
        base: Box<HirExpr>,
        exponent: Box<HirExpr>,
    },
    /// A call of a kernel launches it over the grid of its first `&mut` tensor.
    Call {
        callee: Callee,
        arguments: Vec<HirExpr>,
    },
    /// `&operand` or `&mut operand`. Where the operand is a reference already, the type says
    /// whether this is a reference to it, or a reborrow of what it refers to.
    Borrow {
        mutable: bool,
        operand: Box<HirExpr>,
    },
    Block(HirBlock),
    If {
        condition: Box<HirExpr>,
        then: HirBlock,
        otherwise: Option<HirBlock>,
    },
    Tuple(Vec<HirExpr>),
    TupleMember {
        operand: Box<HirExpr>,
        index: usize,
    },
    /// A value of the struct that is the expression's type, its fields in declared order.
    Struct(Vec<HirExpr>),
    Field {
        operand: Box<HirExpr>,
        name: String,
    },
    /// `print(a, b)`: one line, a space between values.
    Print(Vec<HirExpr>),
    /// `thread_id.x` and the like, in a kernel. Its type is `i64`.
    GridIndex {
        of: GridIndex,
        axis: usize,
    },
    /// `position` as an `i64`, or the index panic when it is not below `extent`. It stands in
    /// the arguments of an outlined slice: the body itself cannot panic.
    CheckedPosition {
        position: Box<HirExpr>,
        axis: usize,
        extent: u64,
    },
    Tensor(TensorOp),
}

/// A closure. Its parameters are locals of the enclosing function; its captures are the locals it
/// reads from outside, copied when it is made.
#[derive(Clone, Debug, PartialEq)]
pub struct HirClosure {
    pub parameters: Vec<LocalId>,
    pub captures: Vec<LocalId>,
    pub signature: FunctionType,
    pub body: HirBlock,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// A free function.
    Function(String),
    /// A method; the receiver is the first argument.
    Method { owner: String, name: String },
    /// A function value.
    Value(Box<HirExpr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GridIndex {
    /// A thread's position in the whole grid.
    Thread,
    /// A block's.
    Block,
}

/// A function of one float (numerics, §Mathematics).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MathFunction {
    Exp,
    Log,
    Sqrt,
    Sin,
    Cos,
    Tanh,
    Abs,
    Sign,
}

impl MathFunction {
    pub const ALL: [MathFunction; 8] = [
        MathFunction::Exp,
        MathFunction::Log,
        MathFunction::Sqrt,
        MathFunction::Sin,
        MathFunction::Cos,
        MathFunction::Tanh,
        MathFunction::Abs,
        MathFunction::Sign,
    ];

    /// The method's name in source.
    pub fn name(self) -> &'static str {
        match self {
            MathFunction::Exp => "exp",
            MathFunction::Log => "log",
            MathFunction::Sqrt => "sqrt",
            MathFunction::Sin => "sin",
            MathFunction::Cos => "cos",
            MathFunction::Tanh => "tanh",
            MathFunction::Abs => "abs",
            MathFunction::Sign => "sign",
        }
    }
}
