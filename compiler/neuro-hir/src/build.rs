//! For tools and tests that make HIR without a front end.
//!
//! The types of the nodes are computed, and every span is the default one. Operands that do not
//! agree are not refused here: the node takes the left one's type, and
//! [`crate::HirProgram::verify`] says what is wrong.

use ast_types::{BinaryOp, UnaryOp};
use shared_types::{Literal, ScalarType, Span};

use crate::{
    Axis, Callee, FunctionTarget, HirBlock, HirExpr, HirExprKind, HirFunction, HirItem, HirLocal,
    HirPattern, HirProgram, HirStatement, HirStatementKind, HirType, LocalId, MathFunction,
    Reduction, TensorOp, TensorType, Tier, shape,
};

/// Free functions as a program.
pub fn program(tier: Tier, functions: impl IntoIterator<Item = HirFunction>) -> HirProgram {
    HirProgram {
        tier,
        items: functions.into_iter().map(HirItem::Function).collect(),
    }
}

/// An outlined operation: `body` gets the parameters, which are named `arg0`, `arg1` and so on.
pub fn operation<const N: usize>(
    name: &str,
    parameters: [HirType; N],
    body: impl FnOnce([HirExpr; N]) -> HirExpr,
) -> HirFunction {
    let mut function = FunctionBuilder::new(name, FunctionTarget::HostOperation);
    let mut count = 0..;
    let parameters = parameters.map(|ty| {
        let index = count.next().unwrap_or(0);
        function.parameter(format!("arg{index}"), ty)
    });
    function.finish(Some(body(parameters)))
}

/// Makes a function, numbering its locals.
pub struct FunctionBuilder {
    function: HirFunction,
}

impl FunctionBuilder {
    pub fn new(name: impl Into<String>, target: FunctionTarget) -> Self {
        FunctionBuilder {
            function: HirFunction {
                name: name.into(),
                target,
                locals: Vec::new(),
                parameter_count: 0,
                result: HirType::Void,
                body: block([], None),
                span: Span::default(),
            },
        }
    }

    /// The next parameter, as an expression. Parameters come before every other local.
    pub fn parameter(&mut self, name: impl Into<String>, ty: impl Into<HirType>) -> HirExpr {
        self.function.parameter_count += 1;
        let ty = ty.into();
        local(self.declare(name, ty.clone(), false), ty)
    }

    /// A local that the caller binds: a loop's, a closure's parameter or a tuple pattern's.
    pub fn declare(
        &mut self,
        name: impl Into<String>,
        ty: impl Into<HirType>,
        mutable: bool,
    ) -> LocalId {
        self.function.locals.push(HirLocal {
            name: name.into(),
            ty: ty.into(),
            mutable,
            span: Span::default(),
        });
        LocalId(self.function.locals.len() as u32 - 1)
    }

    /// `val name = value`; the local, as an expression.
    pub fn bind(&mut self, name: impl Into<String>, value: HirExpr) -> HirExpr {
        self.bind_as(name, value, false)
    }

    /// `mut name = value`; the local, as an expression.
    pub fn bind_mutable(&mut self, name: impl Into<String>, value: HirExpr) -> HirExpr {
        self.bind_as(name, value, true)
    }

    fn bind_as(&mut self, name: impl Into<String>, value: HirExpr, mutable: bool) -> HirExpr {
        let ty = value.ty.clone();
        let id = self.declare(name, ty.clone(), mutable);
        let pattern = HirPattern::Local(id);
        self.push(HirStatementKind::Bind { pattern, value });
        local(id, ty)
    }

    pub fn push(&mut self, kind: HirStatementKind) {
        self.function.body.statements.push(statement(kind));
    }

    /// The function, whose result has the type of `value`.
    pub fn finish(mut self, value: Option<HirExpr>) -> HirFunction {
        self.function.body.value = value.map(Box::new);
        self.function.result = self.function.body.ty().clone();
        self.function
    }
}

pub fn block(
    statements: impl IntoIterator<Item = HirStatementKind>,
    value: Option<HirExpr>,
) -> HirBlock {
    HirBlock {
        statements: statements.into_iter().map(statement).collect(),
        value: value.map(Box::new),
        span: Span::default(),
    }
}

fn statement(kind: HirStatementKind) -> HirStatement {
    HirStatement {
        kind,
        span: Span::default(),
    }
}

