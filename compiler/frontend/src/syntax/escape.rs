use shared_types::Span;

use crate::Diagnostic;

/// The characters that a string or character literal stands for; `span` is that of the literal,
/// quotes included, and `text` is it.
pub(super) fn unescape(text: &str, span: Span) -> Result<String, Diagnostic> {
    let quote = text.chars().next().unwrap_or('"');
    let inner = text.get(1..).unwrap_or("");
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    let mut value = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            value.push(character);
            continue;
        }
        let at = |rest: &std::str::Chars| {
            let from = 1 + inner.len() - rest.as_str().len();
            span.start + from as u32
        };
        let start = at(&rest) - 1;
        let escape = escape(&mut rest);
        value.push(escape.map_err(|(message, label)| {
            let span = Span::new(span.file, start, at(&rest));
            Diagnostic::new(span, message).label(label)
        })?);
    }
    Ok(value)
}

const KNOWN: &str = r#"expected one of \n \r \t \0 \\ \' \" \xNN \u{…}"#;

/// What follows a backslash.
fn escape(rest: &mut std::str::Chars) -> Result<char, (String, &'static str)> {
    match rest.next() {
        Some('n') => Ok('\n'),
        Some('r') => Ok('\r'),
        Some('t') => Ok('\t'),
        Some('0') => Ok('\0'),
        Some(plain @ ('\\' | '\'' | '"')) => Ok(plain),
        Some('x') => {
            let digits: String = rest.by_ref().take(2).collect();
            let code = u8::from_str_radix(&digits, 16).ok();
            let ascii = code.filter(|code| code.is_ascii() && digits.len() == 2);
            ascii
                .map(char::from)
                .ok_or(("not an ASCII code".into(), "expected \\x00 to \\x7F"))
        }
        Some('u') => {
            let digits = rest
                .as_str()
                .strip_prefix('{')
                .and_then(|text| text.split_once('}'))
                .map(|(digits, _)| digits.to_string());
            let taken = digits
                .as_ref()
                .map_or(0, |digits| digits.chars().count() + 2);
            rest.by_ref().take(taken).for_each(drop);
            digits
                .and_then(|digits| u32::from_str_radix(&digits, 16).ok())
                .and_then(char::from_u32)
                .ok_or(("not a character's code".into(), "expected \\u{…}"))
        }
        Some(other) => Err((
            format!("unknown escape `\\{}`", other.escape_debug()),
            KNOWN,
        )),
        None => Err(("an escape without its character".into(), KNOWN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, (String, u32, u32)> {
        unescape(text, Span::default())
            .map_err(|fault| (fault.message, fault.span.start, fault.span.end))
    }

    #[test]
    fn escapes_read_back() {
        assert_eq!(read(r#""a\n\t\\\"\x41\u{e9}é""#), Ok("a\n\t\\\"Aéé".into()));
        assert_eq!(read(r"'\''"), Ok("'".into()));
    }

    #[test]
    fn unknown_escapes_are_located() {
        let unknown = Err(("unknown escape `\\q`".to_string(), 2, 4));
        assert_eq!(
            read(r#""é\q""#).map_err(|(m, s, e)| (m, s - 1, e - 1)),
            unknown
        );
        assert!(read(r#""\x80""#).is_err());
        assert!(read(r#""\xé""#).is_err());
        assert!(read(r#""\u{d800}""#).is_err());
        assert!(read(r#""\u41""#).is_err());
        assert!(read("\"\\").is_err());
        assert!(read("\"").is_ok());
    }
}
