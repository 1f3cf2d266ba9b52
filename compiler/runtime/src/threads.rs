//! The threads that share the loops of bodies (the ABI, §Threads).

use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicI64, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::RuntimeError;

/// Threads that share the loops of bodies: the one that calls a body, and those of a pool. Several
/// threads may use them at once, those of another pool too.
pub struct Threads {
    count: usize,
    /// The others; `None` where there is one thread.
    pool: Option<ThreadPool>,
}

/// Computes steps `from..to` of a loop.
type Task = unsafe extern "C" fn(context: *mut c_void, from: i64, to: i64);

/// A step's range is so many times smaller than a thread's share: a thread that is late is waited
/// for no longer than that.
const RANGES_A_THREAD: i64 = 4;

impl Threads {
    /// `count` threads, the caller's included.
    pub fn new(count: NonZeroUsize) -> Result<Threads, RuntimeError> {
        let count = count.get();
        if count == 1 {
            return Ok(Threads::one());
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(count - 1)
            .thread_name(|number| format!("neuro {}", number + 1))
            .build()
            .map_err(|error| RuntimeError::Threads {
                count,
                reason: error.to_string(),
            })?;
        Ok(Threads {
            count,
            pool: Some(pool),
        })
    }

    /// The thread that calls.
    pub fn one() -> Threads {
        Threads {
            count: 1,
            pool: None,
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The two words of [`crate::Parameter::Threads`], valid while this lives. One thread shares
    /// nothing.
    pub(crate) fn words(&self) -> [u64; 2] {
        match &self.pool {
            None => [0, 0],
            Some(_) => {
                let code = share as unsafe extern "C" fn(*const Threads, i64, Task, *mut c_void);
                let code = code as *const c_void;
                [
                    code.expose_provenance() as u64,
                    std::ptr::from_ref(self).expose_provenance() as u64,
                ]
            }
        }
    }

    /// Calls `task` for ranges that make up `0..steps`, each thread for the next that is left, and
    /// returns when all have been computed.
    fn share(&self, steps: i64, task: impl Fn(i64, i64) + Sync) {
        let threads = i64::try_from(self.count).unwrap_or(i64::MAX);
        let ranges = threads.saturating_mul(RANGES_A_THREAD).min(steps);
        let next = AtomicI64::new(0);
        let bound =
            |range: i64| (i128::from(steps) * i128::from(range) / i128::from(ranges)) as i64;
        let work = || {
            loop {
                let range = next.fetch_add(1, Ordering::Relaxed);
                if range >= ranges {
                    break;
                }
                task(bound(range), bound(range + 1));
            }
        };
        let others = (threads - 1).min(ranges - 1);
        match &self.pool {
            Some(pool) if others > 0 => pool.in_place_scope(|scope| {
                for _ in 0..others {
                    scope.spawn(|_| work());
                }
                work();
            }),
            _ => work(),
        }
    }
}

/// What a task reads, which another thread may read as well.
struct Context(*mut c_void);

// SAFETY: a body's tasks are for any thread: they write places of their own.
unsafe impl Sync for Context {}

impl Context {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

/// # Safety
/// `threads` is alive, and `task` may be called with `context` for any ranges of `0..steps` in
/// several threads at once until this returns.
unsafe extern "C" fn share(threads: *const Threads, steps: i64, task: Task, context: *mut c_void) {
    let context = Context(context);
    // SAFETY: as above.
    let threads = unsafe { &*threads };
    // SAFETY: as above.
    threads.share(steps, |from, to| unsafe { task(context.get(), from, to) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn each_step_is_computed_once() {
        for threads in [1, 2, 3, 8, 64] {
            let threads = Threads::new(NonZeroUsize::new(threads).unwrap()).unwrap();
            for steps in [0, 1, 2, 7, 64, 1000] {
                let found = Mutex::new(Vec::new());
                threads.share(steps, |from, to| found.lock().unwrap().extend(from..to));
                let mut found = found.into_inner().unwrap();
                found.sort_unstable();
                assert_eq!(found, (0..steps).collect::<Vec<_>>());
            }
        }
    }

    /// Ends: whoever waits for a pool works, or is not needed by it.
    #[test]
    fn several_threads_and_other_pools_share_at_once() {
        let threads = Threads::new(NonZeroUsize::new(3).unwrap()).unwrap();
        let sum = || {
            let sum = AtomicI64::new(0);
            threads.share(100, |from, to| {
                sum.fetch_add((from..to).sum(), Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), 4950);
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..100).for_each(|_| sum()));
            }
        });
        let other = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        other.scope(|scope| (0..100).for_each(|_| scope.spawn(|_| sum())));
        // From one of its own.
        threads.share(10, |_, _| sum());
    }
}
