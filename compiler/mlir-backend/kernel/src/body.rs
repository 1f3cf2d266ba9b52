//! The body of a kernel while it is written: its locals, its checks and its control flow.

use std::collections::HashMap;

use mlir_pipeline::NotLowered;
use neuro_hir::{HirExpr, HirFunction, HirType, LocalId, TensorType, Tier};
use shared_types::{ScalarType, Span};

use crate::call::Calls;
use crate::check::KernelCheck;
use crate::fail::Failing;
use crate::place::Buffer;
use crate::text::{Text, Value, type_name};

/// What no kernel has, and where it stands.
pub(crate) struct Refused {
    pub span: Span,
    pub reason: String,
}

impl Refused {
    /// As the reason why a function has no body.
    pub(crate) fn of(self, function: &HirFunction) -> NotLowered {
        NotLowered {
            name: function.name.clone(),
            span: self.span,
            reason: self.reason,
        }
    }
}

pub(crate) type Written<T> = Result<T, Refused>;

pub(crate) fn refused<T>(span: Span, reason: impl Into<String>) -> Written<T> {
    let reason = reason.into();
    Err(Refused { span, reason })
}

/// What a local is in the text.
#[derive(Clone)]
pub(crate) enum Local {
    /// A slot in the thread's own memory, so that a loop hands no values on.
    Slot {
        name: String,
        scalar: ScalarType,
    },
    Tensor(Buffer),
    /// Of a type that no kernel has; it is refused where it is bound.
    Other,
}

/// Where `break` and `continue` go.
pub(crate) struct Loop {
    pub end: String,
    pub next: String,
    /// Whether a `break` ends it.
    pub breaks: bool,
}

/// What the thread of the body has of the grid: values of 64 bits.
pub(crate) struct Position {
    /// Its position along each axis of the block shape.
    pub thread: Vec<String>,
    /// That of its block.
    pub block: Vec<String>,
    /// Its row-major number in the grid.
    pub number: String,
}

pub(crate) struct Body<'p> {
    pub text: Text,
    pub function: &'p HirFunction,
    /// The program's constants, by name.
    pub constants: &'p HashMap<&'p str, &'p HirExpr>,
    pub tier: Tier,
    pub locals: Vec<Local>,
    pub position: Position,
    pub loops: Vec<Loop>,
    /// Whether control has left: what follows is never reached.
    pub left: bool,
    /// Where `return` of a function that runs in place goes with its value.
    pub result: Option<Outcome>,
    /// None where no function is called.
    pub calls: Option<Calls<'p>>,
    pub checks: Vec<KernelCheck>,
    pub failing: Failing,
    /// The block that ends the thread.
    pub end: String,
    /// Where failed checks go, where one does.
    pub failed: Option<String>,
}

/// Where the value of a function goes that runs in place.
#[derive(Clone)]
pub(crate) struct Outcome {
    pub slot: String,
    pub scalar: ScalarType,
    /// The block after the function.
    pub after: String,
}

impl<'p> Body<'p> {
    pub(crate) fn new(
        function: &'p HirFunction,
        constants: &'p HashMap<&'p str, &'p HirExpr>,
        tier: Tier,
        failing: Failing,
    ) -> Self {
        let mut text = Text::default();
        let end = text.label();
        let nowhere = Position {
            thread: Vec::new(),
            block: Vec::new(),
            number: String::new(),
        };
        Body {
            text,
            function,
            constants,
            tier,
            locals: vec![Local::Other; function.locals.len()],
            position: nowhere,
            loops: Vec::new(),
            left: false,
            result: None,
            calls: None,
            checks: Vec::new(),
            failing,
            end,
            failed: None,
        }
    }

    pub(crate) fn local(&self, id: LocalId, span: Span) -> Written<&Local> {
        match self.locals.get(id.0 as usize) {
            Some(local) => Ok(local),
            None => refused(span, "a local that is not there"),
        }
    }

    /// Memory of the thread's own for one scalar.
    pub(crate) fn slot(&mut self, scalar: ScalarType, span: Span) -> String {
        let ty = slot_type(scalar);
        self.text
            .emit_first(span, &format!("memref.alloca() : {ty}"))
    }

