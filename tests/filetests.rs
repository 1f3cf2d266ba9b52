//! Runs the programs of `filetests` on every engine (README.md has their format).

#[path = "support/filetest.rs"]
mod filetest;
mod support;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use filetest::{FileTest, LineError, Output, Run};

const DEVICES: [&str; 4] = ["host", "emulated", "nvidia", "amd"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let device = std::env::var("NEURO_DEVICE").ok();
    if let Some(name) = device.as_deref().filter(|name| !DEVICES.contains(name)) {
        eprintln!("NEURO_DEVICE is `{name}`, and none of {DEVICES:?}");
        return ExitCode::FAILURE;
    }
    let trials = support::programs(&support::folder("filetests"));
    let trials = trials.into_iter().map(|name| {
        let test = name.trim_end_matches(".nr").to_string();
        let device = device.clone();
        Trial::test(test, move || run_file(&name, device.as_deref()))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// The engine of a device in place of one that a file names; a real GPU's engine is in the place of
/// the emulated one. Without a device, all but real GPUs.
fn engine_on(device: Option<&str>, engine: &str) -> Option<String> {
    let engine = match (device, engine) {
        (None, _)
        | (Some(_), "interpreter")
        | (Some("host"), "jit")
        | (Some("emulated"), "emulated-nvidia" | "emulated-amd") => engine,
        (Some("nvidia"), "emulated-nvidia") => "cuda",
        (Some("amd"), "emulated-amd") => "hip",
        (Some(_), _) => return None,
    };
    Some(engine.to_string())
}

fn run_file(name: &str, device: Option<&str>) -> Result<(), Failed> {
    let folder = support::folder("filetests");
    let path = folder.join(name);
    let test = FileTest::parse(&std::fs::read_to_string(&path)?)?;
    let engines = test.engines.iter();
    let engines: Vec<String> = engines
        .filter_map(|engine| engine_on(device, engine))
        .collect();
    if engines.is_empty() {
        return Ok(());
    }
    let mut seen = Vec::new();
    let mut errors = Vec::new();
    for run in &test.runs {
        let (run, found) = run_on_all(&folder, name, run, &engines)?;
        seen.push(run);
        errors.extend(found);
    }
    errors.sort();
    errors.dedup();
    if std::env::var_os("NEURO_UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, test.updated(&seen, &errors))?;
        return Ok(());
    }
    for (expected, seen) in test.runs.iter().zip(&seen) {
        if expected != seen {
            return Err(format!("expected:\n{expected}seen:\n{seen}").into());
        }
    }
    let mut expected = test.errors;
    expected.sort();
    if expected != errors {
        return Err(format!("expected errors: {expected:#?}\nseen: {errors:#?}").into());
    }
    Ok(())
}

/// What a command does, if every engine does the same, and the errors that it reports.
fn run_on_all(
    folder: &Path,
    name: &str,
    run: &Run,
    engines: &[String],
) -> Result<(Run, Vec<LineError>), Failed> {
    let mut first = None;
    for engine in engines {
        let mut command = support::neuro_mlir();
        command.current_dir(folder).arg("run").arg(name);
        let output = command
            .args(&run.words)
            .args(["--engine", engine])
            .output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let seen = (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        );
        match &first {
            None => first = Some(seen),
            Some(first) if *first == seen => {}
            Some(first) => {
                let (words, other) = (run.words.join(" "), &engines[0]);
                return Err(format!("{words}\n{other}: {first:#?}\n{engine}: {seen:#?}").into());
            }
        }
    }
    let (status, output, errors) = first.ok_or("no engine")?;
    let status = status.ok_or_else(|| format!("ended by a signal: {errors}"))?;
    let output = match run.output {
        Output::Same => Output::Same,
        Output::Lines(_) => Output::Lines(output.lines().map(str::to_string).collect()),
    };
    let found: Vec<LineError> = errors
        .lines()
        .filter_map(|line| located(line.strip_prefix(name)?))
        .collect();
    if (status == 0) != errors.is_empty() || (status != 0 && found.is_empty()) {
        return Err(format!("status {status} with these errors:\n{errors}").into());
    }
    let words = run.words.clone();
    let run = Run {
        words,
        status,
        output,
    };
    Ok((run, found))
}

/// `:LINE:COLUMN: error: MESSAGE`, or a panic; no note.
fn located(text: &str) -> Option<LineError> {
    let (line, rest) = text.strip_prefix(':')?.split_once(':')?;
    let (_, message) = rest.split_once(": ")?;
    let message = message.strip_prefix("error: ").unwrap_or(message);
    (!message.starts_with("note: ")).then_some(LineError {
        line: line.parse().ok()?,
        message: message.to_string(),
    })
}
