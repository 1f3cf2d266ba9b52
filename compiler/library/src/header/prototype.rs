use super::text::{c_type, function_parameters};
use crate::function::{Argument, ArgumentKind, Function, Usage};

/// The prototype of the body's symbol, or of its entry that takes bits.
pub(super) fn prototype(function: &Function) -> String {
    let (note, symbol) = match &function.bits_entry {
        None if function.vendor.is_some() => ("The body on a GPU", &function.symbol),
        None => ("The body", &function.symbol),
        Some(entry) => ("The body, halves as their bits", entry),
    };
    let parameters: Vec<String> = function.arguments.iter().map(parameter).collect();
    format!(
        "/* {note}. A tensor is its allocated pointer, pointer, offset, sizes and strides. */
void {symbol}(
    {});
",
        parameters.join(",\n    ")
    )
}

fn parameter(argument: &Argument) -> String {
    let name = &argument.name;
    match &argument.kind {
        ArgumentKind::Scalar(scalar) | ArgumentKind::Position { scalar, .. } => {
            format!("{} {name}", c_type(*scalar))
        }
        ArgumentKind::Tensor {
            scalar,
            shape,
            usage,
        } => {
            let constant = if *usage == Usage::Reads { "const " } else { "" };
            let ty = c_type(*scalar);
            let words = ", int64_t".repeat(1 + 2 * shape.len());
            format!("{constant}{ty} *, {constant}{ty} *{name}{words}")
        }
        ArgumentKind::Function {
            signature,
            environment,
        } => function_parameters(signature, name, environment),
        ArgumentKind::Threads { pool } => format!("NeuroShare *{name}, void *{pool}"),
        ArgumentKind::Status => format!("uint64_t *, uint64_t *{name}, int64_t"),
    }
}
