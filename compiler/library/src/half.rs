//! The conversions of `f16` that an object calls on processors without instructions for them.

use codegen::{Processor, compile};
use object::{Object, ObjectSymbol};

use crate::LibraryError;

const IR: &str = include_str!("half.ll");
const NAMES: [&str; 2] = ["__extendhfsf2", "__truncsfhf2"];

/// The object file that defines them, if `object` calls one.
pub(crate) fn object_for(
    object: &[u8],
    processor: &Processor,
) -> Result<Option<Vec<u8>>, LibraryError> {
    let file =
        object::File::parse(object).map_err(|error| LibraryError::Archive(error.to_string()))?;
    let calls = |symbol: object::Symbol| {
        let name = symbol.name().unwrap_or_default();
        symbol.is_undefined() && NAMES.iter().any(|known| name.ends_with(known))
    };
    if !file.symbols().any(calls) {
        return Ok(None);
    }
    let compiled = compile(IR, &[], processor, |_, _, _| Ok(()))?;
    Ok(Some(compiled.object.as_slice().to_vec()))
}