    pub(crate) fn store(&mut self, value: &Value, slot: &str, span: Span) {
        let (name, ty) = (&value.name, slot_type(value.scalar));
        self.text
            .act(span, &format!("memref.store {name}, {slot}[] : {ty}"));
    }

    pub(crate) fn load(&mut self, slot: &str, scalar: ScalarType, span: Span) -> Value {
        let ty = slot_type(scalar);
        self.emit(span, scalar, format!("memref.load {slot}[] : {ty}"))
    }

    pub(crate) fn emit(
        &mut self,
        span: Span,
        scalar: ScalarType,
        operation: impl AsRef<str>,
    ) -> Value {
        let name = self.text.emit(span, operation.as_ref());
        Value { name, scalar }
    }

    /// An integer constant, given by its low bits, or a `bool`.
    pub(crate) fn constant(&mut self, span: Span, scalar: ScalarType, value: i128) -> Value {
        let shift = 128 - 8 * scalar.bytes() as u32;
        let value = match scalar {
            ScalarType::Bool if value == 0 => "false : i1".to_string(),
            ScalarType::Bool => "true : i1".to_string(),
            _ => format!("{} : {}", (value << shift) >> shift, type_name(scalar)),
        };
        let value = value.trim_end_matches(" : i1");
        self.emit(span, scalar, format!("arith.constant {value}"))
    }

    pub(crate) fn jump(&mut self, span: Span, label: &str) {
        self.text.act(span, &format!("cf.br {label}"));
    }

    pub(crate) fn branch(&mut self, span: Span, condition: &Value, yes: &str, no: &str) {
        let condition = &condition.name;
        self.text
            .act(span, &format!("cf.cond_br {condition}, {yes}, {no}"));
    }

    /// Goes elsewhere for good: what is written next is not reached.
    pub(crate) fn leave(&mut self, span: Span, label: &str) {
        self.jump(span, label);
        let unreached = self.text.label();
        self.text.place(&unreached);
        self.left = true;
    }

    /// Starts a block that control comes to, unless it had `left` before what leads there.
    pub(crate) fn come_to(&mut self, label: &str, left: bool) {
        self.text.place(label);
        self.left = left;
    }

    pub(crate) fn not(&mut self, value: &Value, span: Span) -> Value {
        let truth = self.constant(span, ScalarType::Bool, 1);
        let operation = format!("arith.xori {}, {} : i1", value.name, truth.name);
        self.emit(span, ScalarType::Bool, operation)
    }
}

/// The scalar that a value of the type is: no kernel computes half precision.
pub(crate) fn computed(ty: &HirType, span: Span) -> Written<ScalarType> {
    match ty.as_scalar() {
        Some(scalar) if scalar.is_half() => {
            refused(span, format!("`{ty}`: no kernel computes half precision"))
        }
        Some(scalar) => Ok(scalar),
        None => refused(span, format!("a value of type `{ty}`")),
    }
}

/// The extents of a tensor of which the size is known, and its elements' type.
pub(crate) fn static_extents(tensor: &TensorType, span: Span) -> Written<(ScalarType, Vec<u64>)> {
    let Some(scalar) = tensor.scalar() else {
        return refused(span, format!("`{tensor}`, whose elements are no scalars"));
    };
    if scalar.is_half() {
        return refused(
            span,
            format!("`{tensor}`: no kernel computes half precision"),
        );
    }
    if !scalar.is_number() {
        return refused(
            span,
            format!("`{tensor}`: no kernel works on `{scalar}` elements"),
        );
    }
    // No element takes more than 8 bytes.
    let bytes = tensor.elements().and_then(|count| count.checked_mul(8));
    let fits = bytes.is_some_and(|bytes| bytes <= i64::MAX as u64);
    match tensor.static_extents().filter(|_| fits) {
        Some(extents) => Ok((scalar, extents)),
        None => refused(
            span,
            format!("`{tensor}`, whose size is not known or too large"),
        ),
    }
}

fn slot_type(scalar: ScalarType) -> String {
    let ty = type_name(scalar);
    // The vendors' own memory of a thread: AMD's has an address space that LLVM insists on.
    format!("memref<{ty}, #gpu.address_space<private>>")
}
