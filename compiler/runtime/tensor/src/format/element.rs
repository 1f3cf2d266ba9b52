use crate::{Tensor, format};

/// Aligned to the right.
pub(super) fn integers(tensor: &Tensor, positions: &[usize]) -> Vec<String> {
    let texts = plain(tensor, positions);
    let width = texts.iter().map(String::len).max().unwrap_or(0);
    texts.iter().map(|text| format!("{text:>width$}")).collect()
}

/// ` True` is as wide as `False` even where no element is false.
pub(super) fn bools(tensor: &Tensor, positions: &[usize]) -> Vec<String> {
    let texts = plain(tensor, positions);
    texts.iter().map(|text| format!("{text:>5}")).collect()
}

/// In quotes, and aligned to the left: NumPy's text of a one-character string.
pub(super) fn chars(tensor: &Tensor, positions: &[usize]) -> Vec<String> {
    let text = |&position| match tensor.get(position) {
        Ok(crate::Scalar::Char(value)) => format!("{value:?}"),
        _ => "?".to_string(),
    };
    let texts: Vec<String> = positions.iter().map(text).collect();
    let width = texts.iter().map(|text| text.chars().count()).max();
    let width = width.unwrap_or(0);
    texts.iter().map(|text| format!("{text:<width$}")).collect()
}

/// An element whose bits are no value of its type is shown as `?`.
fn plain(tensor: &Tensor, positions: &[usize]) -> Vec<String> {
    let text = |&position| match tensor.get(position) {
        Ok(value) => format::scalar(value),
        Err(_) => "?".to_string(),
    };
    positions.iter().map(text).collect()
}
