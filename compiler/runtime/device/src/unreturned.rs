//! What a device did not take back.

use std::cell::Cell;

use crate::DeviceError;

thread_local! {
    static FIRST: Cell<Option<DeviceError>> = const { Cell::new(None) };
}

/// Keeps the failure of a drop that gives something back, which has nobody to tell: the thread's
/// first one, until [`take_unreturned`] asks.
pub fn keep_unreturned(given_back: Result<(), DeviceError>) {
    let Err(error) = given_back else {
        return;
    };
    // A thread that ends asks for nothing any more.
    let _ = FIRST.try_with(|first| {
        let kept = first.take().unwrap_or(error);
        first.set(Some(kept));
    });
}

/// The first failure of this thread to give something back, since it asked before.
pub fn take_unreturned() -> Option<DeviceError> {
    FIRST.take()
}
