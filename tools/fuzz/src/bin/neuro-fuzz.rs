//! Runs generated programs on each engine; one that fails is made as simple as it gets and written
//! to a file test.

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::Parser;
use fuzz::campaign::{Plan, Report, run};
use fuzz::compare::EngineName;
use fuzz::worker::{self, Worker};
use fuzz::{filetest, shrink};

/// Compares the engines by generated programs: the same bits, the same panics.
///
/// Exit status: 0; 1 a program failed, and stands in a file test, or too few operations ran on an
/// engine's device; 2 the arguments are wrong.
#[derive(Parser)]
#[command(name = "fuzz", version)]
struct Arguments {
    /// How long to run
    #[arg(long, value_name = "N", required_unless_present_any = ["programs", "worker"])]
    seconds: Option<u64>,
    /// How many programs to run
    #[arg(long, value_name = "N")]
    programs: Option<u64>,
    /// Each seed is other programs
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// The engines to compare; the first one says what is right
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = EngineName::HOST)]
    engines: Vec<EngineName>,
    /// Processes that run at once; as many as there are cores
    #[arg(long, value_name = "N")]
    processes: Option<usize>,
    /// Where the file test of a failure goes
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,
    /// Run the jobs of standard input
    #[arg(long, hide = true)]
    worker: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.worker {
        true => worker::serve().map(|()| true),
        false => campaign(&arguments),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("fuzz: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether every program agreed, and enough ran on devices.
fn campaign(arguments: &Arguments) -> std::io::Result<bool> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let plan = Plan {
        seed: arguments.seed,
        programs: arguments.programs,
        time: arguments.seconds.map(Duration::from_secs),
        engines: arguments.engines.clone(),
        processes: arguments.processes.unwrap_or(cores).max(1),
    };
    let program = std::env::current_exe()?;
    let command = move || {
        let mut command = Command::new(&program);
        command.arg("--worker");
        command
    };
    let start = std::time::Instant::now();
    let report = run(&plan, command.clone(), |report, time| {
        println!("{}", progress(report, time))
    })?;
    println!("{}", report.coverage);
    for (engine, share) in &report.shares {
        println!("{engine}: {share}");
    }
    println!("{}", progress(&report, start.elapsed()));
    let Some(failure) = &report.failure else {
        let low = report.shares.iter().find(|(_, share)| share.is_low());
        if let Some((engine, _)) = low {
            println!("{engine}: too few operations ran on the device");
        }
        return Ok(low.is_none());
    };
    println!(
        "program {} of seed {} fails: {}",
        failure.number, plan.seed, failure.why
    );
    println!("{}", failure.function.print("f"));
    let mut worker = Worker::new(command);
    let simplest = shrink::shrink(failure, &plan.engines, &mut worker)?;
    let text = filetest::text(&simplest, plan.seed);
    let path = arguments
        .out
        .join(format!("fuzz_{}_{}.nr", plan.seed, failure.number));
    std::fs::write(&path, &text)?;
    println!("{text}\n{}", path.display());
    Ok(false)
}

fn progress(report: &Report, time: Duration) -> String {
    let rate = report.programs as f64 / time.as_secs_f64();
    let (programs, operations) = (report.programs, report.coverage.operations());
    format!("{programs} programs, {rate:.1} a second, {operations} operations")
}
