//! A body: `val` bindings closed by one return or a tail expression, over tensor operations
//! (backend specification, §Tensor Arithmetic).

mod statements;
mod traversals;

use std::collections::HashMap;
use std::rc::Rc;

use ast_types::{BinaryOp, UnaryOp};
use melior::ir::Value;
use mlir_pipeline::span_location;
use neuro_hir::{
    Fill, HirExpr, HirExprKind, HirFunction, HirType, LocalId, SliceAxis, TensorOp, TensorType,
};
use shared_types::{Literal, ScalarClass, ScalarType, Span};

use crate::at::{At, Built};
use crate::check::Checks;
use crate::element::Arithmetic;
use crate::elementwise::{self, Operand};
use crate::function::Manner;
use crate::function_value::FunctionValue;
use crate::movement::SourceIndex;
use crate::scalar_function::{ScalarFunction, ScalarFunctions};
use crate::sort::{Order, SortForm};
use crate::traversal::Traversal;
use crate::unlowered::Unlowered;
use crate::{contraction, einsum, fill, math, movement, reduction, sort};

/// What an expression became.
#[derive(Clone)]
pub(crate) enum Lowered<'c, 'b> {
    /// An operand of an element-wise operation: a tensor, or a scalar read at every point.
    Operand(Operand<'c, 'b>),
    Tuple(Vec<Lowered<'c, 'b>>),
    Function(FunctionValue<'c, 'b>),
}

/// The state of one body while it is built.
pub(crate) struct Body<'c, 'b, 'p> {
    entry: At<'c, 'b>,
    function: &'p HirFunction,
    /// The program's constants, by name.
    constants: &'p HashMap<&'p str, &'p HirExpr>,
    locals: HashMap<LocalId, Lowered<'c, 'b>>,
    /// The parameter that a compound assignment writes, and its buffer.
    target: Option<(LocalId, Value<'c, 'b>)>,
    sorts: SortForm,
    functions: Option<ScalarFunctions<'p>>,
    pub checks: Checks<'c, 'b>,
    /// Those that call back, in program order.
    pub traversals: Vec<Traversal>,
    /// The functions that it may call by their symbols.
    pub called: Vec<Rc<ScalarFunction>>,
    /// The locals that a slice reads its source at, with the smallest extent of those axes.
    pub positions: HashMap<LocalId, u64>,
}

