//! A process of its own that runs jobs: what ends it is the fault of what it ran.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use std::{io, thread};

use crate::compare::{Compared, Job, run};

/// Longer than any job takes on a busy machine.
const LONGEST: Duration = Duration::from_secs(300);

/// What a worker answers: what came of the job, or why the functions do not compile.
type Answer = Result<Compared, String>;

/// The jobs of standard input, one a line, each answered by a line: what a worker's process does.
pub fn serve() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let job: Job = serde_json::from_str(&line?)?;
        let answer = serde_json::to_string(&run(&job))?;
        let mut output = io::stdout().lock();
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

/// Starts processes as they are needed, and gives each job to one.
pub struct Worker {
    command: Box<dyn Fn() -> Command + Send>,
    process: Option<Process>,
}

struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    /// What it writes to standard error.
    errors: std::fs::File,
}

impl Worker {
    /// `command` starts a process that does as [`serve`].
    pub fn new(command: impl Fn() -> Command + Send + 'static) -> Self {
        Worker {
            command: Box::new(command),
            process: None,
        }
    }

    /// What comes of a job, or why nothing does.
    ///
    /// # Errors
    /// No process can be started.
    pub fn run(&mut self, job: &Job) -> io::Result<Answer> {
        let mut process = match self.process.take() {
            Some(process) => process,
            None => Process::start(&mut (self.command)())?,
        };
        let text = serde_json::to_string(job)?;
        // A process that is gone has no answer either, which says more.
        let _ = writeln!(process.input, "{text}").and_then(|()| process.input.flush());
        Ok(match process.answers.recv_timeout(LONGEST) {
            Ok(line) => {
                let answer = serde_json::from_str(&line)?;
                self.process = Some(process);
                answer
            }
            Err(RecvTimeoutError::Timeout) => {
                process.child.kill()?;
                process.child.wait()?;
                Err(format!(
                    "nothing came of it in {} seconds",
                    LONGEST.as_secs()
                ))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = process.child.wait()?;
                let mut errors = String::new();
                process.errors.seek(SeekFrom::Start(0))?;
                // Whatever can be read of it.
                let _ = process.errors.read_to_string(&mut errors);
                Err(format!("the process ended: {status}\n{errors}"))
            }
        })
    }
}

impl Process {
    fn start(command: &mut Command) -> io::Result<Process> {
        let errors = tempfile::tempfile()?;
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors.try_clone()?)
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let (answer, answers) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).lines();
            for line in lines.map_while(Result::ok) {
                if answer.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Process {
            child,
            input,
            answers,
            errors,
        })
    }
}

/// The process ends with its input.
impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended already is no fault.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
