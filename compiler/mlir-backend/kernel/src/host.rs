//! The host function around a launch.

use std::fmt::Write as _;

use mlir_gpu::PARAMETER_BYTES;
use mlir_lowering::{BodyParameter, linkable_parameters};
use mlir_pipeline::location_text;
use neuro_hir::HirFunction;
use shared_types::Span;

use crate::body::{Body, Position, Refused, Written, refused};
use crate::grid::Grid;
use crate::text::{Text, quoted};

/// What a host function takes, and its text.
pub(crate) struct Host {
    span: Span,
    pub parameters: Vec<BodyParameter>,
    signature: Vec<String>,
    code: String,
}

impl Host {
    pub(crate) fn new(span: Span) -> Host {
        Host {
            span,
            parameters: Vec::new(),
            signature: Vec::new(),
            code: String::new(),
        }
    }

    /// One parameter more, a name in the text and its type there.
    pub(crate) fn takes(&mut self, name: &str, ty: &str, parameter: BodyParameter) {
        self.signature.push(format!("{name}: {ty}"));
        self.parameters.push(parameter);
    }

    fn act(&mut self, operation: &str) {
        let _ = writeln!(self.code, "  {operation} {}", location_text(self.span));
    }

    /// Launches over a grid what `write` writes. The sizes of a block are constants: asking for them
    /// is a call of a library on AMD.
    pub(crate) fn launch<'p>(
        &mut self,
        body: &mut Body<'p>,
        grid: &Grid,
        write: impl FnOnce(&mut Body<'p>) -> Written<()>,
    ) -> Written<()> {
        let (mut blocks, mut threads) = ([1; 3], [1; 3]);
        for (axis, &along) in grid.axes.iter().enumerate() {
            blocks[along] = grid.blocks[axis];
            threads[along] = grid.threads[axis];
        }
        for (name, sizes) in [("grid", blocks), ("block", threads)] {
            for (axis, size) in sizes.iter().enumerate() {
                self.act(&format!("%{name}{axis} = arith.constant {size} : index"));
            }
        }
        body.position = position(&mut body.text, self.span, grid);
        write(body)?;
        let region = body.finish();
        let _ = writeln!(
            self.code,
            "  gpu.launch blocks(%b0, %b1, %b2) in \
             (%grids0 = %grid0, %grids1 = %grid1, %grids2 = %grid2) threads(%t0, %t1, %t2) in \
             (%blocks0 = %block0, %blocks1 = %block1, %blocks2 = %block2) {{"
        );
        self.code += &region;
        self.act("}");
        Ok(())
    }

    /// The function under that name.
    pub(crate) fn text(&mut self, symbol: &str) -> Written<String> {
        if bytes(&self.parameters) > PARAMETER_BYTES {
            let reason = format!("more than {PARAMETER_BYTES} bytes of parameters");
            return refused(self.span, reason);
        }
        self.act("return");
        let (symbol, signature) = (quoted(symbol), self.signature.join(", "));
        let (code, location) = (&self.code, location_text(self.span));
        Ok(format!(
            "func.func @{symbol}({signature}) {{\n{code}}} {location}\n"
        ))
    }
}

/// What the function's symbol takes for its own parameters.
pub(crate) fn linked(function: &HirFunction) -> Written<Vec<BodyParameter>> {
    linkable_parameters(function).map_err(|refusal| Refused {
        span: refusal.span,
        reason: refusal.reason,
    })
}

/// What a kernel takes at the most: a buffer is two pointers, an offset, and a size and a stride an
/// axis.
fn bytes(parameters: &[BodyParameter]) -> usize {
    let words = parameters.iter().map(|parameter| match parameter {
        BodyParameter::Operand { shape, .. }
        | BodyParameter::Target { shape, .. }
        | BodyParameter::Result { shape, .. } => 3 + 2 * shape.len(),
        BodyParameter::Status => 3,
        BodyParameter::Scalar(_)
        | BodyParameter::Position { .. }
        | BodyParameter::Captured { .. } => 1,
        BodyParameter::Function { .. } | BodyParameter::Threads => 2,
    });
    8 * words.sum::<usize>()
}

/// Where a thread is.
fn position(text: &mut Text, span: Span, grid: &Grid) -> Position {
    let mut emit = |operation: String| text.emit_first(span, &operation);
    let (mut blocks, mut threads) = (Vec::new(), Vec::new());
    let mut number: Option<String> = None;
    for ((&along, size), extent) in grid.axes.iter().zip(&grid.threads).zip(grid.extents()) {
        let block = emit(format!("arith.index_cast %b{along} : index to i64"));
        let thread = emit(format!("arith.index_cast %t{along} : index to i64"));
        let size = emit(format!("arith.constant {size} : i64"));
        let start = emit(format!("arith.muli {block}, {size} : i64"));
        let thread = emit(format!("arith.addi {start}, {thread} : i64"));
        number = Some(match number {
            None => thread.clone(),
            Some(outer) => {
                let extent = emit(format!("arith.constant {extent} : i64"));
                let start = emit(format!("arith.muli {outer}, {extent} : i64"));
                emit(format!("arith.addi {start}, {thread} : i64"))
            }
        });
        blocks.push(block);
        threads.push(thread);
    }
    Position {
        thread: threads,
        block: blocks,
        number: number.unwrap_or_default(),
    }
}