impl<'c: 'b, 'b, 'p> Body<'c, 'b, 'p> {
    pub(crate) fn new(
        entry: At<'c, 'b>,
        function: &'p HirFunction,
        constants: &'p HashMap<&'p str, &'p HirExpr>,
        manner: Manner<'p>,
    ) -> Self {
        Body {
            entry,
            function,
            constants,
            locals: HashMap::new(),
            target: None,
            sorts: manner.sorts,
            functions: manner.functions,
            checks: Checks::new(entry, manner.tier),
            traversals: Vec::new(),
            called: Vec::new(),
            positions: HashMap::new(),
        }
    }

    pub(crate) fn bind(&mut self, local: LocalId, value: Lowered<'c, 'b>) {
        self.locals.insert(local, value);
    }

    pub(crate) fn bind_target(&mut self, local: LocalId, buffer: Value<'c, 'b>) {
        self.target = Some((local, buffer));
    }

    /// Where the operations of an expression go.
    fn at(&self, span: Span) -> At<'c, 'b> {
        At {
            location: span_location(self.entry.context, span),
            ..self.entry
        }
    }

    fn expression(&mut self, expr: &HirExpr) -> Built<Lowered<'c, 'b>> {
        let refuse = |what: &str| Unlowered::refused(what, expr.span);
        match &expr.kind {
            HirExprKind::Literal(literal) => self.literal(literal, expr),
            HirExprKind::Local(local) => match self.locals.get(local) {
                Some(value) => Ok(value.clone()),
                None => refuse("a value of this type"),
            },
            HirExprKind::Constant(name) => match self.constants.get(name.as_str()) {
                Some(value) => self.expression(value),
                None => refuse("an unknown constant"),
            },
            HirExprKind::Unary { op, operand } => self.unary(*op, operand, expr),
            HirExprKind::Binary { op, left, right } => self.binary(*op, left, right, expr),
            HirExprKind::Math { function, operand } => {
                let (result, computed) = float_result(expr)?;
                let operand = self.operand(operand)?;
                let at = self.at(expr.span);
                let value = elementwise::float_function(
                    at,
                    &mut self.checks,
                    &[operand],
                    result,
                    expr.span,
                    |at, elements| math::element(at, *function, elements[0], computed),
                )?;
                Ok(tensor(value, result))
            }
            HirExprKind::Pow { base, exponent } => {
                let (result, _) = float_result(expr)?;
                let operands = [self.operand(base)?, self.operand(exponent)?];
                let at = self.at(expr.span);
                let value = elementwise::float_function(
                    at,
                    &mut self.checks,
                    &operands,
                    result,
                    expr.span,
                    |at, elements| math::power(at, elements[0], elements[1]),
                )?;
                Ok(tensor(value, result))
            }
            HirExprKind::Borrow { operand, .. } => self.expression(operand),
            HirExprKind::Block(block) => self.block(block),
            HirExprKind::Tuple(members) => {
                let members = members.iter().map(|member| self.expression(member));
                Ok(Lowered::Tuple(members.collect::<Built<_>>()?))
            }
            HirExprKind::TupleMember { operand, index } => match self.expression(operand)? {
                Lowered::Tuple(members) if *index < members.len() => Ok(members[*index].clone()),
                Lowered::Tuple(_) | Lowered::Operand(_) | Lowered::Function(_) => {
                    refuse("the value has no such member")
                }
            },
            HirExprKind::Tensor(op) => self.tensor_op(op, expr),
            HirExprKind::Function(_) | HirExprKind::Closure(_) => self.scalar_function(expr),
            HirExprKind::Cast(_) => refuse("a cast"),
            HirExprKind::Call { .. } => refuse("a call"),
            HirExprKind::If { .. } => refuse("an `if`"),
            HirExprKind::Struct(_) | HirExprKind::Field { .. } => refuse("a struct"),
            HirExprKind::Print(_) => refuse("a `print`"),
            HirExprKind::GridIndex { .. } => refuse("a thread's position"),
            HirExprKind::CheckedPosition { .. } => refuse("a checked position"),
        }
    }

    fn tensor_op(&mut self, op: &TensorOp, expr: &HirExpr) -> Built<Lowered<'c, 'b>> {
        let span = expr.span;
        let at = self.at(span);
        let refuse = |what: &str| Unlowered::refused(what, span);
        match op {
            TensorOp::Fill(kind) => {
                let result = result_tensor(expr)?;
                let Some(scalar) = result.scalar() else {
                    return refuse("this element type");
                };
                let value = match kind {
                    Fill::Zeros => fill::filled(at, result, |at| fill::number(at, scalar, 0), span),
                    Fill::Ones => fill::filled(at, result, |at| fill::number(at, scalar, 1), span),
                    Fill::Identity => fill::identity(at, result, scalar, span),
                }?;
                Ok(tensor(value, result))
            }
            TensorOp::Scalar(operand) => {
                let result = result_tensor(expr)?;
                let Operand::Scalar(scalar, _) = self.operand(operand)? else {
                    return refuse("a tensor of a tensor");
                };
                Ok(tensor(
                    fill::filled(at, result, |_| Ok(scalar), span)?,
                    result,
                ))
            }
            TensorOp::Clone(operand) => self.expression(operand),
            TensorOp::Reduce { op, operand, axis } => {
                let result = result_tensor(expr)?;
                let (value, ty) = self.tensor_operand(operand)?;
                let checks = &mut self.checks;
                let operand = (value, &ty);
                let value = reduction::reduce(at, checks, *op, *axis, operand, result, span)?;
                Ok(tensor(value, result))
            }
            TensorOp::Slice {
                tensor: source,
                axes,
            } => {
                let result = result_tensor(expr)?;
                let (source, ty) = self.tensor_operand(source)?;
                let axes = self.source_indices(&ty, axes, result, span)?;
                Ok(tensor(
                    movement::slice(at, source, &axes, result, span)?,
                    result,
                ))
            }
            TensorOp::Permute { operand, axes } => {
                let result = result_tensor(expr)?;
                let (value, ty) = self.tensor_operand(operand)?;
                let value = movement::permute(at, (value, &ty), axes, result, span)?;
                Ok(tensor(value, result))
            }
            TensorOp::Reshape(operand) => {
                let result = result_tensor(expr)?;
                let (value, ty) = self.tensor_operand(operand)?;
                let value = movement::reshape(at, (value, &ty), result, span)?;
                Ok(tensor(value, result))
            }
            TensorOp::Einsum(op) => {
                let result = result_tensor(expr)?;
                let operands = op
                    .operands
                    .iter()
                    .map(|operand| self.tensor_operand(operand));
                let operands = operands.collect::<Built<Vec<_>>>()?;
                let value = einsum::einsum(at, &mut self.checks, op, &operands, result, span)?;
                Ok(tensor(value, result))
            }
            TensorOp::Literal(_) => refuse("a tensor literal inside a body"),
            // A tensor of rank 0 does for its one element.
            TensorOp::Element { tensor, indices } if indices.is_empty() => {
                let (value, ty) = self.tensor_operand(tensor)?;
                match ty.rank() {
                    0 => Ok(Lowered::Operand(Operand::Tensor(value, ty))),
                    _ => refuse("an element read inside a body"),
                }
            }
            TensorOp::Element { .. } => refuse("an element read inside a body"),
            TensorOp::Sort {
                operand,
                axis,
                descending,
            } => {
                let (value, ty) = self.tensor_operand(operand)?;
                let order = order(&ty, *axis, *descending, span);
                let result = result_tensor(expr)?;
                if !ty.same_shape_and_element(result) {
                    return Unlowered::refused("a sort to another type", span);
                }
                Ok(tensor(sort::sort(at, value, order, self.sorts)?, result))
            }
            TensorOp::ArgSort {
                operand,
                axis,
                descending,
            } => {
                let (value, ty) = self.tensor_operand(operand)?;
                let order = order(&ty, *axis, *descending, span);
                let value = sort::positions(at, value, order, self.sorts)?;
                Ok(tensor(value, &sort::positions_type(&ty)))
            }
            TensorOp::TopK { operand, axis, k } => {
                let (value, ty) = self.tensor_operand(operand)?;
                let order = order(&ty, *axis, true, span);
                let [top, at] = sort::top(at, value, order, *k, self.sorts)?;
                Ok(Lowered::Tuple(vec![
                    tensor(top.0, &top.1),
                    tensor(at.0, &at.1),
                ]))
            }
            TensorOp::Map { operand, function } => self.map(&[operand], function, expr),
            TensorOp::Zip {
                left,
                right,
                function,
            } => self.map(&[left, right], function, expr),
            TensorOp::Fold {
                operand,
                initial,
                function,
            } => self.fold(operand, initial, function, expr),
            TensorOp::ToDevice { .. } => refuse("`.to` inside a body"),
        }
    }

    /// Where a slice reads its source, held to the source's and the result's extents.
    fn source_indices(
        &mut self,
        source: &TensorType,
        axes: &[SliceAxis],
        result: &TensorType,
        span: Span,
    ) -> Built<Vec<SourceIndex<'c, 'b>>> {
        let mut indices = Vec::new();
        let mut extents = Vec::new();
        let shape = source
            .static_extents()
            .filter(|shape| shape.len() == axes.len());
        let misfit = || Unlowered::refused("a slice that its source does not hold", span);
        let Some(shape) = shape else {
            return misfit();
        };
        for (axis, from) in axes.iter().zip(shape) {
            match axis {
                SliceAxis::Position(position) => {
                    if let HirExprKind::Local(local) = position.kind {
                        let below = self.positions.entry(local).or_insert(from);
                        *below = from.min(*below);
                    }
                    let within = match &position.kind {
                        HirExprKind::Literal(Literal::Integer(n)) => (0..from.into()).contains(n),
                        _ => true,
                    };
                    match self.operand(position)? {
                        Operand::Scalar(value, scalar) if scalar.is_integer() && within => {
                            indices.push(SourceIndex::Position(value, scalar));
                        }
                        Operand::Scalar(..) | Operand::Tensor(..) => return misfit(),
                    }
                }
                SliceAxis::Range {
                    start,
                    extent,
                    reversed,
                } => {
                    let end = start.checked_add(*extent).filter(|&end| end <= from);
                    let Some(end) = end else {
                        return misfit();
                    };
                    extents.push(*extent);
                    indices.push(SourceIndex::Range {
                        start: if *reversed {
                            end.saturating_sub(1)
                        } else {
                            *start
                        },
                        reversed: *reversed,
                    });
                }
            }
        }
        match result.static_extents() {
            Some(shape) if shape == extents && result.scalar() == source.scalar() => Ok(indices),
            _ => misfit(),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &HirExpr, expr: &HirExpr) -> Built<Lowered<'c, 'b>> {
        let result = result_tensor(expr)?;
        let has_sign = |scalar: &ScalarType| scalar.is_signed() || scalar.is_float();
        let scalar = result.scalar().filter(has_sign);
        let Some(scalar) = scalar.filter(|_| op == UnaryOp::Neg) else {
            let reason = format!("`{op}` of elements without it");
            return Unlowered::refused(reason, expr.span);
        };
        let operand = self.operand(operand)?;
        let at = self.at(expr.span);
        let checks = &mut self.checks;
        let value = if scalar.is_float() {
            elementwise::float_function(
                at,
                checks,
                &[operand],
                result,
                expr.span,
                |at, elements| {
                    let ty = melior::ir::ValueLike::r#type(&elements[0]);
                    at.emit("arith.negf", elements, ty)
                },
            )?
        } else {
            let zero = Operand::Scalar(fill::number(at, scalar, 0)?, scalar);
            let subtraction = Arithmetic {
                op: BinaryOp::Sub,
                scalar,
                span: expr.span,
            };
            elementwise::arithmetic(at, checks, &subtraction, [zero, operand], result)?
        };
        Ok(tensor(value, result))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &HirExpr,
        right: &HirExpr,
        expr: &HirExpr,
    ) -> Built<Lowered<'c, 'b>> {
        let result = result_tensor(expr)?;
        if op == BinaryOp::MatMul {
            let (left, right) = (self.tensor_operand(left)?, self.tensor_operand(right)?);
            let at = self.at(expr.span);
            let value = contraction::product(
                at,
                &mut self.checks,
                (left.0, &left.1),
                (right.0, &right.1),
                result,
                expr.span,
            )?;
            return Ok(tensor(value, result));
        }
        let Some(scalar) = result.scalar().filter(|scalar| scalar.is_number()) else {
            return Unlowered::refused("arithmetic on elements without it", expr.span);
        };
        let operands = [self.operand(left)?, self.operand(right)?];
        let at = self.at(expr.span);
        let arithmetic = Arithmetic {
            op,
            scalar,
            span: expr.span,
        };
        let checks = &mut self.checks;
        let value = elementwise::arithmetic(at, checks, &arithmetic, operands, result)?;
        Ok(tensor(value, result))
    }

    fn literal(&mut self, literal: &Literal, expr: &HirExpr) -> Built<Lowered<'c, 'b>> {
        let at = self.at(expr.span);
        let Some(scalar) = expr.ty.as_scalar() else {
            return Unlowered::refused("a literal of this type", expr.span);
        };
        let value = match (literal, scalar.class()) {
            (Literal::Integer(value), ScalarClass::Signed | ScalarClass::Unsigned) => {
                at.integer(scalar.bytes() as u32 * 8, *value)?
            }
            (Literal::Float(value), ScalarClass::Float) => at.float(scalar, *value)?,
            (Literal::Bool(value), ScalarClass::Bool) => at.boolean(*value)?,
            _ => return Unlowered::refused("a literal of this type", expr.span),
        };
        Ok(Lowered::Operand(Operand::Scalar(value, scalar)))
    }

    fn operand(&mut self, expr: &HirExpr) -> Built<Operand<'c, 'b>> {
        match self.expression(expr)? {
            Lowered::Operand(operand) => Ok(operand),
            Lowered::Tuple(_) => Unlowered::refused("a tuple as an operand", expr.span),
            Lowered::Function(_) => Unlowered::refused("a function as an operand", expr.span),
        }
    }

    fn tensor_operand(&mut self, expr: &HirExpr) -> Built<(Value<'c, 'b>, TensorType)> {
        match self.operand(expr)? {
            Operand::Tensor(value, ty) => Ok((value, ty)),
            Operand::Scalar(..) => Unlowered::refused("a scalar in a tensor's place", expr.span),
        }
    }
}

