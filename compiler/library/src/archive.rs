use std::io::Cursor;

use ar_archive_writer::{
    ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream,
};
use codegen::Processor;

use crate::{LibraryError, half};

/// A static library of an object, of that of the GPU bodies if there is one, and of what the first
/// needs. The same objects give the same bytes.
pub(crate) fn archive(
    name: &str,
    object: &[u8],
    gpu_object: Option<Vec<u8>>,
    processor: &Processor,
) -> Result<Vec<u8>, LibraryError> {
    let mut members = vec![(format!("{name}.o"), object.to_vec())];
    members.extend(gpu_object.map(|object| (format!("{name}_gpu.o"), object)));
    if let Some(half) = half::object_for(object, processor)? {
        members.push(("neuro_half.o".to_string(), half));
    }
    let members: Vec<NewArchiveMember> = members
        .into_iter()
        .map(|(name, object)| NewArchiveMember::new(object, &DEFAULT_OBJECT_READER, name))
        .collect();
    let kind = match cfg!(target_vendor = "apple") {
        true => ArchiveKind::Darwin,
        false => ArchiveKind::Gnu,
    };
    let mut archive = Cursor::new(Vec::new());
    write_archive_to_stream(&mut archive, &members, kind, false, None)
        .map_err(|error| LibraryError::Archive(error.to_string()))?;
    Ok(archive.into_inner())
}
