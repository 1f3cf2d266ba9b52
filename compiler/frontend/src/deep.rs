use std::panic::resume_unwind;
use std::{io, thread};

/// The deepest nesting that the parser lets through needs between 16 and 32 MiB in a debug build,
/// less in a release build; pages that are not touched cost nothing.
const STACK: usize = 128 << 20;

/// Runs `work` on a stack that holds the deepest tree, however small the caller's is. Fails where
/// the system has no thread to give.
pub(crate) fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        let result = thread.spawn_scoped(scope, work)?.join();
        Ok(result.unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
