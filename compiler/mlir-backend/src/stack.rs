use std::thread;

use mlir_pipeline::{Failure, MlirError};

/// Enough for expressions as deep as the front end lets through, whatever stack the caller has.
const STACK_BYTES: usize = 256 << 20;

/// Runs a compile on a thread of its own with a large stack, of which only what is touched takes
/// memory: lowering recurses as deep as an expression nests.
pub(crate) fn on_large_stack<T: Send>(
    compile: impl FnOnce() -> Result<T, MlirError> + Send,
) -> Result<T, MlirError> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK_BYTES);
        let failed = |message: String| {
            let failure = Failure::new(message);
            Err(MlirError::PassPipelineFailed(failure))
        };
        match builder.spawn_scoped(scope, compile) {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|_| failed("the compile panicked".into())),
            Err(error) => failed(format!("no thread to compile on: {error}")),
        }
    })
}
