//! A process that works for a benchmark: a request a line, an answer a line, both JSON.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Ends with its owner.
pub(crate) struct Worker {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    pub(crate) fn start(command: &mut Command) -> Result<Worker, Box<dyn Error>> {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
        let (Some(requests), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("the process has no pipes".into());
        };
        Ok(Worker {
            process,
            requests,
            answers: BufReader::new(answers),
        })
    }

    /// What it says to a request.
    pub(crate) fn ask<T: DeserializeOwned>(
        &mut self,
        request: &impl Serialize,
    ) -> Result<T, Box<dyn Error>> {
        let request = serde_json::to_string(request)?;
        writeln!(self.requests, "{request}")?;
        self.answer()
    }

    /// What it says next.
    pub(crate) fn answer<T: DeserializeOwned>(&mut self) -> Result<T, Box<dyn Error>> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err(format!("the process ended: {}", self.process.wait()?).into());
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Nobody is left to hear of an error; a process that has ended cannot be ended again.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
