use super::{is_random, types, written};
use crate::contents::Contents;
use crate::program::{Function, Parameter, Passing, Type, literal, nested};

/// More elements than these are written one by one, where they are not zero.
const LISTED: u64 = 64;

/// A `main` that calls the function on its arguments, and gives all that comes of it.
pub fn main_of(function: &Function) -> String {
    let mut lines = Vec::new();
    let mut arguments = Vec::new();
    let mut parameters = Vec::new();
    for (at, parameter) in function.parameters.iter().enumerate() {
        let passing = match parameter.ty.is_tensor() {
            true => parameter.passing.text(),
            false => "",
        };
        if is_random(parameter) {
            parameters.push(format!("p{at}: {}", parameter.ty.text(false)));
        }
        let is_written = parameter.passing == Passing::BorrowedMut;
        let name = if is_written {
            format!("w{at}")
        } else {
            format!("p{at}")
        };
        if parameter.ty.is_tensor() {
            lines.extend(match is_random(parameter) {
                true if is_written => vec![format!("mut {name} = p{at}")],
                true => vec![],
                false => tensor(&name, parameter),
            });
            arguments.push(format!("{passing}{name}"));
        } else if is_random(parameter) {
            arguments.push(format!("p{at}"));
        } else {
            let bits = parameter.contents.bits(parameter.ty.scalar, &[]);
            arguments.push(literal(parameter.ty.scalar, bits[0]));
        }
    }
    let call = format!("f({})", arguments.join(", "));
    let results = function.results.len();
    let written = written(function);
    let mut values: Vec<String> = (0..results).map(|at| format!("r{at}")).collect();
    match (results, &written[..]) {
        (_, []) => values = vec![call],
        (0, _) => lines.push(call),
        (1, _) => lines.push(format!("val r0 = {call}")),
        _ => lines.push(format!("val ({}) = {call}", values.join(", "))),
    }
    values.extend(written.iter().map(|at| format!("w{at}")));
    let types: Vec<String> = types(function, true)
        .iter()
        .map(|ty| ty.text(false))
        .collect();
    let (value, ty) = match (&values[..], &types[..]) {
        ([value], [ty]) => (value.clone(), ty.clone()),
        ([value], types) => (value.clone(), format!("({})", types.join(", "))),
        (values, types) => (
            format!("({})", values.join(", ")),
            format!("({})", types.join(", ")),
        ),
    };
    lines.push(value);
    let (parameters, lines) = (parameters.join(", "), lines.join("\n    "));
    format!("func main({parameters}) -> {ty} {{\n    {lines}\n}}\n")
}

/// The lines that make an argument.
fn tensor(name: &str, parameter: &Parameter) -> Vec<String> {
    let Type { scalar, .. } = parameter.ty;
    let shape = parameter.ty.extents();
    let ty = parameter.ty.text(false);
    let bits = parameter.contents.bits(scalar, shape);
    let is_ones = parameter.contents == Contents::Ones;
    let others = bits.iter().filter(|&&bits| bits != 0).count() as u64;
    let is_mut = parameter.passing == Passing::BorrowedMut;
    if !is_ones && (bits.len() as u64 <= LISTED && !shape.is_empty() || others > 2 * LISTED) {
        let elements: Vec<String> = bits.iter().map(|&bits| literal(scalar, bits)).collect();
        let binding = if is_mut { "mut" } else { "val" };
        return vec![format!(
            "{binding} {name}: {ty} = {}",
            nested(shape, &elements)
        )];
    }
    let made = ty.replacen("Tensor", "Tensor::", 1);
    if shape.is_empty() {
        let value = literal(scalar, bits[0]);
        let binding = if is_mut { "mut" } else { "val" };
        return vec![format!("{binding} {name}: {ty} = Tensor::scalar({value})")];
    }
    let method = if is_ones { "ones" } else { "zeros" };
    let is_plain = is_ones || others == 0;
    let binding = if is_mut || !is_plain { "mut" } else { "val" };
    let mut lines = vec![format!("{binding} {name} = {made}::{method}()")];
    let listed = bits
        .iter()
        .enumerate()
        .filter(|(_, bits)| !is_plain && **bits != 0);
    lines.extend(listed.map(|(position, &bits)| {
        let index: Vec<String> = index(position as u64, shape)
            .iter()
            .map(u64::to_string)
            .collect();
        format!("{name}[{}] = {}", index.join(", "), literal(scalar, bits))
    }));
    lines
}

/// The index of a row-major position.
fn index(mut position: u64, shape: &[u64]) -> Vec<u64> {
    let mut index = vec![0; shape.len()];
    for (at, extent) in index.iter_mut().zip(shape).rev() {
        *at = position % extent;
        position /= extent;
    }
    index
}
