use melior::{Context, ir::Location};
use shared_types::{FileId, Span};

/// A span as an MLIR location. The backend has no source text: a "line" and "column" here are the
/// span's first and last byte, the "file" is its [`FileId`].
pub fn span_location<'c>(context: &'c Context, span: Span) -> Location<'c> {
    let file = format!("{FILE_PREFIX}{}", span.file.0);
    Location::new(context, &file, span.start as usize, span.end as usize)
}

/// The same in MLIR's syntax.
pub fn location_text(span: Span) -> String {
    let (file, start, end) = (span.file.0, span.start, span.end);
    format!("loc(\"{FILE_PREFIX}{file}\":{start}:{end})")
}

/// The span that [`span_location`] put into a location, the first one of a fused location.
pub fn location_span(location: Location<'_>) -> Option<Span> {
    if location.is_fused() {
        return (0..location.fused_num_locations())
            .find_map(|index| location_span(location.fused_location(index)));
    }
    if !location.is_file_line_col_range() {
        return None;
    }
    let name = location.file_line_col_range_filename();
    let file = name.as_string_ref().as_str().ok()?;
    let file = file.strip_prefix(FILE_PREFIX)?.parse().ok()?;
    let start = location.file_line_col_range_start_line() as u32;
    let end = location.file_line_col_range_start_column() as u32;
    Some(Span::new(FileId(file), start, end))
}

const FILE_PREFIX: &str = "span:";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_come_back_from_locations() {
        let context = Context::new();
        let span = Span::new(FileId(3), 100, 250);
        let location = span_location(&context, span);
        assert_eq!(location_span(location), Some(span));
        assert_eq!(location_text(span), "loc(\"span:3\":100:250)");
        assert_eq!(location_span(Location::unknown(&context)), None);
        let elsewhere = Location::new(&context, "a.mlir", 1, 2);
        assert_eq!(location_span(elsewhere), None);
    }
}
