//! Compares emitted stages with the `CHECK` lines of the programs in `filecheck`.

mod support;

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = support::programs(&support::folder("filecheck"));
    let trials = trials.into_iter().map(|name| {
        let test = name.trim_end_matches(".nr").to_string();
        Trial::test(test, move || run_file(&name))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn run_file(name: &str) -> Result<(), Failed> {
    let path = support::folder("filecheck").join(name);
    let text = std::fs::read_to_string(&path)?;
    let mut runs = 0;
    for line in text.lines() {
        let Some((prefix, words)) = command(line) else {
            continue;
        };
        runs += 1;
        check(&path, prefix, words)?;
    }
    match runs {
        0 => Err("there is no `// RUN:` line".into()),
        _ => Ok(()),
    }
}

/// The prefix of the checks and the words after `emit FILE`.
fn command(line: &str) -> Option<(&str, &str)> {
    let (run, words) = line.strip_prefix("// RUN")?.split_once(':')?;
    match run {
        "" => Some(("CHECK", words)),
        _ => Some((run.strip_prefix('-')?, words)),
    }
}

fn check(path: &Path, prefix: &str, words: &str) -> Result<(), Failed> {
    let mut emit = support::neuro_mlir();
    emit.arg("emit").arg(path).args(words.split_whitespace());
    let mut emit = emit.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let emitted = emit.stdout.take().ok_or("a pipe was asked for")?;
    let tool = std::env::var_os("FILECHECK").unwrap_or_else(|| OsString::from("FileCheck"));
    let compared = Command::new(&tool)
        .arg(path)
        .args(["--check-prefix", prefix, "--dump-input=fail"])
        .stdin(emitted)
        .output()
        .map_err(|error| format!("{}: {error}", tool.display()))?;
    let emit = emit.wait_with_output()?;
    if !emit.status.success() {
        return Err(format!("emit:{words}\n{}", String::from_utf8_lossy(&emit.stderr)).into());
    }
    if !compared.status.success() {
        let report = String::from_utf8_lossy(&compared.stderr);
        return Err(format!("emit:{words}\n{report}").into());
    }
    Ok(())
}
