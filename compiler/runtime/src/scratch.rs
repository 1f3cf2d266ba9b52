use std::alloc::{Layout, alloc, dealloc};
use std::hint::black_box;

use tensor::TensorError;

/// Whether the memory that a body allocates can be had. It does not ask: its `malloc` would give
/// null, and nothing could stop it there.
pub(crate) fn check_available(bytes: usize) -> Result<(), TensorError> {
    if bytes == 0 {
        return Ok(());
    }
    let out_of_memory = TensorError::OutOfMemory { bytes };
    let Ok(layout) = Layout::from_size_align(bytes, 1) else {
        return Err(out_of_memory);
    };
    // SAFETY: the size is not 0, and the memory is freed as it was had, untouched.
    unsafe {
        // LLVM would drop memory that nothing sees, and take it as had.
        let memory = black_box(alloc(layout));
        if memory.is_null() {
            return Err(out_of_memory);
        }
        dealloc(memory, layout);
    }
    Ok(())
}
