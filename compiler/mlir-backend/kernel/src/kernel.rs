use std::collections::HashMap;
use std::fmt::Write as _;

use mlir_gpu::{Chip, PARAMETER_BYTES};
use mlir_lowering::{BodyParameter, linkable_parameters};
use mlir_pipeline::{NotLowered, location_text};
use neuro_hir::{FunctionTarget, HirExpr, HirFunction, HirItem, HirProgram, HirType};
use shared_types::ScalarType;

use crate::body::{Body, Buffer, Local, Position, Refused, Written, buffer, computed, refused};
use crate::check::{Failures, KernelCheck, MOST_THREADS, REPORT_WORDS};
use crate::grid::Grid;
use crate::place::buffer_type;
use crate::text::{Text, Value, quoted, type_name};

/// A kernel's host function.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    pub function: String,
    pub symbol: String,
    /// What the symbol takes, in order: the function's parameters, then, where failures are
    /// reported, the words for that, a `&mut` tensor of `u64`.
    pub parameters: Vec<BodyParameter>,
    /// How many threads there are along each axis of the block shape.
    pub grid: Vec<u64>,
    pub checks: Vec<KernelCheck>,
}

/// The kernels of a program, each as a `func.func` that launches it, and what they are. A kernel
/// whose grid is empty is not launched. `prefix` stands before each name.
///
/// # Errors
/// Each kernel with a construct that no kernel has, and the place of that.
pub fn lower(
    program: &HirProgram,
    prefix: &str,
    chip: Chip,
    failures: Failures,
) -> Result<(String, Vec<Kernel>), Vec<NotLowered>> {
    let constants: HashMap<&str, &HirExpr> = program
        .items
        .iter()
        .filter_map(|item| match item {
            HirItem::Const(constant) => Some((constant.name.as_str(), &constant.value)),
            HirItem::Function(_) | HirItem::Impl(_) | HirItem::Struct(_) => None,
        })
        .collect();
    let (mut text, mut kernels, mut not_lowered) = (String::new(), Vec::new(), Vec::new());
    for function in program.functions() {
        let FunctionTarget::Kernel { threads } = &function.target else {
            continue;
        };
        let options = (program.tier, failures, chip.vendor);
        let body = Body::new(function, &constants, options);
        let symbol = format!("{prefix}{}", function.name);
        let threads: Vec<u64> = threads.iter().map(|&threads| threads.into()).collect();
        match host_function(body, symbol, &threads, chip, failures) {
            Ok((host, kernel)) => {
                text += &host;
                kernels.push(kernel);
            }
            Err(Refused { span, reason }) => not_lowered.push(NotLowered {
                name: function.name.clone(),
                span,
                reason,
            }),
        }
    }
    match not_lowered.is_empty() {
        true => Ok((text, kernels)),
        false => Err(not_lowered),
    }
}

fn host_function(
    mut body: Body<'_>,
    symbol: String,
    threads: &[u64],
    chip: Chip,
    failures: Failures,
) -> Written<(String, Kernel)> {
    let function = body.function;
    let span = function.span;
    let block = threads.iter().try_fold(1u64, |n, &t| n.checked_mul(t));
    let fits = (1..=3).contains(&threads.len()) && block.is_some_and(|n| (1..=1024).contains(&n));
    if !fits || function.result != HirType::Void {
        return refused(span, "a kernel whose block or result is none of a kernel's");
    }
    let mut parameters = linkable_parameters(function).map_err(|refusal| Refused {
        span: refusal.span,
        reason: refusal.reason,
    })?;
    let mut signature = Vec::new();
    let mut over = None;
    for (index, parameter) in parameters.iter().enumerate() {
        let name = format!("%p{index}");
        let ty = take(&mut body, index, &name, parameter)?;
        signature.push(format!("{name}: {ty}"));
        if let BodyParameter::Target { shape, .. } = parameter {
            over.get_or_insert(shape.clone());
        }
    }
    let Some(over) = over else {
        return refused(span, "a kernel without a `&mut` tensor");
    };
    let grid = Grid::over(&over, threads, chip).or_else(|reason| refused(span, reason))?;
    if failures == Failures::Report {
        signature.push(format!("%report: memref<{REPORT_WORDS}xi64>"));
        parameters.push(BodyParameter::Target {
            scalar: ScalarType::U64,
            shape: vec![REPORT_WORDS],
        });
        let count = grid.as_ref().map_or(Some(0), Grid::count);
        if count.is_none_or(|count| count > MOST_THREADS) {
            return refused(span, "a grid of more than 2^40 threads");
        }
    }
    if parameter_bytes(&parameters) > PARAMETER_BYTES {
        let reason = format!("more than {PARAMETER_BYTES} bytes of parameters");
        return refused(span, reason);
    }
    let launch = match &grid {
        Some(grid) => launch(&mut body, grid)?,
        None => String::new(),
    };
    let (name, signature) = (quoted(&symbol), signature.join(", "));
    let location = location_text(span);
    let text =
        format!("func.func @{name}({signature}) {{\n{launch}  return {location}\n}} {location}\n");
    let kernel = Kernel {
        function: function.name.clone(),
        symbol,
        parameters,
        grid: grid.as_ref().map(Grid::extents).unwrap_or_default(),
        checks: body.checks,
    };
    Ok((text, kernel))
}

