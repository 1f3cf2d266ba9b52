use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Zeroed memory. A large piece costs nothing until it is touched, and then a fault for each huge page.
pub(crate) struct Memory {
    start: NonNull<u8>,
    layout: Layout,
    data: NonNull<u8>,
}

/// What `calloc` aligns to, so that it is asked, which knows fresh pages to be zero: memory of a larger alignment is
/// zeroed byte by byte.
const CALLOC_ALIGNMENT: usize = 16;

impl Memory {
    /// `bytes` of memory, at least 1, aligned to `alignment`; nothing where they cannot be had.
    pub(crate) fn zeroed(bytes: usize, alignment: usize) -> Option<Memory> {
        let size = bytes.max(1).checked_add(alignment)?;
        let layout = Layout::from_size_align(size, CALLOC_ALIGNMENT).ok()?;
        // SAFETY: the size is at least 1.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        let before = start.align_offset(alignment);
        // SAFETY: `before` is below `alignment`, which the size has beyond the bytes.
        let data = unsafe { start.add(before) };
        prefer_huge_pages(data, bytes);
        Some(Memory {
            start,
            layout,
            data,
        })
    }

    /// The first byte, aligned.
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: that is the memory as it was had, and nobody has it after its owner.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// Asks for huge pages, of which tensors of this size fill some: walking them misses the page tables less.
#[cfg(target_os = "linux")]
fn prefer_huge_pages(data: NonNull<u8>, bytes: usize) {
    use rustix::mm::{Advice, madvise};

    const LARGE: usize = 4 << 20;
    const PAGE: usize = 4096;
    if bytes < LARGE {
        return;
    }
    let before = data.align_offset(PAGE);
    let length = (bytes - before) / PAGE * PAGE;
    // SAFETY: the range lies in the memory that is being handed out, and the advice changes no content. A system without
    // huge pages refuses it, and is as right without.
    let _ = unsafe {
        madvise(
            data.add(before).as_ptr().cast(),
            length,
            Advice::LinuxHugepage,
        )
    };
}

#[cfg(not(target_os = "linux"))]
fn prefer_huge_pages(_data: NonNull<u8>, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zeroed_and_aligned() {
        for bytes in [0, 1, 63, 64, 65, 4096, (4 << 20) + 3, 9 << 20] {
            let memory = Memory::zeroed(bytes, 64).unwrap();
            assert!(memory.data().addr().get().is_multiple_of(64));
            // SAFETY: that many bytes are there.
            let content = unsafe { std::slice::from_raw_parts_mut(memory.data().as_ptr(), bytes) };
            assert!(content.iter().all(|&byte| byte == 0));
            content.fill(1);
        }
    }

    #[test]
    fn what_cannot_be_had_is_nothing() {
        assert!(Memory::zeroed(usize::MAX, 64).is_none());
        assert!(Memory::zeroed(isize::MAX as usize - 128, 64).is_none());
    }
}
