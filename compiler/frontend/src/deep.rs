use std::panic::resume_unwind;
use std::{io, thread};

/// Holds the deepest nesting that the parser lets through, in a debug build; the pages that are
/// not touched cost nothing.
const STACK: usize = 256 << 20;

/// Runs `work` on a stack that holds the deepest tree, however small the caller's is. Fails where
/// the system has no thread to give.
pub(crate) fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        let result = thread.spawn_scoped(scope, work)?.join();
        Ok(result.unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
