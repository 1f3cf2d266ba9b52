use std::fmt::Write;

use shared_types::{SourceMap, Span};

/// A fault in a program, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub span: Span,
    pub message: String,
    /// What was expected there, beside the caret.
    pub label: Option<String>,
    /// What else there is to know, each with its place where it has one.
    pub notes: Vec<Note>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub span: Option<Span>,
    pub text: String,
}

impl Diagnostic {
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            span,
            message: message.into(),
            label: None,
            notes: Vec::new(),
        }
    }

    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = Some(text.into());
        self
    }

    /// A note at another place.
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push(Note {
            span: Some(span),
            text: text.into(),
        });
        self
    }

    /// How to mend it.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.notes.push(Note {
            span: None,
            text: text.into(),
        });
        self
    }

    /// The diagnostic as text, ending in a newline. The first line is
    /// `FILE:LINE:COLUMN: error: MESSAGE`; the source line with a caret follows.
    pub fn render(&self, sources: &SourceMap) -> String {
        let place = sources.locate(self.span);
        let mut text = format!("{place}: error: {}\n", self.message);
        let label = self.label.as_deref().unwrap_or("");
        excerpt(&mut text, sources, self.span, label);
        for note in &self.notes {
            match note.span {
                Some(span) => {
                    let _ = writeln!(text, "{}: note: {}", sources.locate(span), note.text);
                    excerpt(&mut text, sources, span, "");
                }
                None => {
                    let _ = writeln!(text, "  = help: {}", note.text);
                }
            }
        }
        text
    }
}

/// Long lines, of generated or binary input, are cut to this many characters about the caret.
const WIDTH: usize = 160;

/// The line of `span`, and below it carets and the label.
fn excerpt(text: &mut String, sources: &SourceMap, span: Span, label: &str) {
    let Some(file) = sources.get(span.file) else {
        return;
    };
    let start = file.position(span.start);
    let Some(line) = file.line(start.line) else {
        return;
    };
    let characters: Vec<char> = line.chars().map(printable).collect();
    let column = (start.column as usize - 1).min(characters.len());
    let end = file.position(span.end);
    let last = if end.line == start.line {
        (end.column as usize - 1).min(characters.len())
    } else {
        characters.len()
    };

    let from = column.saturating_sub(WIDTH / 2);
    let shown = &characters[from..characters.len().min(from + WIDTH)];
    let length = last.min(from + shown.len()).saturating_sub(column).max(1);

    let number = start.line.to_string();
    let margin = " ".repeat(number.len());
    let source: String = shown.iter().collect();
    let _ = writeln!(text, "{margin} |");
    let _ = writeln!(text, "{number} | {}", source.trim_end());
    let indent = " ".repeat(column - from);
    let marks = format!("{indent}{} {label}", "^".repeat(length));
    let _ = writeln!(text, "{margin} | {}", marks.trim_end());
}

/// One column wide, so that the caret stands under its character.
fn printable(character: char) -> char {
    match character {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use shared_types::SourceFile;

    #[test]
    fn a_diagnostic_shows_its_line() {
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("f.nr", "val a = 1\n\tval é = b +\n"));
        let diagnostic = Diagnostic::new(Span::new(file, 20, 21), "no `b` here")
            .label("not found")
            .note(Span::new(file, 0, 3), "the line before")
            .help("write `a`");
        expect![[r#"
            f.nr:2:10: error: no `b` here
              |
            2 |  val é = b +
              |          ^ not found
            f.nr:1:1: note: the line before
              |
            1 | val a = 1
              | ^^^
              = help: write `a`
        "#]]
        .assert_eq(&diagnostic.render(&sources));
    }

    #[test]
    fn a_long_line_is_cut() {
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("f.nr", "x".repeat(100_000)));
        let text = Diagnostic::new(Span::new(file, 5_000, 90_000), "long").render(&sources);
        assert!(text.len() < 1_000, "{text}");
    }

    #[test]
    fn any_span_renders() {
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("f.nr", "é\n"));
        for (start, end) in [(1, 2), (2, 2), (3, 3), (9, 1), (0, 99)] {
            let text = Diagnostic::new(Span::new(file, start, end), "m").render(&sources);
            assert!(text.starts_with("f.nr:"), "{text}");
        }
    }
}
