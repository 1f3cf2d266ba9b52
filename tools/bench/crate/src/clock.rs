//! Time as a benchmark counts it: of one thread on the processor, which other programs do not add to.

use std::error::Error;
use std::time::{Duration, Instant};

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

/// What a side does in one round, and the time that it took.
pub type Side<'s> = dyn FnMut() -> Result<Duration, Box<dyn Error>> + 's;

/// Other programs on the processor come and go in some seconds: rounds go on for so long.
const LEAST_TIME: Duration = Duration::from_secs(3);

/// The best time of each side over `rounds` or more, all taking turns so that they meet the same
/// machine.
pub fn best_of(
    rounds: usize,
    sides: &mut [Box<Side<'_>>],
) -> Result<Vec<Duration>, Box<dyn Error>> {
    let mut best = vec![Duration::MAX; sides.len()];
    let start = Instant::now();
    let mut done = 0;
    while done < rounds || start.elapsed() < LEAST_TIME {
        done += 1;
        for (side, best) in sides.iter_mut().zip(&mut best) {
            *best = side()?.min(*best);
        }
    }
    Ok(best)
}

/// The best times of our side and of a peer, which take turns.
pub fn alternate(
    rounds: usize,
    ours: impl FnMut() -> Result<Duration, Box<dyn Error>>,
    peer: impl FnMut() -> Result<Duration, Box<dyn Error>>,
) -> Result<(Duration, Duration), Box<dyn Error>> {
    let best = best_of(rounds, &mut [Box::new(ours), Box::new(peer)])?;
    Ok((best[0], best[1]))
}
