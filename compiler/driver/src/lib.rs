//! The command line: `neuro-mlir run | check | emit | build | gpu-bundle` (the surface, §Commands).
//!
//! It ties the other crates together and must hold no language or backend rule of its own. No
//! input may make it print a Rust panic, and nothing that it writes is ever half written.

mod arguments;
mod build;
mod bundle;
mod cli;
mod dump;
mod emit;
pub mod engine;
mod fault;
mod files;
mod left_out;
mod output;
mod run;
mod source;

use std::ffi::OsString;
use std::panic::{PanicHookInfo, set_hook};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;

use clap::Parser;
use shared_types::SourceMap;

use cli::{Cli, Command};
pub use fault::Fault;

/// Holds what recurses as deep as a program may nest; the pages that are not touched cost nothing.
const STACK_BYTES: usize = 256 << 20;

/// Runs a command line, the program's name first, and gives its exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help goes to standard output; nobody may be reading it any more.
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    set_hook(Box::new(keep_panic));
    let work = thread::Builder::new().stack_size(STACK_BYTES);
    let status = match work.spawn(move || execute(&cli.command)).map(|t| t.join()) {
        Ok(Ok(status)) => status,
        Ok(Err(_)) => Fault::internal(None, last_panic()).report(&SourceMap::default()),
        Err(error) => Fault::failed(None, format!("no thread to work on: {error}"))
            .report(&SourceMap::default()),
    };
    ExitCode::from(status)
}

fn execute(command: &Command) -> u8 {
    let mut sources = SourceMap::default();
    let result = match command {
        Command::Run(options) => run::run(options, &mut sources),
        Command::Check { file } => source::check(file, &mut sources),
        Command::Emit(options) => emit::emit(options, &mut sources),
        Command::Build(options) => build::build(options, &mut sources),
        Command::GpuBundle(options) => bundle::bundle(options, &mut sources),
    };
    match result {
        Ok(()) => 0,
        Err(fault) => fault.report(&sources),
    }
}

/// What the panic said: instead of printing it, the command reports it.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

fn keep_panic(panic: &PanicHookInfo<'_>) {
    *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic.to_string());
    if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
        output::note(&std::backtrace::Backtrace::force_capture());
    }
}

fn last_panic() -> String {
    let last = LAST_PANIC
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    last.unwrap_or_else(|| "a thread panicked".to_string())
}
