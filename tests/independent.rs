//! The JIT's bits against computations that know nothing of this project: loops written by hand, the
//! `half` crate's conversions, the C library's `fmod`.

#[path = "independent/consumers.rs"]
mod consumers;
#[path = "independent/contractions.rs"]
mod contractions;
#[path = "independent/halves.rs"]
mod halves;
#[path = "independent/jit.rs"]
mod jit;
#[path = "independent/neon.rs"]
mod neon;
#[path = "independent/reductions.rs"]
mod reductions;
#[path = "independent/remainder.rs"]
mod remainder;
#[path = "independent/runs.rs"]
mod runs;
#[path = "independent/threads.rs"]
mod threads;
#[path = "independent/traversals.rs"]
mod traversals;
