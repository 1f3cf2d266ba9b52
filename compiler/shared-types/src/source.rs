use std::sync::Arc;

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A run of bytes in a source file: `start` is its first byte, `end` the one after its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: u32, end: u32) -> Self {
        Span { file, start, end }
    }

    /// From the start of this span to the end of `last`, which is in the same file.
    pub fn to(self, last: Span) -> Span {
        Span {
            end: last.end.max(self.end),
            ..self
        }
    }
}

/// A place as a person names it; both count from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// A source text with the name that messages give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    name: String,
    text: Arc<str>,
    /// The first line starts after a byte order mark, which no editor shows.
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Some editors put it at the start of a file; it is no part of the text.
    pub const BYTE_ORDER_MARK: char = '\u{feff}';

    /// `text` is shorter than 4 GiB: a [`Span`] counts bytes in 32 bits.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let first = match text.starts_with(Self::BYTE_ORDER_MARK) {
            true => Self::BYTE_ORDER_MARK.len_utf8() as u32,
            false => 0,
        };
        let line_starts = std::iter::once(first)
            .chain(newlines.map(|(at, _)| at as u32 + 1))
            .collect();
        SourceFile {
            name: name.into(),
            text,
            line_starts,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The position of a byte; past the end it is that of the end.
    pub fn position(&self, byte: u32) -> Position {
        let lines_before = self.line_starts.partition_point(|&start| start <= byte);
        let line = lines_before.saturating_sub(1);
        let start = self.line_starts[line] as usize;
        let mut end = (byte as usize).min(self.text.len()).max(start);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        Position {
            line: line as u32 + 1,
            column: self.text[start..end].chars().count() as u32 + 1,
        }
    }

    /// A line's text without its end, by its number from 1.
    pub fn line(&self, line: u32) -> Option<&str> {
        let index = line.checked_sub(1)? as usize;
        let start = *self.line_starts.get(index)? as usize;
        let end = self.line_starts.get(index + 1).map(|&next| next as usize);
        let text = &self.text[start..end.unwrap_or(self.text.len())];
        Some(text.trim_end_matches(['\n', '\r']))
    }
}

/// The source files of a compile.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    pub fn add(&mut self, file: SourceFile) -> FileId {
        self.files.push(file);
        FileId(self.files.len() as u32 - 1)
    }

    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// `name:line:column` of a span's start, as every message begins; `?` for a file unknown here.
    pub fn locate(&self, span: Span) -> String {
        match self.get(span.file) {
            Some(file) => {
                let Position { line, column } = file.position(span.start);
                format!("{}:{line}:{column}", file.name())
            }
            None => "?".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let file = SourceFile::new("a.nr", "äb\n\nc");
        let at = |byte| {
            let Position { line, column } = file.position(byte);
            (line, column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(2), (1, 2));
        assert_eq!(at(4), (2, 1));
        assert_eq!(at(5), (3, 1));
        assert_eq!(at(1), (1, 1), "inside a character is its start");
        assert_eq!(at(99), (3, 2), "past the end is the end");
    }

    #[test]
    fn a_byte_order_mark_has_no_column() {
        let file = SourceFile::new("a.nr", "\u{feff}ab\nc");
        let columns = [0, 2, 3, 4, 6].map(|byte| file.position(byte).column);
        assert_eq!(columns, [1, 1, 1, 2, 1]);
        assert_eq!(file.line(1), Some("ab"));
        assert_eq!(SourceFile::new("b.nr", "\u{feff}").line(1), Some(""));
    }

    #[test]
    fn lines_have_no_ends() {
        let file = SourceFile::new("a.nr", "one\r\ntwo");
        assert_eq!(file.line(1), Some("one"));
        assert_eq!(file.line(2), Some("two"));
        assert_eq!(file.line(3), None);
        assert_eq!(file.line(0), None);
    }

    #[test]
    fn a_map_names_the_place() {
        let mut map = SourceMap::default();
        let file = map.add(SourceFile::new("f.nr", "x\nyz"));
        assert_eq!(map.locate(Span::new(file, 3, 4)), "f.nr:2:2");
        assert_eq!(map.locate(Span::new(FileId(7), 0, 0)), "?");
    }
}
