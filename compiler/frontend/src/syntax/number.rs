use ast_types::Number;
use shared_types::{ScalarType, Span};

use crate::Diagnostic;

/// A number as its token writes it: `12`, `1_000u8`, `0xFF`, `1.5e-3f32`, `2f64`.
pub(super) fn number(text: &str, span: Span) -> Result<Number, Diagnostic> {
    let bytes = text.as_bytes();
    if let [b'0', b'x' | b'X' | b'b' | b'B' | b'o' | b'O', ..] = bytes {
        return radix(text, span);
    }
    let (digits, suffix) = text.split_at(digits_end(bytes));
    let digits = digits.replace('_', "");
    let suffix = read_suffix(suffix, span)?;
    let is_float = digits.contains(['.', 'e', 'E']);
    match suffix {
        Some(suffix) if suffix.is_float() => Ok(Number::Float {
            digits,
            suffix: Some(suffix),
        }),
        Some(suffix) if is_float => Err(Diagnostic::new(
            span,
            format!("a number with a fraction is no `{suffix}`"),
        )),
        None if is_float => Ok(Number::Float {
            digits,
            suffix: None,
        }),
        suffix => match digits.parse() {
            Ok(value) => Ok(Number::Integer { value, suffix }),
            Err(_) => Err(too_large(span)),
        },
    }
}

/// Where the digits end and the suffix begins.
fn digits_end(bytes: &[u8]) -> usize {
    let digit = |at: usize| {
        bytes
            .get(at)
            .is_some_and(|b| b.is_ascii_digit() || *b == b'_')
    };
    let mut at = 0;
    while digit(at) || (bytes.get(at) == Some(&b'.')) {
        at += 1;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let mut end = at + 1 + sign;
        while digit(end) {
            end += 1;
        }
        if bytes[at + 1..end].iter().any(u8::is_ascii_digit) {
            return end;
        }
    }
    at
}

fn radix(text: &str, span: Span) -> Result<Number, Diagnostic> {
    let (radix, name) = match text.as_bytes()[1] {
        b'x' | b'X' => (16, "hexadecimal"),
        b'b' | b'B' => (2, "binary"),
        _ => (8, "octal"),
    };
    let rest = &text[2..];
    // A hexadecimal `f32` is digits; `u8` and the like begin with no digit of any radix here.
    let end = rest.find(|c: char| !(c.is_digit(radix) || c == '_'));
    let (digits, suffix) = rest.split_at(end.unwrap_or(rest.len()));
    let suffix = read_suffix(suffix, span)?;
    if let Some(suffix) = suffix.filter(|suffix| !suffix.is_integer()) {
        return Err(Diagnostic::new(
            span,
            format!("a {name} number is no `{suffix}`"),
        ));
    }
    let digits = digits.replace('_', "");
    if digits.is_empty() {
        return Err(Diagnostic::new(
            span,
            format!("a {name} number without digits"),
        ));
    }
    match u128::from_str_radix(&digits, radix) {
        Ok(value) => Ok(Number::Integer { value, suffix }),
        Err(_) => Err(too_large(span)),
    }
}

fn read_suffix(text: &str, span: Span) -> Result<Option<ScalarType>, Diagnostic> {
    let text = text.trim_start_matches('_');
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse::<ScalarType>() {
        Ok(scalar) if scalar.is_number() => Ok(Some(scalar)),
        _ => Err(
            Diagnostic::new(span, format!("`{text}` is no suffix of a number"))
                .label("expected a type such as `i32` or `f32`"),
        ),
    }
}

fn too_large(span: Span) -> Diagnostic {
    Diagnostic::new(span, "the number is too large for any type")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Number, String> {
        number(text, Span::default()).map_err(|fault| fault.message)
    }

    fn integer(value: u128, suffix: Option<ScalarType>) -> Result<Number, String> {
        Ok(Number::Integer { value, suffix })
    }

    fn float(digits: &str, suffix: Option<ScalarType>) -> Result<Number, String> {
        let digits = digits.to_string();
        Ok(Number::Float { digits, suffix })
    }

    #[test]
    fn integers_have_radixes_and_suffixes() {
        assert_eq!(read("1_000"), integer(1000, None));
        assert_eq!(read("7u8"), integer(7, Some(ScalarType::U8)));
        assert_eq!(read("7_i64"), integer(7, Some(ScalarType::I64)));
        assert_eq!(read("0xFFu8"), integer(255, Some(ScalarType::U8)));
        assert_eq!(read("0x1f32"), integer(0x1f32, None));
        assert_eq!(read("0b1010_1010"), integer(0xAA, None));
        assert_eq!(read("0o17"), integer(15, None));
    }

    #[test]
    fn floats_keep_their_digits() {
        assert_eq!(read("1.5"), float("1.5", None));
        assert_eq!(
            read("1_0.2_5e-3f32"),
            float("10.25e-3", Some(ScalarType::F32))
        );
        assert_eq!(read("2f64"), float("2", Some(ScalarType::F64)));
        assert_eq!(read("1e5"), float("1e5", None));
        assert_eq!(read("1bf16"), float("1", Some(ScalarType::Bf16)));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "1x", "1.5i32", "0x", "0b2", "0o8", "1bool", "0b1f32", "1e", "1i128",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&"9".repeat(50)).is_err());
    }
}
