//! The values of `--arg`, read as the parameters' types.

use std::collections::HashMap;
use std::path::Path;

use half::{bf16, f16};
use interpreter::Value;
use neuro_hir::{HirFunction, HirLocal, HirType};
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{BFloat, Half};
use shared_types::ScalarType;
use tensor::{Scalar, TensorError, npy, round};

use crate::Fault;

/// The values of a function's parameters, in order.
pub fn read<'p>(
    function: &HirFunction,
    given: &[(String, String)],
) -> Result<Vec<Value<'p>>, Fault> {
    let wrong = |text: String| Fault::wrong(None, text);
    let mut values: HashMap<&str, &str> = HashMap::new();
    for (name, value) in given {
        if values.insert(name, value).is_some() {
            return Err(wrong(format!("the argument `{name}` is given twice")));
        }
    }
    let parameters = function.parameters();
    for (name, _) in given {
        if !parameters.iter().any(|parameter| parameter.name == *name) {
            let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
            let takes = match names.as_slice() {
                [] => "no arguments".to_string(),
                names => names.join(", "),
            };
            let entry = &function.name;
            return Err(wrong(format!(
                "`{entry}` has no parameter `{name}`; it takes {takes}"
            )));
        }
    }
    let value = |parameter: &HirLocal| match values.get(parameter.name.as_str()) {
        Some(text) => value(parameter, text),
        None => Err(wrong(format!(
            "the argument `{}` of `{}` is missing: --arg {}=VALUE ({})",
            parameter.name, function.name, parameter.name, parameter.ty
        ))),
    };
    parameters.iter().map(value).collect()
}

/// A scalar, a file, or random contents; the type is the parameter's.
fn value<'p>(parameter: &HirLocal, text: &str) -> Result<Value<'p>, Fault> {
    let name = &parameter.name;
    let ty = parameter.ty.referent();
    let refuse = |reason: String| {
        let text = format!("the argument `{name}` ({ty}): {reason}");
        Fault::wrong(None, text)
    };
    let (scalar, shape) = match ty {
        HirType::Scalar(scalar) => (Some(*scalar), Some(vec![])),
        HirType::Tensor(tensor) => (tensor.scalar(), tensor.static_extents()),
        HirType::Void
        | HirType::Reference { .. }
        | HirType::Tuple(_)
        | HirType::Function(_)
        | HirType::String
        | HirType::Nominal(_) => (None, None),
    };
    let (Some(scalar), Some(shape)) = (scalar, shape) else {
        let message = format!("a parameter of type {ty} cannot be given on the command line");
        return Err(Fault::wrong(Some(parameter.span), message));
    };
    let is_scalar = matches!(ty, HirType::Scalar(_));
    let tensor = if let Some(seed) = text.strip_prefix("random:") {
        let seed = seed.parse().map_err(|_| {
            refuse(format!(
                "`{seed}` is no seed: 0 to {} was expected",
                u64::MAX
            ))
        })?;
        tensor::random(seed, name, scalar, &shape).map_err(|error| match error {
            TensorError::OutOfMemory { .. } => Fault::failed(None, error.to_string()),
            error => refuse(error.to_string()),
        })?
    } else if is_scalar && !text.ends_with(".npy") {
        return parse(scalar, text)
            .map(Value::Scalar)
            .ok_or_else(|| refuse(format!("`{text}` is no {scalar}{}", range(scalar))));
    } else {
        npy::read(Path::new(text), scalar, &shape).map_err(|error| {
            let hint = match text.ends_with(".npy") {
                true => "",
                false => "; a .npy file or random:SEED was expected",
            };
            refuse(format!("`{text}`: {error}{hint}"))
        })?
    };
    if is_scalar {
        let value = tensor.get(0).map_err(|error| refuse(error.to_string()))?;
        return Ok(Value::Scalar(value));
    }
    Ok(Value::Tensor(tensor))
}

/// A scalar as text: a decimal number, `true`, or a character.
fn parse(scalar: ScalarType, text: &str) -> Option<Scalar> {
    Some(match scalar {
        ScalarType::I8 => Scalar::I8(text.parse().ok()?),
        ScalarType::I16 => Scalar::I16(text.parse().ok()?),
        ScalarType::I32 => Scalar::I32(text.parse().ok()?),
        ScalarType::I64 => Scalar::I64(text.parse().ok()?),
        ScalarType::U8 => Scalar::U8(text.parse().ok()?),
        ScalarType::U16 => Scalar::U16(text.parse().ok()?),
        ScalarType::U32 => Scalar::U32(text.parse().ok()?),
        ScalarType::U64 => Scalar::U64(text.parse().ok()?),
        ScalarType::F16 => Scalar::F16(match text.parse::<f64>().ok()? {
            value if value.is_finite() => f16::from_bits(half_bits::<Half>(text)?),
            value => round::f64_to_f16(value),
        }),
        ScalarType::Bf16 => Scalar::Bf16(match text.parse::<f64>().ok()? {
            value if value.is_finite() => bf16::from_bits(half_bits::<BFloat>(text)?),
            value => round::f64_to_bf16(value),
        }),
        ScalarType::F32 => Scalar::F32(text.parse().ok()?),
        ScalarType::F64 => Scalar::F64(text.parse().ok()?),
        ScalarType::Bool => Scalar::Bool(text.parse().ok()?),
        ScalarType::Char => Scalar::Char(text.parse().ok()?),
    })
}

/// A decimal number rounded once: through `f64` it would be rounded twice.
fn half_bits<F: Float>(text: &str) -> Option<u16> {
    let value: F = text.parse().ok()?;
    u16::try_from(value.to_bits()).ok()
}

fn range(scalar: ScalarType) -> String {
    match scalar.integer_range() {
        Some((low, high)) => format!(": {low} to {high} was expected"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_read_as_their_type() {
        assert_eq!(parse(ScalarType::I8, "-128"), Some(Scalar::I8(-128)));
        assert_eq!(parse(ScalarType::I8, "128"), None);
        assert_eq!(parse(ScalarType::U64, "-1"), None);
        assert_eq!(parse(ScalarType::F32, "0.1"), Some(Scalar::F32(0.1)));
        assert_eq!(parse(ScalarType::Bool, "true"), Some(Scalar::Bool(true)));
        assert_eq!(parse(ScalarType::Char, "ß"), Some(Scalar::Char('ß')));
        assert_eq!(parse(ScalarType::Char, "ab"), None);
        assert_eq!(parse(ScalarType::F64, "one"), None);
    }

    #[test]
    fn halves_round_once() {
        let bits = |scalar, text| parse(scalar, text).map(Scalar::bits);
        // A hair over the middle of 1 and the next: an f64 does not hold the hair.
        let over = "1.000488281250000000000000000000001";
        assert_eq!(bits(ScalarType::F16, over), Some(0x3c01));
        assert_eq!(bits(ScalarType::F16, "1.00048828125"), Some(0x3c00));
        assert_eq!(bits(ScalarType::F16, "-inf"), Some(0xfc00));
        assert_eq!(bits(ScalarType::F16, "1e9"), Some(0x7c00));
        assert_eq!(bits(ScalarType::Bf16, "-0.0"), Some(0x8000));
        assert_eq!(bits(ScalarType::Bf16, "1e-40"), Some(0x0001));
        assert_eq!(bits(ScalarType::F16, "0x1p0"), None);
    }
}
