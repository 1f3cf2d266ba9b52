//! Launches of `@kernel` functions and of traversals on a device.

use interpreter::{Failure, Panic, PanicKind, Value};
use mlir_backend::internal::{self, Kernel, Report};
use neuro_hir::HirFunction;
use runtime::{DeviceTensor, Race};
use tensor::Tensor;

use super::jit::out_of_memory;
use super::status::unravel;
use crate::Fault;

/// Runs a kernel by `run`, with the words of its report after its arguments; how many launches there
/// were, or the panic of the first thread that failed.
pub(super) fn launch<'p>(
    kernel: &Kernel,
    function: &HirFunction,
    values: &mut [Value<'p>],
    run: impl FnOnce(&mut [Value<'p>]) -> Result<(Value<'p>, u64), Failure>,
) -> Result<u64, Failure> {
    let words = [u64::MAX; internal::REPORT_WORDS as usize];
    let report = Tensor::from_slice(&[internal::REPORT_WORDS], &words);
    let report = report.map_err(|error| out_of_memory(function, error))?;
    let mut arguments: Vec<Value<'p>> = values
        .iter_mut()
        .map(|value| std::mem::replace(value, Value::Void))
        .collect();
    arguments.push(report.into());
    let ran = run(&mut arguments);
    let report = arguments.pop().unwrap_or(Value::Void);
    for (value, argument) in values.iter_mut().zip(arguments) {
        *value = argument;
    }
    let (_, launches) = ran?;
    let misread = || {
        let text = format!("`{}` left a report that nobody writes", kernel.symbol);
        Fault::internal(Some(function.span), text)
    };
    let words = match report.at_hand(function.span)? {
        Value::Tensor(words) => {
            let words = words.as_slice::<u64>().ok();
            words.and_then(|words| words.try_into().ok())
        }
        _ => None,
    };
    match Report::read(words.ok_or_else(misread)?) {
        None => Ok(launches),
        Some(report) => Err(panic(report, kernel).ok_or_else(misread)?.into()),
    }
}

/// The arguments of a traversal, in the place of its function what that has captured; `None` for
/// arguments without a function.
pub(super) fn captured<'p>(values: &[Value<'p>]) -> Option<Vec<Value<'p>>> {
    let function = |value: &Value<'_>| matches!(value, Value::Function(_));
    values.iter().any(function).then(|| {
        let arguments = values.iter().flat_map(|value| match value {
            Value::Function(function) => function.captures().cloned().collect(),
            value => vec![value.clone()],
        });
        arguments.collect()
    })
}

/// The failure of a program whose kernel has a race: nothing says what it computes. `None` where that
/// is in no tensor of the program's.
pub(super) fn raced<'t>(
    kernel: &Kernel,
    function: &HirFunction,
    tensors: impl Iterator<Item = Option<&'t DeviceTensor>>,
    race: &Race,
) -> Option<Fault> {
    let parameters = function.parameters().iter().zip(tensors);
    let (name, index) = parameters.into_iter().find_map(|(parameter, tensor)| {
        let index = tensor?.index_of(race.address)?;
        Some((&parameter.name, index))
    })?;
    let [(thread, verb), (other, other_verb)] = [0, 1].map(|at| {
        let axes = kernel.axes.iter();
        let thread: Vec<u64> = axes.map(|&axis| race.threads[at][axis]).collect();
        (thread, if race.write[at] { "writes" } else { "reads" })
    });
    let text = format!(
        "the kernel `{}` has a race: thread {thread:?} {verb} `{name}{index:?}`, which thread \
         {other:?} {other_verb}",
        function.name
    );
    Some(Fault::failed(Some(function.span), text))
}

/// The panic that a report stands for; `None` for one that the kernel cannot have written.
fn panic(report: Report, kernel: &Kernel) -> Option<Panic> {
    let check = kernel.checks.get(report.check.checked_sub(1)?)?;
    let kind = match check.fault {
        internal::Fault::Overflow(operator) => PanicKind::Overflow { operator },
        internal::Fault::ZeroDivisor(operator) => PanicKind::ZeroDivisor { operator },
        internal::Fault::Index {
            scalar,
            axis,
            extent,
        } => PanicKind::Index {
            index: match scalar.is_signed() {
                true => i128::from(report.index as i64),
                false => i128::from(report.index),
            },
            axis,
            extent,
        },
    };
    Some(Panic {
        thread: Some(unravel(report.thread, &kernel.grid)?),
        ..Panic::new(check.span, kind)
    })
}