/// Binds a parameter to an argument of that name, and gives the argument's type.
fn take(
    body: &mut Body<'_>,
    index: usize,
    name: &str,
    parameter: &BodyParameter,
) -> Written<String> {
    let declared = &body.function.locals[index];
    let span = declared.span;
    match parameter {
        BodyParameter::Scalar(_) | BodyParameter::Position { .. } => {
            let scalar = computed(&declared.ty, span)?;
            let slot = body.slot(scalar, span);
            let value = Value {
                name: name.to_string(),
                scalar,
            };
            body.store(&value, &slot, span);
            body.locals[index] = Local::Slot { name: slot, scalar };
            Ok(type_name(scalar).to_string())
        }
        BodyParameter::Operand { .. } | BodyParameter::Target { .. } => {
            let Some(tensor) = declared.ty.as_tensor() else {
                return refused(span, format!("a parameter of type `{}`", declared.ty));
            };
            let (scalar, extents) = buffer(tensor, span)?;
            let ty = buffer_type(scalar, &extents);
            body.locals[index] = Local::Tensor(Buffer {
                name: name.to_string(),
                scalar,
                extents,
                writable: matches!(parameter, BodyParameter::Target { .. }),
            });
            Ok(ty)
        }
        BodyParameter::Function { .. } => refused(span, "a function value"),
        BodyParameter::Status | BodyParameter::Result { .. } | BodyParameter::Threads => {
            refused(span, "a parameter that no function has")
        }
    }
}

/// What a kernel takes at the most: a buffer is two pointers, an offset, and a size and a stride an
/// axis.
fn parameter_bytes(parameters: &[BodyParameter]) -> usize {
    let words = parameters.iter().map(|parameter| match parameter {
        BodyParameter::Operand { shape, .. } | BodyParameter::Target { shape, .. } => {
            3 + 2 * shape.len()
        }
        _ => 1,
    });
    8 * words.sum::<usize>()
}

/// The launch of the function's body over a grid. The sizes of a block are constants: asking for
/// them is a call of a library on AMD.
fn launch(body: &mut Body<'_>, grid: &Grid) -> Written<String> {
    let function = body.function;
    let location = location_text(function.span);
    let (mut blocks, mut threads) = ([1; 3], [1; 3]);
    for (axis, &along) in grid.axes.iter().enumerate() {
        blocks[along] = grid.blocks[axis];
        threads[along] = grid.threads[axis];
    }
    let mut text = String::new();
    for (name, sizes) in [("grid", blocks), ("block", threads)] {
        for (axis, size) in sizes.iter().enumerate() {
            let constant = format!("%{name}{axis} = arith.constant {size} : index");
            let _ = writeln!(text, "  {constant} {location}");
        }
    }
    body.position = position(&mut body.text, function, grid);
    body.block(&function.body)?;
    let region = body.finish("%report");
    let _ = writeln!(
        text,
        "  gpu.launch blocks(%b0, %b1, %b2) in (%grids0 = %grid0, %grids1 = %grid1, %grids2 = %grid2) \
         threads(%t0, %t1, %t2) in (%blocks0 = %block0, %blocks1 = %block1, %blocks2 = %block2) {{"
    );
    let _ = writeln!(text, "{region}  }} {location}");
    Ok(text)
}

/// Where a thread is.
fn position(text: &mut Text, function: &HirFunction, grid: &Grid) -> Position {
    let span = function.span;
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
