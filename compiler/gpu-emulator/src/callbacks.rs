//! What compiled device code calls.

use std::cell::Cell;
use std::ffi::{CStr, c_char};
use std::ptr::null;

use crate::Violation;
use crate::fiber::{self, Stop};
use crate::launch::Running;
use crate::shadow::Kind;
use crate::trigonometry::trig_preop;

pub(crate) const BARRIER: &str = "emulator.barrier";
pub(crate) const TRAP: &str = "emulator.trap";
pub(crate) const CHECK: &str = "emulator.check";
pub(crate) const TURN: &str = "emulator.turn";
pub(crate) const TRIG_PREOP: &str = "emulator.trig_preop";
pub(crate) const ASSERT: &str = "__assertfail";

thread_local! {
    static RUNNING: Cell<*const Running<'static>> = const { Cell::new(null()) };
}

/// Calls `run` with a launch as that whose code calls.
pub(crate) fn during<R>(running: &Running<'_>, run: impl FnOnce() -> R) -> R {
    let before = RUNNING.replace(std::ptr::from_ref(running).cast());
    let result = run();
    RUNNING.set(before);
    result
}

/// The names that device code has for what it calls, and the addresses.
pub(crate) fn symbols() -> [(&'static str, usize); 6] {
    [
        (BARRIER, barrier as *const () as usize),
        (TRAP, trap as *const () as usize),
        (CHECK, check as *const () as usize),
        (TURN, turn as *const () as usize),
        (TRIG_PREOP, trig_preop as *const () as usize),
        (ASSERT, assert as *const () as usize),
    ]
}

extern "C" fn barrier(site: u32) {
    fiber::stop(Stop::Barrier { site });
}

extern "C" fn trap() {
    violation(Violation::Trap);
}

/// # Safety
/// The texts end in a zero.
unsafe extern "C" fn assert(
    message: *const c_char,
    file: *const c_char,
    line: u32,
    _function: *const c_char,
    _char_size: usize,
) {
    let text = |text: *const c_char| match text.is_null() {
        true => String::new(),
        // SAFETY: as above.
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into(),
    };
    violation(Violation::Assertion {
        message: text(message),
        file: text(file),
        line,
    });
}

extern "C" fn check(address: usize, bytes: u64, kind: u32) {
    let kind = match kind {
        0 => Kind::Read,
        1 => Kind::Write,
        _ => Kind::Atomic,
    };
    let found = running(|running| running.check(address, bytes, kind)).flatten();
    if let Some(found) = found {
        violation(found);
    }
}

extern "C" fn turn() {
    if let Some(found) = running(Running::turn).flatten() {
        violation(found);
    }
}

/// Reports, and leaves the thread where it is for good.
fn violation(violation: Violation) {
    running(|running| running.report(violation));
    fiber::stop(Stop::Violation);
}

fn running<R>(run: impl FnOnce(&Running<'static>) -> R) -> Option<R> {
    // SAFETY: set for as long as the launch runs.
    unsafe { RUNNING.get().as_ref() }.map(run)
}