/// An expression of any kind.
pub fn expr(kind: HirExprKind, ty: impl Into<HirType>) -> HirExpr {
    HirExpr {
        kind,
        ty: ty.into(),
        span: Span::default(),
    }
}

/// A tensor operation of any kind.
pub fn tensor(op: TensorOp, ty: impl Into<HirType>) -> HirExpr {
    expr(HirExprKind::Tensor(op), ty)
}

pub fn local(id: LocalId, ty: impl Into<HirType>) -> HirExpr {
    expr(HirExprKind::Local(id), ty)
}

/// A literal, of a type that holds the value.
pub fn integer(value: i128, ty: ScalarType) -> HirExpr {
    expr(HirExprKind::Literal(Literal::Integer(value)), ty)
}

/// A literal, of a type that holds the value exactly.
pub fn float(value: f64, ty: ScalarType) -> HirExpr {
    expr(HirExprKind::Literal(Literal::Float(value)), ty)
}

pub fn unary(op: UnaryOp, operand: HirExpr) -> HirExpr {
    let ty = operand.ty.referent().clone();
    let operand = Box::new(operand);
    expr(HirExprKind::Unary { op, operand }, ty)
}

pub fn binary(op: BinaryOp, left: HirExpr, right: HirExpr) -> HirExpr {
    let ty = if op.is_comparison() || op.is_logical() {
        ScalarType::Bool.into()
    } else if op == BinaryOp::MatMul {
        combined(&left, &right, shape::matmul)
    } else {
        combined(&left, &right, |a, b| shape::broadcast(&a.axes, &b.axes))
    };
    let (left, right) = (Box::new(left), Box::new(right));
    expr(HirExprKind::Binary { op, left, right }, ty)
}

/// The type of an operation on two operands whose shapes `rule` combines where both are tensors.
fn combined(
    left: &HirExpr,
    right: &HirExpr,
    rule: impl FnOnce(&TensorType, &TensorType) -> Option<Vec<Axis>>,
) -> HirType {
    match (left.ty.as_tensor(), right.ty.as_tensor()) {
        (Some(a), Some(b)) => match rule(a, b) {
            Some(axes) => a.with_axes(axes).into(),
            None => a.clone().into(),
        },
        (None, Some(b)) => b.clone().into(),
        (_, None) => left.ty.referent().clone(),
    }
}

pub fn math(function: MathFunction, operand: HirExpr) -> HirExpr {
    let ty = operand.ty.referent().clone();
    let operand = Box::new(operand);
    expr(HirExprKind::Math { function, operand }, ty)
}

pub fn pow(base: HirExpr, exponent: HirExpr) -> HirExpr {
    let ty = combined(&base, &exponent, |a, b| shape::broadcast(&a.axes, &b.axes));
    let (base, exponent) = (Box::new(base), Box::new(exponent));
    expr(HirExprKind::Pow { base, exponent }, ty)
}

/// `&operand`, or `&mut operand`.
pub fn borrow(mutable: bool, operand: HirExpr) -> HirExpr {
    let ty = HirType::reference(mutable, operand.ty.clone());
    let operand = Box::new(operand);
    expr(HirExprKind::Borrow { mutable, operand }, ty)
}

pub fn call(callee: &HirFunction, arguments: impl IntoIterator<Item = HirExpr>) -> HirExpr {
    let kind = HirExprKind::Call {
        callee: Callee::Function(callee.name.clone()),
        arguments: arguments.into_iter().collect(),
    };
    expr(kind, callee.result.clone())
}

/// `t[i, j]`.
pub fn element(tensor: HirExpr, indices: impl IntoIterator<Item = HirExpr>) -> HirExpr {
    let ty = match tensor.ty.as_tensor() {
        Some(ty) => (*ty.element).clone(),
        None => tensor.ty.clone(),
    };
    let op = TensorOp::Element {
        tensor: Box::new(tensor),
        indices: indices.into_iter().collect(),
    };
    self::tensor(op, ty)
}

pub fn reduce(op: Reduction, operand: HirExpr, axis: Option<usize>) -> HirExpr {
    let ty = match operand.ty.as_tensor() {
        Some(ty) => match shape::reduce(ty, axis) {
            Some(axes) => ty.with_axes(axes).into(),
            None => ty.clone().into(),
        },
        None => operand.ty.clone(),
    };
    let operand = Box::new(operand);
    tensor(TensorOp::Reduce { op, operand, axis }, ty)
}
