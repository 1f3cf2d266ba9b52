use std::io::Read;

use shared_types::ScalarType;

use super::{NpyError, descriptor, fill};
use crate::buffer;

pub(super) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// What a file says of its array, the values as Python text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    descriptor: String,
    fortran_order: bool,
    shape: String,
}

impl Header {
    /// Reads up to the first byte of data.
    pub(super) fn read(source: &mut impl Read) -> Result<Header, NpyError> {
        let mut start = [0; 8];
        let found = fill(source, &mut start)?;
        if found < start.len() || !start.starts_with(MAGIC) {
            return Err(NpyError::NotNpy);
        }
        let [.., major, minor] = start;
        let length_bytes = match major {
            1 => 2,
            2 | 3 => 4,
            _ => return Err(NpyError::Version { major, minor }),
        };
        let mut length = [0; 4];
        if fill(source, &mut length[..length_bytes])? < length_bytes {
            return Err(NpyError::Header("it is truncated"));
        }
        let length = u64::from(u32::from_le_bytes(length));
        // Grows with what is there, not with what the length claims.
        let mut text = Vec::new();
        let read = source.take(length).read_to_end(&mut text);
        let read = read.map_err(|error| NpyError::Read(error.to_string()))?;
        if (read as u64) < length {
            return Err(NpyError::Header("it is truncated"));
        }
        let text = String::from_utf8(text).map_err(|_| NpyError::Header("it is no text"))?;
        Header::parse(&text)
    }

    /// `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`
    fn parse(text: &str) -> Result<Header, NpyError> {
        let inner = text
            .trim()
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'))
            .ok_or(NpyError::Header("it is no dictionary"))?;
        let mut descriptor = None;
        let mut fortran_order = None;
        let mut shape = None;
        for entry in split(inner) {
            let (key, value) = entry
                .split_once(':')
                .ok_or(NpyError::Header("an entry has no value"))?;
            let value = value.trim();
            let is_repeated = match key.trim().trim_matches(['\'', '"']) {
                "descr" => descriptor.replace(value.to_string()).is_some(),
                "fortran_order" => fortran_order.replace(boolean(value)?).is_some(),
                "shape" => shape.replace(value.to_string()).is_some(),
                _ => return Err(NpyError::Header("an entry is unknown")),
            };
            if is_repeated {
                return Err(NpyError::Header("an entry is given twice"));
            }
        }
        match (descriptor, fortran_order, shape) {
            (Some(descriptor), Some(fortran_order), Some(shape)) => Ok(Header {
                descriptor,
                fortran_order,
                shape,
            }),
            _ => Err(NpyError::Header("an entry is missing")),
        }
    }

    /// The array has this type and shape, in row-major order.
    pub(super) fn check(&self, scalar: ScalarType, shape: &[u64]) -> Result<(), NpyError> {
        if !stores(&self.descriptor, scalar) {
            return Err(NpyError::Element {
                expected: scalar,
                found: self.descriptor.clone(),
            });
        }
        let found = self.extents(scalar)?;
        if self.fortran_order {
            return Err(NpyError::FortranOrder);
        }
        if found != shape {
            return Err(NpyError::Shape {
                expected: shape.to_vec(),
                found,
            });
        }
        Ok(())
    }

    fn extents(&self, scalar: ScalarType) -> Result<Vec<u64>, NpyError> {
        let malformed = NpyError::Header("the shape is no tuple of extents");
        let inner = self
            .shape
            .strip_prefix('(')
            .and_then(|text| text.strip_suffix(')'));
        let Some(inner) = inner else {
            return Err(malformed);
        };
        let overflow = || NpyError::ShapeOverflow(self.shape.clone());
        let mut extents = Vec::new();
        let mut parts = inner.split(',').map(str::trim).peekable();
        while let Some(part) = parts.next() {
            if part.is_empty() && parts.peek().is_none() {
                break;
            }
            if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(malformed);
            }
            extents.push(part.parse().map_err(|_| overflow())?);
        }
        match buffer::count(scalar, &extents) {
            Ok(_) => Ok(extents),
            Err(_) => Err(overflow()),
        }
    }
}

fn boolean(value: &str) -> Result<bool, NpyError> {
    match value {
        "True" => Ok(true),
        "False" => Ok(false),
        _ => Err(NpyError::Header("the order is neither True nor False")),
    }
}

/// The entries between commas that stand in no bracket and no string. The last may be empty.
fn split(text: &str) -> Vec<&str> {
    let mut entries = Vec::new();
    let mut depth = 0usize;
    let mut quote = None;
    let mut start = 0;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                entries.push(&text[start..at]);
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    entries.push(&text[start..]);
    entries.retain(|entry| !entry.trim().is_empty());
    entries
}

/// Whether NumPy's code, in quotes, is that of the type. The order of a single byte is any.
fn stores(found: &str, scalar: ScalarType) -> bool {
    let quoted = |quote| found.strip_prefix(quote)?.strip_suffix(quote);
    let Some(code) = quoted('\'').or_else(|| quoted('"')) else {
        return false;
    };
    let expected = descriptor(scalar);
    match expected.strip_prefix('|') {
        Some(bare) => code.strip_prefix(['|', '<', '>', '=']).unwrap_or(code) == bare,
        None => code == expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numpys_own_header_is_read() {
        let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }      \n";
        let header = Header::parse(text).unwrap();
        assert_eq!(header.check(ScalarType::F32, &[2, 3]), Ok(()));
    }

    #[test]
    fn structured_types_are_one_entry() {
        let text = "{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': ()}";
        let error = Header::parse(text).unwrap().check(ScalarType::F32, &[]);
        assert_eq!(
            error.unwrap_err().to_string(),
            "expected dtype '<f4', found dtype [('a', '<f4'), ('b', '<i4')] (structured)"
        );
    }

    #[test]
    fn malformed_entries_are_refused() {
        for text in [
            "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}",
            "{'descr': '<f4', 'fortran_order': , 'shape': ()}",
            "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
            "{'descr': '<f4', 'fortran_order': False, 'fortran_order': False, 'shape': ()}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'shape': ()}",
        ] {
            let parsed = Header::parse(text);
            assert!(matches!(parsed, Err(NpyError::Header(_))), "{text}");
        }
    }

    #[test]
    fn shapes_are_tuples() {
        let extents = |shape: &str| {
            let header = Header {
                descriptor: String::new(),
                fortran_order: false,
                shape: shape.to_string(),
            };
            header.extents(ScalarType::F32)
        };
        assert_eq!(extents("()"), Ok(vec![]));
        assert_eq!(extents("(3,)"), Ok(vec![3]));
        assert_eq!(extents("(2, 0)"), Ok(vec![2, 0]));
        for malformed in ["", "3", "(", "(,)", "(-1,)", "(2, , 3)", "(2.0,)", "([2],)"] {
            assert!(
                matches!(extents(malformed), Err(NpyError::Header(_))),
                "{malformed}"
            );
        }
        for overflow in ["(18446744073709551616,)", "(4294967296, 4294967296)"] {
            assert!(
                matches!(extents(overflow), Err(NpyError::ShapeOverflow(_))),
                "{overflow}"
            );
        }
    }
}
