//! The engines `cuda` and `hip`, over what stands in for the vendors' drivers
//! (`compiler/gpu-emulator/stand-in`).

mod support;

#[path = "drivers/bundle.rs"]
mod bundle;
#[path = "drivers/failures.rs"]
mod failures;
#[path = "support/filetest.rs"]
mod filetest;
#[path = "drivers/programs.rs"]
mod programs;
#[path = "drivers/refusals.rs"]
mod refusals;
#[path = "support/stand_in.rs"]
mod stand_in;