fn tensor<'c, 'b>(value: Value<'c, 'b>, ty: &TensorType) -> Lowered<'c, 'b> {
    Lowered::Operand(Operand::Tensor(value, ty.clone()))
}

fn order(tensor: &TensorType, axis: usize, descending: bool, span: Span) -> Order<'_> {
    Order {
        tensor,
        axis,
        descending,
        span,
    }
}

/// The tensor that an expression gives. A scalar's is scalar code, which is not lowered here.
fn result_tensor(expr: &HirExpr) -> Built<&TensorType> {
    match &expr.ty {
        HirType::Tensor(tensor) => Ok(tensor),
        HirType::Void
        | HirType::Scalar(_)
        | HirType::Reference { .. }
        | HirType::Tuple(_)
        | HirType::Function(_)
        | HirType::String
        | HirType::Nominal(_) => Unlowered::refused("scalar code", expr.span),
    }
}

/// The tensor of floats that an expression gives, and the type that its elements compute in.
fn float_result(expr: &HirExpr) -> Built<(&TensorType, ScalarType)> {
    let tensor = result_tensor(expr)?;
    match tensor.scalar().filter(|scalar| scalar.is_float()) {
        Some(scalar) => Ok((tensor, crate::half::computed_in(scalar))),
        None => Unlowered::refused("the mathematics is of floats", expr.span),
    }
}
