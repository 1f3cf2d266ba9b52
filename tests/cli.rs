//! The command line: exit statuses, messages, files, and input that is wrong in every way.

mod support;

#[path = "cli/arguments.rs"]
mod arguments;
#[path = "cli/build.rs"]
mod build;
#[path = "cli/commands.rs"]
mod commands;
#[path = "cli/limits.rs"]
mod limits;
#[path = "cli/mathematics.rs"]
mod mathematics;
#[path = "cli/outputs.rs"]
mod outputs;
#[path = "cli/place.rs"]
mod place;
#[path = "cli/sources.rs"]
mod sources;
#[path = "cli/toolkits.rs"]
mod toolkits;
