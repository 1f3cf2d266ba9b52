use std::cell::Cell;
use std::ops::Range;
use std::ptr::null;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::EmulatorError;
use crate::fault::{Fault, Guard, guarded};

/// Why a coroutine gave control back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It waits at a barrier.
    Barrier { site: u32 },
    /// It reported a violation, and is not resumed.
    Violation,
}

/// How a coroutine ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Returned,
    Fault,
}

pub(crate) enum Outcome {
    Stopped(Stop),
    Returned,
    Faulted(Fault),
}

thread_local! {
    /// Of the coroutine that runs.
    static YIELDER: Cell<*const Yielder<(), Stop>> = const { Cell::new(null()) };
}

/// Code with a stack of its own, that can wait, and whose faults are values.
pub(crate) struct Fiber {
    coroutine: Coroutine<(), Stop, Ended>,
    guard: Guard,
    yielder: *const Yielder<(), Stop>,
}

impl Fiber {
    /// # Safety
    /// What `run` refers to outlives the fiber. It may be left where it stops or faults, without
    /// being unwound.
    pub(crate) unsafe fn new<F: FnOnce()>(
        stack: DefaultStack,
        only: Option<Range<usize>>,
        run: F,
    ) -> Fiber {
        // SAFETY: as above.
        let coroutine = unsafe {
            Coroutine::with_stack_unchecked(stack, move |yielder: &Yielder<(), Stop>, ()| {
                YIELDER.set(yielder);
                run();
                Ended::Returned
            })
        };
        Fiber {
            guard: Guard::new(coroutine.trap_handler(), only),
            coroutine,
            yielder: null(),
        }
    }

    /// Runs until it stops or ends. It has not ended.
    pub(crate) fn resume(&mut self) -> Outcome {
        let before = YIELDER.replace(self.yielder);
        let (result, fault) = guarded(self.guard, || self.coroutine.resume(()));
        self.yielder = YIELDER.replace(before);
        match (result, fault) {
            (CoroutineResult::Yield(stop), _) => Outcome::Stopped(stop),
            (CoroutineResult::Return(Ended::Fault), Some(fault)) => Outcome::Faulted(fault),
            (CoroutineResult::Return(Ended::Fault | Ended::Returned), _) => Outcome::Returned,
        }
    }

    /// Its stack, for another.
    pub(crate) fn into_stack(mut self) -> DefaultStack {
        // SAFETY: compiled code owns nothing, and neither does what stops it.
        unsafe { self.coroutine.force_reset() };
        self.coroutine.into_stack()
    }
}

/// Gives control back from the coroutine that runs.
pub(crate) fn stop(stop: Stop) {
    let yielder = YIELDER.get();
    // SAFETY: set while the coroutine runs, on whose stack the yielder is.
    if let Some(yielder) = unsafe { yielder.as_ref() } {
        yielder.suspend(stop);
    }
}

/// A stack of so many bytes, touched as it is used.
pub(crate) fn stack(bytes: usize) -> Result<DefaultStack, EmulatorError> {
    DefaultStack::new(bytes).map_err(|error| EmulatorError::System(error.to_string()))
}
