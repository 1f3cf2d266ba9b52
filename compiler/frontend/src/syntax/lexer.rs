use logos::Logos;
use shared_types::{FileId, SourceFile, Span};

use super::token::{Token, TokenKind};
use crate::Diagnostic;

/// A file with more faults than this is no program: the rest would only repeat them.
const MOST_FAULTS: usize = 20;

/// The tokens of a text, the last one being [`TokenKind::End`], and its faults.
pub(crate) fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut tokens = Vec::new();
    let mut faults: Vec<Diagnostic> = Vec::new();
    let mut after_newline = true;
    let mut lexer = TokenKind::lexer(text);
    if text.starts_with(SourceFile::BYTE_ORDER_MARK) {
        lexer.bump(SourceFile::BYTE_ORDER_MARK.len_utf8());
    }
    for (kind, range) in lexer.spanned() {
        let span = Span::new(file, range.start as u32, range.end as u32);
        let kind = match kind {
            Ok(TokenKind::Newline) => {
                after_newline = true;
                continue;
            }
            Ok(TokenKind::UnclosedString) => {
                faults.push(
                    Diagnostic::new(span, "a string is not closed")
                        .label("expected `\"` before the end of the line"),
                );
                TokenKind::String
            }
            Ok(TokenKind::UnclosedChar) => {
                faults
                    .push(Diagnostic::new(span, "a character is not closed").label("expected `'`"));
                TokenKind::Char
            }
            Ok(kind) => kind,
            Err(()) => {
                unknown(&mut faults, span, &text[range]);
                if faults.len() >= MOST_FAULTS {
                    break;
                }
                continue;
            }
        };
        tokens.push(Token {
            kind,
            span,
            after_newline,
        });
        after_newline = false;
    }
    let end = text.len() as u32;
    tokens.push(Token {
        kind: TokenKind::End,
        span: Span::new(file, end, end),
        after_newline: true,
    });
    (tokens, faults)
}

/// A run of unknown characters is one fault.
fn unknown(faults: &mut Vec<Diagnostic>, span: Span, text: &str) {
    if let Some(last) = faults.last_mut()
        && last.span.end == span.start
        && last.message.starts_with(UNKNOWN)
    {
        last.span.end = span.end;
        return;
    }
    let first = text.chars().next().unwrap_or('?');
    faults.push(Diagnostic::new(span, format!("{UNKNOWN} {first:?}")));
}

const UNKNOWN: &str = "no token begins with";

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let (tokens, faults) = lex(FileId(0), text);
        assert_eq!(faults, []);
        tokens.into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn ranges_and_floats_are_told_apart() {
        use TokenKind::{DotDot, DotDotEqual, End, Float, Integer};
        assert_eq!(kinds("1..2"), [Integer, DotDot, Integer, End]);
        assert_eq!(kinds("1..=2"), [Integer, DotDotEqual, Integer, End]);
        assert_eq!(kinds("1.5e-3f32"), [Float, End]);
        assert_eq!(kinds("2e10"), [Float, End]);
        assert_eq!(kinds("0xEEu8"), [Integer, End]);
        assert_eq!(kinds("1f32"), [Integer, End]);
    }

    #[test]
    fn a_keyword_within_a_name_is_a_name() {
        assert_eq!(
            kinds("value iffy"),
            [TokenKind::Identifier, TokenKind::Identifier, TokenKind::End]
        );
    }

    #[test]
    fn line_ends_are_marked_and_comments_are_not_tokens() {
        let (tokens, _) = lex(FileId(0), "a // b\n// c\nd e");
        let marks: Vec<_> = tokens.iter().map(|token| token.after_newline).collect();
        assert_eq!(marks, [true, true, false, true]);
    }

    #[test]
    fn a_run_of_unknown_characters_is_one_fault() {
        let (_, faults) = lex(FileId(0), "a \u{1}\u{2}\u{3} b #");
        let spans: Vec<_> = faults.iter().map(|f| (f.span.start, f.span.end)).collect();
        assert_eq!(spans, [(2, 5), (8, 9)]);
    }

    #[test]
    fn what_is_not_closed_is_said() {
        for text in ["\"abc\nd", "\"ab\\", "\"", "'", "'a", "'\\"] {
            let (_, faults) = lex(FileId(0), text);
            assert_eq!(faults.len(), 1, "{text:?}: {faults:?}");
            assert!(faults[0].message.contains("not closed"), "{text:?}");
        }
    }
}
