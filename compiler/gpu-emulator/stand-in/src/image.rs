use std::ffi::{CStr, c_char, c_int, c_void};

/// The bytes of an image, whose size no driver is told: PTX ends before a zero, an ELF file with
/// its section headers.
///
/// # Safety
/// It is one or the other.
pub(crate) unsafe fn bytes<'a>(image: *const c_void) -> &'a [u8] {
    const MAGIC: &[u8] = b"\x7fELF";
    // SAFETY: an empty text has one byte, and another is read while it is no zero.
    let is_elf = (0..MAGIC.len()).all(|i| unsafe { *image.cast::<u8>().add(i) } == MAGIC[i]);
    if !is_elf {
        // SAFETY: it is text.
        return unsafe { CStr::from_ptr(image.cast::<c_char>()) }.to_bytes();
    }
    // SAFETY: a header of 64 bits has these fields there.
    let size = unsafe {
        let headers: u64 = image.byte_add(0x28).cast::<u64>().read_unaligned();
        let size: u16 = image.byte_add(0x3a).cast::<u16>().read_unaligned();
        let count: u16 = image.byte_add(0x3c).cast::<u16>().read_unaligned();
        headers as usize + usize::from(size) * usize::from(count)
    };
    // SAFETY: the file has at least these bytes.
    unsafe { std::slice::from_raw_parts(image.cast(), size) }
}

/// Where a load is to say why it failed, by its options. The size is written over, as the driver
/// does: with how much it wrote, here nothing yet.
///
/// # Safety
/// There are that many options and values.
pub(crate) unsafe fn log<'a>(
    count: usize,
    options: *const c_int,
    values: *mut usize,
) -> &'a mut [u8] {
    const ERROR_LOG: c_int = 5;
    const ERROR_LOG_BYTES: c_int = 6;
    let option = |wanted| {
        // SAFETY: as above.
        let value = |i: usize| unsafe { (*options.add(i) == wanted).then(|| values.add(i)) };
        (0..count).find_map(value)
    };
    match (option(ERROR_LOG), option(ERROR_LOG_BYTES)) {
        // SAFETY: as above.
        (Some(log), Some(bytes)) => unsafe {
            let log = std::ptr::with_exposed_provenance_mut(*log);
            std::slice::from_raw_parts_mut(log, bytes.replace(0))
        },
        _ => &mut [],
    }
}
