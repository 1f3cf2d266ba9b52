//! Places: a local, or an element of a tensor whose indices are in range.

use ast_types::BinaryOp;
use neuro_hir::{HirExpr, HirExprKind, HirPlace};
use shared_types::{ScalarType, Span};

use crate::body::{Body, Local, Written, refused};
use crate::check::Fault;
use crate::expression::tensor_operation;
use crate::text::{Value, type_name};

/// A tensor, a row-major `memref`.
#[derive(Clone)]
pub(crate) struct Buffer {
    pub name: String,
    pub scalar: ScalarType,
    pub extents: Vec<u64>,
    pub writable: bool,
}

impl Buffer {
    /// Its type in the text.
    pub(crate) fn ty(&self) -> String {
        let extents: String = self
            .extents
            .iter()
            .map(|extent| format!("{extent}x"))
            .collect();
        format!("memref<{extents}{}>", type_name(self.scalar))
    }
}

/// Where a scalar is kept.
pub(crate) enum Place {
    Slot {
        name: String,
        scalar: ScalarType,
    },
    Element {
        buffer: Buffer,
        indices: Vec<String>,
    },
}

impl Body<'_> {
    /// What is written to; the indices are evaluated, then tested.
    pub(crate) fn place(&mut self, expr: &HirExpr) -> Written<Place> {
        let span = expr.span;
        match expr.place() {
            Some(HirPlace::Local(id)) => match self.local(id, span)?.clone() {
                Local::Slot { name, scalar } => Ok(Place::Slot { name, scalar }),
                Local::Tensor(_) => refused(span, "an assignment to a whole tensor"),
                Local::Other => refused(span, "a local without a value"),
            },
            Some(HirPlace::Element { of, indices }) => self.element(of, indices, span),
            Some(HirPlace::Field { .. }) => refused(span, "a struct"),
            Some(HirPlace::Member { .. }) => refused(span, "a tuple"),
            None => refused(span, "an assignment to a value"),
        }
    }

    pub(crate) fn element(
        &mut self,
        tensor: &HirExpr,
        indices: &[HirExpr],
        span: Span,
    ) -> Written<Place> {
        let buffer = self.buffer(tensor)?;
        if indices.len() != buffer.extents.len() {
            return refused(span, "an index that is not one an axis");
        }
        let mut values = Vec::new();
        for index in indices {
            values.push(self.value(index)?);
        }
        let mut positions = Vec::new();
        for (axis, (index, value)) in indices.iter().zip(&values).enumerate() {
            let fault = Fault::Index {
                scalar: value.scalar,
                axis,
                extent: buffer.extents[axis],
            };
            positions.push(self.position(value, buffer.extents[axis], fault, index.span)?);
        }
        Ok(Place::Element {
            buffer,
            indices: positions,
        })
    }

    /// An index as MLIR has it. A negative one is a large one.
    fn position(
        &mut self,
        value: &Value,
        extent: u64,
        fault: Fault,
        span: Span,
    ) -> Written<String> {
        if !value.scalar.is_integer() {
            return refused(span, "an index that is no integer");
        }
        let wide = self.cast(value, ScalarType::I64, span)?;
        let unsigned = |value: &Value| Value {
            scalar: ScalarType::U64,
            ..value.clone()
        };
        let limit = self.constant(span, ScalarType::U64, extent.into());
        let outside = self.compare(BinaryOp::Ge, &unsigned(&wide), &limit, span)?;
        self.check(&outside, Some(&wide), fault, span)?;
        Ok(self.index(&wide, span))
    }

    /// An integer of 64 bits as MLIR has an index.
    pub(crate) fn index(&mut self, value: &Value, span: Span) -> String {
        let cast = format!("arith.index_cast {} : i64 to index", value.name);
        self.text.emit(span, &cast)
    }

    /// The tensor parameter that an expression is.
    fn buffer(&self, expr: &HirExpr) -> Written<Buffer> {
        match &expr.kind {
            HirExprKind::Local(id) => match self.local(*id, expr.span)? {
                Local::Tensor(buffer) => Ok(buffer.clone()),
                Local::Slot { .. } | Local::Other => refused(expr.span, "an index into no tensor"),
            },
            HirExprKind::Borrow { operand, .. } => self.buffer(operand),
            HirExprKind::Tensor(op) => refused(expr.span, tensor_operation(op)),
            _ => refused(expr.span, "an element of a tensor that is no parameter"),
        }
    }

    pub(crate) fn read(&mut self, place: &Place, span: Span) -> Value {
        match place {
            Place::Slot { name, scalar } => self.load(name, *scalar, span),
            Place::Element { buffer, indices } => {
                let load = format!("memref.load {}", element_text(buffer, indices));
                self.emit(span, buffer.scalar, load)
            }
        }
    }

    pub(crate) fn write(&mut self, place: &Place, value: &Value, span: Span) -> Written<()> {
        let scalar = match place {
            Place::Slot { scalar, .. } => *scalar,
            Place::Element { buffer, .. } => buffer.scalar,
        };
        if scalar != value.scalar {
            return refused(span, "a value of another type than its place");
        }
        match place {
            Place::Slot { name, .. } => self.store(value, name, span),
            Place::Element { buffer, .. } if !buffer.writable => {
                return refused(span, "an element of a tensor that is no `&mut` parameter");
            }
            Place::Element { buffer, indices } => {
                let element = element_text(buffer, indices);
                let store = format!("memref.store {}, {element}", value.name);
                self.text.act(span, &store);
            }
        }
        Ok(())
    }
}

fn element_text(buffer: &Buffer, indices: &[String]) -> String {
    format!("{}[{}] : {}", buffer.name, indices.join(", "), buffer.ty())
}
