//! Time as a benchmark counts it: of one thread on the processor, which other programs do not add to.

use std::error::Error;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The CPU time that this thread has spent.
fn thread_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// The CPU time that `work` takes this thread.
pub fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = thread_time();
    let value = work();
    (thread_time() - start, value)
}

/// The best time of each side over `rounds`, the two taking turns so that both meet the same machine.
pub fn alternate(
    rounds: usize,
    mut ours: impl FnMut() -> Result<Duration, Box<dyn Error>>,
    mut peer: impl FnMut() -> Result<Duration, Box<dyn Error>>,
) -> Result<(Duration, Duration), Box<dyn Error>> {
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..rounds {
        best.0 = best.0.min(ours()?);
        best.1 = best.1.min(peer()?);
    }
    Ok(best)
}
