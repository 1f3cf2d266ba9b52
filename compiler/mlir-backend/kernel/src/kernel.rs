use std::collections::HashMap;

use mlir_gpu::Chip;
use mlir_lowering::BodyParameter;
use mlir_pipeline::NotLowered;
use neuro_hir::{FunctionTarget, HirExpr, HirFunction, HirItem, HirProgram, HirType, LocalId};
use shared_types::ScalarType;

use crate::body::{Body, Local, Written, computed, refused, static_extents};
use crate::check::{Failures, KernelCheck, MOST_THREADS, REPORT_WORDS};
use crate::fail::Failing;
use crate::grid::Grid;
use crate::host::{Host, linked};
use crate::place::Buffer;
use crate::text::{Value, type_name};

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
    /// Where each of these axes runs on the device: 0 is x, 1 is y, 2 is z.
    pub axes: Vec<usize>,
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
    let constants = constants(program);
    let (mut text, mut kernels, mut not_lowered) = (String::new(), Vec::new(), Vec::new());
    for function in program.functions() {
        let FunctionTarget::Kernel { threads } = &function.target else {
            continue;
        };
        let failing = Failing::of(failures, chip.vendor);
        let body = Body::new(function, &constants, program.tier, failing);
        let symbol = format!("{prefix}{}", function.name);
        let threads: Vec<u64> = threads.iter().map(|&threads| threads.into()).collect();
        match host_function(body, symbol, &threads, chip) {
            Ok((host, kernel)) => {
                text += &host;
                kernels.push(kernel);
            }
            Err(refused) => not_lowered.push(refused.of(function)),
        }
    }
    match not_lowered.is_empty() {
        true => Ok((text, kernels)),
        false => Err(not_lowered),
    }
}

/// The program's constants, by name.
pub(crate) fn constants(program: &HirProgram) -> HashMap<&str, &HirExpr> {
    let constants = program.items.iter().filter_map(|item| match item {
        HirItem::Const(constant) => Some((constant.name.as_str(), &constant.value)),
        HirItem::Function(_) | HirItem::Impl(_) | HirItem::Struct(_) => None,
    });
    constants.collect()
}

fn host_function(
    mut body: Body<'_>,
    symbol: String,
    threads: &[u64],
    chip: Chip,
) -> Written<(String, Kernel)> {
    let function = body.function;
    let span = function.span;
    let block = threads.iter().try_fold(1u64, |n, &t| n.checked_mul(t));
    let fits = (1..=3).contains(&threads.len()) && block.is_some_and(|n| (1..=1024).contains(&n));
    if !fits || function.result != HirType::Void {
        return refused(span, "a kernel whose block or result is none of a kernel's");
    }
    let mut host = Host::new(span);
    for (index, parameter) in linked(function)?.into_iter().enumerate() {
        take(&mut host, &mut body, index, parameter)?;
    }
    let over = host
        .parameters
        .iter()
        .find_map(|parameter| match parameter {
            BodyParameter::Target { shape, .. } => Some(shape),
            _ => None,
        });
    let Some(over) = over else {
        return refused(span, "a kernel without a `&mut` tensor");
    };
    let grid = Grid::over(over, threads, chip).or_else(|reason| refused(span, reason))?;
    if body.failing == Failing::Report {
        let count = grid.as_ref().map_or(Some(0), Grid::count);
        if count.is_none_or(|count| count > MOST_THREADS) {
            return refused(span, "a grid of more than 2^40 threads");
        }
    }
    if let Some((name, ty)) = body.failing.word() {
        let scalar = ScalarType::U64;
        let shape = vec![REPORT_WORDS];
        host.takes(name, &ty, BodyParameter::Target { scalar, shape });
    }
    if let Some(grid) = &grid {
        host.launch(&mut body, grid, |body| {
            body.block(&function.body).map(|_| ())
        })?;
    }
    let text = host.text(&symbol)?;
    let kernel = Kernel {
        function: function.name.clone(),
        symbol,
        parameters: host.parameters,
        grid: grid.as_ref().map(Grid::extents).unwrap_or_default(),
        axes: grid.map(|grid| grid.axes).unwrap_or_default(),
        checks: body.checks,
    };
    Ok((text, kernel))
}

/// Binds a parameter of the function.
fn take(
    host: &mut Host,
    body: &mut Body<'_>,
    index: usize,
    parameter: BodyParameter,
) -> Written<()> {
    let function: &HirFunction = body.function;
    let declared = &function.locals[index];
    let span = declared.span;
    let name = format!("%p{index}");
    match (&parameter, declared.ty.as_tensor()) {
        (BodyParameter::Scalar(_), _) => {
            let scalar = computed(&declared.ty, span)?;
            host.takes(&name, type_name(scalar), parameter);
            body.set(LocalId(index as u32), &Value { name, scalar }, span)
        }
        (BodyParameter::Operand { .. } | BodyParameter::Target { .. }, Some(tensor)) => {
            let (scalar, extents) = static_extents(tensor, span)?;
            let buffer = Buffer {
                name,
                scalar,
                extents,
                writable: matches!(parameter, BodyParameter::Target { .. }),
            };
            host.takes(&buffer.name, &buffer.ty(), parameter);
            body.locals[index] = Local::Tensor(buffer);
            Ok(())
        }
        _ => refused(span, format!("a parameter of type `{}`", declared.ty)),
    }
}
