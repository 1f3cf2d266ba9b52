//! The text of one region: values and blocks have numbers, and each operation its place in the
//! source.

use std::fmt::Write as _;

use mlir_pipeline::location_text;
use shared_types::{ScalarType, Span};

/// A scalar in the text: its name, and its type in the program.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub name: String,
    pub scalar: ScalarType,
}

#[derive(Default)]
pub(crate) struct Text {
    /// The start of the region's first block: what all others may use.
    pub entry: String,
    pub blocks: String,
    next: usize,
}

impl Text {
    /// A fresh name of a value or a block, without its sign.
    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// A name for a block.
    pub(crate) fn label(&mut self) -> String {
        format!("^b{}", self.fresh())
    }

    /// Starts a block; the one before has ended.
    pub(crate) fn place(&mut self, label: &str) {
        let _ = writeln!(self.blocks, "{label}:");
    }

    /// An operation without a result.
    pub(crate) fn act(&mut self, span: Span, operation: &str) {
        let _ = writeln!(self.blocks, "  {operation} {}", location_text(span));
    }

    /// The name of an operation's result.
    pub(crate) fn emit(&mut self, span: Span, operation: &str) -> String {
        let name = format!("%{}", self.fresh());
        self.act(span, &format!("{name} = {operation}"));
        name
    }

    /// The same in the first block.
    pub(crate) fn emit_first(&mut self, span: Span, operation: &str) -> String {
        let name = format!("%{}", self.fresh());
        let location = location_text(span);
        let _ = writeln!(self.entry, "  {name} = {operation} {location}");
        name
    }
}

/// The MLIR type of a scalar; integers are signless, the operation carries the sign.
pub(crate) fn type_name(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::Bool => "i1",
        ScalarType::I8 | ScalarType::U8 => "i8",
        ScalarType::I16 | ScalarType::U16 => "i16",
        ScalarType::I32 | ScalarType::U32 | ScalarType::Char => "i32",
        ScalarType::I64 | ScalarType::U64 => "i64",
        ScalarType::F16 => "f16",
        ScalarType::Bf16 => "bf16",
        ScalarType::F32 => "f32",
        ScalarType::F64 => "f64",
    }
}

/// A string or a symbol's name as MLIR reads it.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | 0..=0x1f | 0x7f.. => {
                let _ = write!(quoted, "\\{byte:02X}");
            }
            _ => quoted.push(byte.into()),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quoted("a `+`\n\"\\é"), r#""a `+`\0A\22\5C\C3\A9""#);
    }
}
